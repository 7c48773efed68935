// sagbend verify: the verification cases, a table of what they found, JSON, a report.
#include "os/cli/cli.h"
#include "verification/program/program.h"
#include "verification/report/report.h"

#include "os/files/files.h"
#include "os/process/process.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum { LEAST_STACK = 4 << 20 }; // bytes

struct verify_options {
  struct option_texts cases; // none: all
  int list, markdown, papers, json, extended;
  int attacks;              // 0: the short version
  const char *report_path;  // NULL: none
  const char *configs_path; // NULL: the usual folder
};

static const struct option_row OPTIONS[] = {
    {"list", NULL, "List the verification cases.", FLAG(struct verify_options, list)},
    {"markdown", NULL, "Print the page docs/verification-cases.md.", FLAG(struct verify_options, markdown)},
    {"papers", NULL, "Print the page docs/papers.md.", FLAG(struct verify_options, papers)},
    {"case", "NAME", "Run this case; may be repeated. Default: all cases.",
     TEXTS(struct verify_options, cases)},
    {"attacks", "N", "Number of random cases in the case passivity. Default: 300.",
     COUNT(struct verify_options, attacks)},
    {"long", NULL, "Run the long version of each case that has one.", FLAG(struct verify_options, extended)},
    {"report", "DIR", "Write the report to DIR: index.html, plots, report.pdf.",
     TEXT(struct verify_options, report_path)},
    {"configs", "DIR", "Folder of the shipped configurations.", TEXT(struct verify_options, configs_path)},
    JSON_OPTION(struct verify_options, json),
    HELP_OPTION,
};

const char *verify_made_with = "unknown";

static const struct cli_command COMMAND = {
    .name = "verify",
    .arguments = "",
    .purpose = VERIFY_PURPOSE,
    .example = "sagbend verify --case elastica --report verification",
    .statuses = "0 every case passed; 1 a case failed, or the report could not be written; 2 wrong usage",
    .options = OPTIONS,
    .size = sizeof(struct verify_options),
};

static int list_cases(void) {
  for (int i = 0; i < verify_count(); i++)
    printf("%-22s %s\n", verify_at(i)->name, verify_at(i)->title);
  return console_finish_stdout("sagbend verify", EXIT_DONE);
}

static int print_markdown(void) {
  printf(
      "# Verification cases\n"
      "What `sagbend verify` computes and compares ([how to run and read it](verification.md), which names "
      "the sources in full): %d cases. tests/reference has independent codes and their results.\n"
      "Made by `sagbend verify --markdown` from `src/verification/harness/cases.inc`.\n",
      verify_count());
  for (int i = 0; i < verify_count(); i++) {
    const struct verify_case *c = verify_at(i);
    if (verify_subject_at(i))
      printf("\n## %s\n| case | what it computes | compared with |\n|---|---|---|\n", verify_subject_at(i));
    printf("| `%s` | %s | %s |\n", c->name, c->text, c->source);
  }
  return console_finish_stdout("sagbend verify", EXIT_DONE);
}

static int has_cases(const char *folder) {
  char path[PROGRAM_PATH + 32];
  struct stat s;
  snprintf(path, sizeof path, "%s/jlay-900m.yaml", folder);
  return stat(path, &s) == 0;
}

// The folder of the shipped configurations: as given, in this folder, beside the folder that contains the
// program, or where cmake --install puts it.
static enum status find_configs(const struct verify_options *o, char folder[PROGRAM_PATH],
                                struct reason *why) {
  static const char *const beside[] = {"../configs", "../share/sagbend/configs"};
  snprintf(folder, PROGRAM_PATH, "%s", o->configs_path ? o->configs_path : "configs");
  for (size_t i = 0; !o->configs_path && !has_cases(folder) && i < sizeof beside / sizeof *beside; i++)
    if (program_beside(beside[i], folder, why) != STATUS_OK)
      return STATUS_IO;
  if (has_cases(folder))
    return STATUS_OK;
  return fail(
      why, STATUS_BAD_INPUT,
      "no jlay-900m.yaml in %.100s; the folder of the shipped configurations is expected: --configs DIR",
      folder);
}

// The sagbend beside this program: what the cases hold for, if it was made from the same archives.
struct simulator {
  struct build_id build;
  int is_of_same_build;
};

static struct simulator simulator_beside(void) {
  struct simulator s = {.build = program_build_beside("sagbend")};
  s.is_of_same_build = strcmp(s.build.text, "unknown") != 0 && !strcmp(s.build.text, verify_made_with);
  return s;
}

static void print_simulator(const struct simulator *s) {
  if (s->is_of_same_build)
    printf("sagbend beside this program: build %s, of the same build\n", s->build.text);
  else
    printf("sagbend beside this program: build %s, NOT of the same build: the cases are of build %s\n",
           s->build.text, verify_made_with);
}

static void print_outcome(const struct verify_outcome *o) {
  char line[VERIFY_LINE_SIZE];
  printf("%s: %s (%.2f s)\n", o->c->name, o->c->title, o->result.wall_s);
  for (int i = 0; i < o->result.row_count; i++) {
    verify_row_line(&o->result.rows[i], line);
    printf("  %s\n", line);
  }
  if (*o->result.failure)
    printf("  FAILED: %s\n", o->result.failure);
}

static cJSON *json_of(const struct verify_outcome *o) {
  const struct verify_result *r = &o->result;
  cJSON *one = cJSON_CreateObject(), *rows = cJSON_AddArrayToObject(one, "rows");
  cJSON_AddStringToObject(one, "name", o->c->name);
  cJSON_AddStringToObject(one, "title", o->c->title);
  cJSON_AddStringToObject(one, "source", o->c->source);
  cJSON_AddStringToObject(one, "run_with", r->run_with);
  cJSON_AddStringToObject(one, "failure", r->failure);
  cJSON_AddNumberToObject(one, "wall_s", r->wall_s);
  cJSON_AddBoolToObject(one, "verdict", o->ok);
  for (int i = 0; i < r->row_count; i++) {
    const struct verify_row *row = &r->rows[i];
    cJSON *to = cJSON_CreateObject();
    cJSON_AddItemToArray(rows, to);
    cJSON_AddStringToObject(to, "quantity", row->quantity);
    cJSON_AddStringToObject(to, "unit", row->unit);
    cJSON_AddNumberToObject(to, "value", row->value); // not finite: null
    cJSON_AddNumberToObject(to, "reference_low", row->low);
    cJSON_AddNumberToObject(to, "reference_high", row->high);
    cJSON_AddNumberToObject(to, "error", row->error);
    cJSON_AddStringToObject(to, "error_kind", row->kind == VERIFY_RELATIVE ? "relative" : "absolute");
    cJSON_AddNumberToObject(to, "limit", row->limit);
    cJSON_AddBoolToObject(to, "judged", !isinf(row->limit));
    cJSON_AddBoolToObject(to, "verdict", row->ok);
  }
  return one;
}

static int print_json(const struct simulator *s, const struct verify_outcome *all, int count, int ok) {
  cJSON *root = json_begin(), *cases = cJSON_AddArrayToObject(root, "cases");
  cJSON_AddStringToObject(root, "version", program_version());
  cJSON_AddStringToObject(root, "build", s->build.text);
  cJSON_AddBoolToObject(root, "same_build", s->is_of_same_build);
  cJSON_AddStringToObject(root, "lab_build", program_build().text);
  cJSON_AddBoolToObject(root, "verdict", ok);
  for (int i = 0; i < count; i++)
    cJSON_AddItemToArray(cases, json_of(&all[i]));
  char *text = json_end(root);
  if (!text) {
    fprintf(stderr, "sagbend: out of memory\n");
    return -1;
  }
  puts(text);
  cJSON_free(text);
  return 0;
}

// Fills the outcomes with the cases to run.
static enum status choose(const struct verify_options *o, struct verify_outcome *all, int count,
                          struct reason *why) {
  for (int i = 0; i < count; i++) {
    all[i].c = o->cases.count ? verify_find(o->cases.text[i]) : verify_at(i);
    if (!all[i].c)
      return fail(why, STATUS_BAD_INPUT, "no case '%.100s'; see 'sagbend verify --list'", o->cases.text[i]);
  }
  return STATUS_OK;
}

static int run_all(const struct verify_options *o, struct verify_outcome *all) {
  char configs[PROGRAM_PATH];
  const struct simulator simulator = simulator_beside();
  const struct verify_builds builds = {verify_made_with, simulator.build.text, simulator.is_of_same_build};
  struct console console;
  struct reason why = {""};
  int count = o->cases.count ? o->cases.count : verify_count(), held = 0;
  enum status chosen = choose(o, all, count, &why);
  if (chosen == STATUS_OK)
    chosen = find_configs(o, configs, &why);
  if (chosen != STATUS_OK)
    return exit_with_reason("sagbend verify", chosen, &why);

  const struct verify_setup setup = {configs, o->attacks, o->extended, os_now_ns};
  if (o->report_path && verify_report_open(o->report_path))
    return EXIT_USAGE;
  console_init(&console);
  if (!o->json)
    print_simulator(&simulator);
  for (int i = 0; i < count; i++) {
    uint64_t begin_ns = os_now_ns();
    console_status(&console, "%d of %d: %s", i + 1, count, all[i].c->name);
    verify_run(all[i].c, &setup, &all[i].result);
    all[i].result.wall_s = 1e-9 * (double)(os_now_ns() - begin_ns);
    all[i].ok = verify_ok(&all[i].result);
    held += all[i].ok;
    console_status(&console, "%s", "");
    if (!o->json)
      print_outcome(&all[i]);
  }
  int status = held == count ? EXIT_DONE : EXIT_FAILED;
  if (o->json)
    status |= print_json(&simulator, all, count, held == count) ? EXIT_FAILED : EXIT_DONE;
  else
    printf("%d of %d cases hold\n", held, count);
  if (o->report_path)
    status |= verify_report_write(o->report_path, &builds, all, count) ? EXIT_FAILED : EXIT_DONE;
  return console_finish_stdout("sagbend verify", status);
}

static int verify(const struct verify_options *options) {
  if (options->list)
    return list_cases();
  if (options->markdown)
    return print_markdown();
  if (options->papers) {
    papers_print();
    return console_finish_stdout("sagbend verify", EXIT_DONE);
  }

  int room = verify_count() + MAX_OPTION_TEXTS;
  struct verify_outcome *all = calloc((size_t)room, sizeof *all);
  if (!all) {
    fprintf(stderr, "sagbend: out of memory\n");
    return EXIT_FAILED;
  }
  int exit_status = run_all(options, all);
  for (int i = 0; i < room; i++)
    verify_free(&all[i].result);
  free(all);
  return exit_status;
}

// The cases keep whole configurations on the stack.
static enum status check_stack(struct reason *why) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= LEAST_STACK)
    return STATUS_OK;
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur =
      limit.rlim_max == RLIM_INFINITY || limit.rlim_max > LEAST_STACK ? LEAST_STACK : limit.rlim_max;
  if (limit.rlim_cur >= LEAST_STACK && setrlimit(RLIMIT_STACK, &limit) == 0) // it grows up to the new limit
    return STATUS_OK;
  return fail(why, STATUS_BAD_INPUT, "a stack of at least %d kB expected, got %llu kB: 'ulimit -s %d'",
              LEAST_STACK >> 10, (unsigned long long)before >> 10, LEAST_STACK >> 10);
}

static int cmd_verify(int argc, char **argv) {
  struct verify_options options;
  struct reason why = {""};
  int exit_status;
  if (!command_begin(&COMMAND, argc, argv, &options, &exit_status))
    return exit_status;
  enum status status = check_stack(&why);
  return status == STATUS_OK ? verify(&options) : exit_with_reason("sagbend verify", status, &why);
}

static const struct command_entry COMMANDS[] = {{&COMMAND, cmd_verify}, {NULL, NULL}};
const struct cli_program verify_program = {
    .name = VERIFY_PROGRAM,
    .purpose = "Verification for sagbend, which hands this command over.",
    .statuses = "0 success; 1 a case failed, or the report could not be written; 2 wrong usage",
    .example = "sagbend-verify verify --case elastica",
    .commands = COMMANDS,
};
