// sagbend verify: the cases of src/verify, a table of what they found, JSON, a report.
#include "app/commands.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/version.h"
#include "verify/report/cases.h"
#include "verify/report/verify_report.h"

#include "rt/os.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int list_cases(void) {
  for (int i = 0; i < verify_count(); i++)
    printf("%-22s %s\n", verify_at(i)->name, verify_at(i)->title);
  return console_finish_stdout("sagbend verify", EXIT_DONE);
}

static int has_cases(const char *folder) {
  char path[1100];
  struct stat s;
  snprintf(path, sizeof path, "%s/jlay-900m.yaml", folder);
  return stat(path, &s) == 0;
}

// The configurations: as given, in this folder, or beside the folder that holds the program.
static int find_configs(const struct options *o, char *folder, size_t size) {
  char program[900];
  if (o->configs_path) {
    snprintf(folder, size, "%s", o->configs_path);
  } else {
    snprintf(folder, size, "configs");
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    char *slash;
    program[length > 0 ? length : 0] = 0;
    if (!has_cases(folder) && (slash = strrchr(program, '/'))) {
      *slash = 0;
      snprintf(folder, size, "%s/../configs", program);
    }
  }
  if (has_cases(folder))
    return -1;
  fprintf(stderr,
          "sagbend verify: no jlay-900m.yaml in %s; the folder of the shipped configurations is expected: "
          "--configs DIR\n",
          folder);
  return EXIT_USAGE;
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

static int print_json(const struct verify_outcome *all, int count, int ok) {
  cJSON *root = cJSON_CreateObject(), *cases = cJSON_AddArrayToObject(root, "cases");
  cJSON_AddStringToObject(root, "version", program_version());
  cJSON_AddStringToObject(root, "build", program_build().text);
  cJSON_AddBoolToObject(root, "verdict", ok);
  for (int i = 0; i < count; i++)
    cJSON_AddItemToArray(cases, json_of(&all[i]));
  char *text = cJSON_Print(root);
  cJSON_Delete(root);
  if (!text) {
    fprintf(stderr, "sagbend: out of memory\n");
    return -1;
  }
  puts(text);
  cJSON_free(text);
  return 0;
}

// Fills the outcomes with what was asked for; the number, or -1 after a line on stderr.
static int choose(const struct options *o, struct verify_outcome *all) {
  int count = o->case_count ? o->case_count : verify_count();
  for (int i = 0; i < count; i++) {
    all[i].c = o->case_count ? verify_find(o->cases[i]) : verify_at(i);
    if (!all[i].c) {
      fprintf(stderr, "sagbend verify: no case '%s'; see 'sagbend verify --list'\n", o->cases[i]);
      return -1;
    }
  }
  return count;
}

static int run_all(const struct options *o, struct verify_outcome *all) {
  char configs[1024];
  struct console console;
  int count = choose(o, all), status = find_configs(o, configs, sizeof configs), held = 0;
  const struct verify_setup setup = {configs, (int)o->attacks, o->extended, os_now_ns};
  if (count < 0)
    return EXIT_USAGE;
  if (status >= 0)
    return status;
  if (o->report_path && verify_report_open(o->report_path))
    return EXIT_USAGE;
  console_init(&console);
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
  status = held == count ? EXIT_DONE : EXIT_FAILED;
  if (o->json)
    status |= print_json(all, count, held == count) ? EXIT_FAILED : EXIT_DONE;
  else
    printf("%d of %d cases hold\n", held, count);
  if (o->report_path)
    status |= verify_report_write(o->report_path, all, count) ? EXIT_FAILED : EXIT_DONE;
  return console_finish_stdout("sagbend verify", status);
}

int cmd_verify(int argc, char **argv) {
  struct options options;
  int status = options_read(COMMAND_VERIFY, argc, argv, &options);
  if (status < 0 && options.list)
    status = list_cases();
  if (status < 0) {
    struct verify_outcome *all = calloc((size_t)(verify_count() + MAX_CASES), sizeof *all);
    if (all)
      status = run_all(&options, all);
    else
      fprintf(stderr, "sagbend: out of memory\n"), status = EXIT_FAILED;
    for (int i = 0; all && i < verify_count() + MAX_CASES; i++)
      verify_free(&all[i].result);
    free(all);
  }
  options_free(&options);
  return status;
}
