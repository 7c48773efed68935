#include "run/start/start.h"
#include "run/start/start_internal.h"

#include "net/case/case.h"
#include "os/cli/cli.h"
#include "os/files/files.h"
#include "os/process/process.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TURN_MS = 100 };
static const double END_S = 20, LEAVE_S = 5; // until a simulator, and another that is to end, is killed

enum part_of_station { SIMULATOR, CONTROLLER, VIEW, PARTS };

struct part {
  const char *name; // for people
  struct process process;
  uint64_t asked_ns; // when it was asked to end; 0: never
  uint64_t ended_ns; // 0: it runs, or has not begun
  int wait_status;   // once it has ended
};

struct station {
  const struct start_options *options;
  const struct start_plan *plan;
  struct part part[PARTS];
  int is_running;  // the simulator has reported that it is ready
  int exit_status; // of the first that failed; 0: none
  int signals;     // signals that asked for the end
  int is_terminal;
};

static double seconds_since(uint64_t moment_ns) {
  return 1e-9 * (double)(os_now_ns() - moment_ns);
}

static void print(const struct station *s, const char *line) {
  fprintf(stderr, "%s%s\n", s->is_terminal ? "\r\033[K" : "",
          line); // the simulator's status line stands there
}

static void ask_to_end(struct part *part) {
  if (!part->process.id || part->asked_ns)
    return;
  part->asked_ns = os_now_ns();
  process_signal(&part->process, SIGTERM);
  process_signal(&part->process, SIGCONT); // a suspended one would not notice
}

static void end_all(struct station *s, int exit_status) {
  if (!s->exit_status)
    s->exit_status = exit_status;
  ask_to_end(&s->part[SIMULATOR]);
}

// ---- beginning ----

static enum status begin(struct part *part, const char *name, const struct process_start *start,
                         struct reason *why) {
  part->name = name;
  return process_start(&part->process, start, why) == STATUS_OK ? STATUS_OK : STATUS_BAD_INPUT;
}

static enum status begin_beside(struct part *part, const char *name, char **arguments, struct reason *why) {
  char program[PROGRAM_PATH];
  if (program_beside(name, program, why) != STATUS_OK)
    return STATUS_IO;
  const struct process_start start = {
      .program = program, .arguments = arguments, .is_apart = 1, .is_heard = 1, .is_overheard = 1};
  return begin(part, name, &start, why);
}

static enum status command_split(const char *text, const struct ready *ready, struct command_words *out,
                                 struct reason *why);
static int command_is_fmu(const char *word);

static enum status begin_controller(struct station *s, const struct ready *ready, struct reason *why) {
  struct command_words words;
  if (!s->plan->has_controller)
    return STATUS_OK;
  if (!s->options->controller) {
    char *arguments[] = {(char *)"sagbend-dp",
                         (char *)s->plan->dp_file,
                         (char *)"--connect",
                         (char *)ready->commands,
                         *ready->commands_b ? (char *)"--connect" : NULL,
                         (char *)ready->commands_b,
                         NULL};
    return begin_beside(&s->part[CONTROLLER], "sagbend-dp", arguments, why);
  }
  enum status status = command_split(s->options->controller, ready, &words, why);
  if (status != STATUS_OK)
    return status;
  if (command_is_fmu(words.word[0])) { // with a map, or without
    char *arguments[] = {(char *)"sagbend-fmu", (char *)ready->commands, words.word[0], words.word[1], NULL};
    return begin_beside(&s->part[CONTROLLER], "sagbend-fmu", arguments, why);
  }
  const struct process_start start = {.program = words.word[0],
                                      .arguments = words.word,
                                      .is_apart = 1,
                                      .is_heard = 1,
                                      .is_overheard = 1,
                                      .is_kept = 1};
  return begin(&s->part[CONTROLLER], "the controller", &start, why);
}

static enum status begin_view(struct station *s, const struct ready *ready, struct reason *why) {
  char *arguments[MOST_ARGUMENTS] = {(char *)"sagbend-view", (char *)"--connect", (char *)ready->telemetry,
                                     (char *)"--config", (char *)s->options->given.config_path};
  int count = 5;
  if (!s->options->has_view)
    return STATUS_OK;
  for (int i = 0; i < s->options->given.override_count; i++) {
    arguments[count++] = (char *)"--set";
    arguments[count++] = s->options->given.overrides[i];
  }
  if (s->options->listen) {
    arguments[count++] = (char *)"--listen";
    arguments[count++] = (char *)s->options->listen;
  }
  if (s->options->operates) {
    arguments[count++] = (char *)"--operate";
    arguments[count++] = (char *)ready->commands;
  }
  return begin_beside(&s->part[VIEW], "sagbend-view", arguments, why);
}

// The simulator's line: where its sockets are. Those that follow name further sessions of it.
static void take_ready(struct station *s, const char *line) {
  struct ready ready;
  struct reason why = {""};
  if (s->is_running)
    return;
  enum status status = ready_read(line, &ready, &why);
  if (status == STATUS_OK && *ready.error)
    return; // it has printed why, and ends
  s->is_running = status == STATUS_OK;
  if (status == STATUS_OK)
    status = begin_view(s, &ready, &why);
  if (status == STATUS_OK)
    status = begin_controller(s, &ready, &why);
  if (status != STATUS_OK)
    end_all(s, exit_with_reason("sagbend start", status, &why));
}

// ---- while it runs ----

static void hear(struct station *s) {
  const char *line;
  while ((line = process_hear(&s->part[SIMULATOR].process)))
    take_ready(s, line);
  for (int i = CONTROLLER; i < PARTS; i++)
    while ((line = process_hear(&s->part[i].process)))
      print(s, line);
}

static int status_of(int wait_status) {
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1;
}

static void report_end(struct station *s, const struct part *part) {
  char line[160], how[80];
  if (WIFSIGNALED(part->wait_status))
    snprintf(how, sizeof how, "by signal %d", WTERMSIG(part->wait_status));
  else
    snprintf(how, sizeof how, "with exit status %d", status_of(part->wait_status));
  snprintf(line, sizeof line, "sagbend start: %s ended %s; all end", part->name, how);
  print(s, line);
}

// A controller that ends in order may have heard of the end of the session before this process does.
static void judge_end(struct station *s, struct part *part) {
  const struct part *simulator = &s->part[SIMULATOR];
  int is_in_order = part == &s->part[CONTROLLER] && status_of(part->wait_status) == 0;
  if (part->asked_ns || simulator->asked_ns || !simulator->process.id ||
      (is_in_order && seconds_since(part->ended_ns) < LEAVE_S))
    return;
  report_end(s, part);
  end_all(s, status_of(part->wait_status) == EXIT_USAGE ? EXIT_USAGE : EXIT_FAILED);
}

static void watch(struct station *s, struct part *part) {
  if (part->process.id && process_has_ended(&part->process, &part->wait_status))
    part->ended_ns = os_now_ns();
  if (part != &s->part[SIMULATOR] && part->ended_ns)
    judge_end(s, part);
  if (part->process.id && part->asked_ns &&
      seconds_since(part->asked_ns) > (part == &s->part[SIMULATOR] ? END_S : LEAVE_S)) {
    char line[120];
    snprintf(line, sizeof line, "sagbend start: %s does not end: killed", part->name);
    print(s, line);
    process_signal(&part->process, SIGKILL);
    part->asked_ns = os_now_ns();
    s->exit_status = s->exit_status ? s->exit_status : EXIT_FAILED;
  }
}

// The first signal ends the session in order, the second at once.
static void take_signals(struct station *s) {
  if (!os_stop_requested())
    return;
  for (int i = 0; s->signals && i < PARTS; i++)
    process_signal(&s->part[i].process, SIGKILL);
  end_all(s, s->signals ? EXIT_FAILED : EXIT_DONE);
  s->signals++;
}

static void turn(struct station *s) {
  struct pollfd items[PARTS];
  for (int i = 0; i < PARTS; i++)
    items[i] =
        (struct pollfd){.fd = s->part[i].process.voice ? s->part[i].process.voice : -1, .events = POLLIN};
  poll(items, PARTS, TURN_MS);
  hear(s);
  for (int i = 0; i < PARTS; i++)
    watch(s, &s->part[i]);
  hear(s);
  take_signals(s);
}

// ---- the end ----

// At a terminal the page stays when a session has ended by itself: its results can be read until Ctrl-C.
static void keep_page(struct station *s) {
  if (!s->is_terminal || !s->is_running || s->signals || s->exit_status ||
      WIFSIGNALED(s->part[SIMULATOR].wait_status) || !s->part[VIEW].process.id)
    return;
  print(s, "sagbend start: the session has ended; its page stays until Ctrl-C");
  while (s->part[VIEW].process.id && !s->signals) {
    turn(s);
    if (seconds_since(s->part[SIMULATOR].ended_ns) > 1)
      ask_to_end(&s->part[CONTROLLER]);
  }
}

// After the simulator: the view is asked at once; the controller, which knows of the end, a little
// later.
static void end_others(struct station *s) {
  ask_to_end(&s->part[VIEW]);
  while (s->part[CONTROLLER].process.id || s->part[VIEW].process.id) {
    turn(s);
    if (seconds_since(s->part[SIMULATOR].ended_ns) > 1 || !s->is_running)
      ask_to_end(&s->part[CONTROLLER]);
  }
  for (int i = 0; i < PARTS; i++)
    process_forget(&s->part[i].process);
}

static int exit_of(struct station *s) {
  struct part *simulator = &s->part[SIMULATOR];
  if (s->exit_status)
    return s->exit_status;
  if (!WIFSIGNALED(simulator->wait_status))
    return status_of(simulator->wait_status);
  if (!s->signals)
    report_end(s, simulator);
  return EXIT_FAILED;
}

static enum status start_plan_make(const struct start_options *o, struct start_plan *plan,
                                   struct reason *why);

int start(const struct start_options *options) {
  struct start_plan plan;
  struct station s = {.options = options, .plan = &plan, .is_terminal = isatty(STDERR_FILENO)};
  struct reason why = {""};
  enum status status = start_plan_make(options, &plan, &why);
  if (status != STATUS_OK)
    return exit_with_reason("sagbend start", status, &why);
  os_block_stop_signals();
  os_lead_processes();
  const struct process_start run = {.arguments = plan.simulator, .is_apart = 1, .is_heard = 1};
  status = begin(&s.part[SIMULATOR], "the simulator", &run, &why);
  if (status != STATUS_OK)
    return exit_with_reason("sagbend start", status, &why);
  while (s.part[SIMULATOR].process.id)
    turn(&s);
  keep_page(&s);
  end_others(&s);
  return exit_of(&s);
}

// ------------------------------------------------------------
static const struct option_row OPTIONS[] = {
    {"controller", "COMMAND",
     "Controller to start, in place of sagbend-dp with the DP file of the case (controller.dp_file). "
     "{endpoint} stands for the endpoint of its commands, {modbus}, {nmea_in}, {nmea_out} for places of "
     "field "
     "buses. No shell reads it; quotes keep words together.",
     TEXT(struct start_options, controller)},
    {"view", NULL, "Start sagbend-view as well, which prints the address of its page.",
     FLAG(struct start_options, has_view)},
    {"operate", NULL, "Let an operator enter the page, with the token that sagbend-view prints.",
     FLAG(struct start_options, operates)},
    {"listen", "HOST:PORT", "Where sagbend-view listens. Default: 127.0.0.1:8765.",
     TEXT(struct start_options, listen)},
    {"duration", "S", "Simulated time in seconds. Default: until stopped, whatever the case says.",
     TEXT(struct start_options, duration)},
    {"bind-command", "ENDPOINT", "Endpoint to which the controller connects. Default: as the case says.",
     KEY(struct start_options, given, "network.command_endpoint")},
    {"bind-telemetry", "ENDPOINT", "Endpoint of the telemetry. Default: as the case says.",
     KEY(struct start_options, given, "network.telemetry_endpoint")},
    {"bind-command-b", "ENDPOINT",
     "Endpoint of network B to which the controller connects as well. Default: as the case says.",
     KEY(struct start_options, given, "network.command_endpoint_b")},
    {"bind-telemetry-b", "ENDPOINT", "Endpoint of the telemetry by network B. Default: as the case says.",
     KEY(struct start_options, given, "network.telemetry_endpoint_b")},
    {"log", "FILE.mcap", "Write the session log, for replay, export and plots.",
     FILE_NAME(struct start_options, log, FILE_LOGGED)},
    {"log-dir", "DIR", "Write the session log to a file in DIR named after start time and session.",
     TEXT(struct start_options, log_folder)},
    SET_OPTION(struct start_options, given),
    HELP_OPTION,
};

const struct cli_command start_command = {
    .name = "start",
    .arguments = "CONFIG",
    .purpose = "Start a simulator, its controller and the live view together, and end them together.",
    .example = "sagbend start configs/osv-83m-instruments.yaml --view",
    .statuses =
        "0 the run ended and every verdict passed; 1 the run, a verdict, the controller or the view "
        "failed, or a port of the simulator is in use; 2 wrong usage or configuration, or a program that "
        "cannot be started",
    .options = OPTIONS,
    .size = sizeof(struct start_options),
    .words = {WORD(FILE_WORD, struct start_options, given.config_path)},
};

// ------------------------------------------------------------
// Copies the word that begins at *at, as far as there is room. Returns its size with its zero; 0: it has no
// end, or no room.
static size_t take_word(const char **at, const struct ready *ready, char *out, size_t room) {
  size_t size = 0;
  char quote = '\0';
  for (; **at && (quote || (**at != ' ' && **at != '\t')); ++*at) {
    const struct ready_mark mark = **at == '{' ? ready_mark_at(*at, ready) : (struct ready_mark){.size = 0};
    const size_t length = strlen(mark.text);
    if (size + length + 2 > room)
      return 0;
    if (quote ? **at == quote : **at == '\'' || **at == '"') {
      quote = quote ? '\0' : **at;
    } else if (mark.size) {
      memcpy(out + size, mark.text, length);
      size += length;
      *at += mark.size - 1;
    } else {
      out[size++] = **at;
    }
  }
  out[size++] = '\0';
  return quote ? 0 : size;
}

// Splits text at blanks; '...' and "..." keep blanks. Each mark such as {endpoint} (ready_mark_at) becomes
// its place; ready NULL: nothing, to check the form. STATUS_BAD_INPUT: no word, a quote without its end, more
// than COMMAND_WORDS words or COMMAND_TEXT characters, a place that the session does not have.
static enum status command_split(const char *text, const struct ready *ready, struct command_words *out,
                                 struct reason *why) {
  static const struct ready nothing;
  size_t used = 0;
  int count = 0, any = 0;
  const char *where = text;
  const struct ready_mark missing =
      ready ? ready_mark_missing(text, ready, &any, &where) : (struct ready_mark){.size = 0};
  if (missing.size)
    return fail(why, STATUS_BAD_INPUT, "--controller: %.*s: the case has no such place", (int)missing.size,
                where);
  for (const char *at = text + strspn(text, " \t"); *at; at += strspn(at, " \t")) {
    size_t size = count < COMMAND_WORDS
                      ? take_word(&at, ready ? ready : &nothing, out->text + used, sizeof out->text - used)
                      : 0;
    if (!size)
      return fail(why, STATUS_BAD_INPUT,
                  "--controller: at most %d words and %d characters, with an end to each quote, expected, "
                  "got '%.120s'",
                  COMMAND_WORDS, COMMAND_TEXT, text);
    out->word[count++] = out->text + used;
    used += size;
  }
  out->word[count] = NULL;
  return count ? STATUS_OK
               : fail(why, STATUS_BAD_INPUT, "--controller: a command expected, got '%.20s'", text);
}

// Whether the word names an FMU, which sagbend-fmu runs as the controller.
static int command_is_fmu(const char *word) {
  const size_t size = strlen(word);
  return size > 4 && !strcmp(word + size - 4, ".fmu");
}

// Whether a program of this name can be run: a path, or a name that PATH leads to.
static int command_is_found(const char *program) {
  char path[COMMAND_TEXT];
  const char *folders = getenv("PATH");
  if (strchr(program, '/') || !folders)
    return access(program, X_OK) == 0;
  for (const char *at = folders;; at++) {
    size_t size = strcspn(at, ":");
    int length = snprintf(path, sizeof path, "%.*s%s%s", (int)size, at, size ? "/" : "", program);
    if (length < (int)sizeof path && access(path, X_OK) == 0)
      return 1;
    at += size;
    if (!*at)
      return 0;
  }
}

// ------------------------------------------------------------
// The arguments of sagbend run.
static void list_arguments(const struct start_options *o, struct start_plan *plan) {
  int count = 0;
  plan->simulator[count++] = (char *)"sagbend";
  plan->simulator[count++] = (char *)"run";
  plan->simulator[count++] = (char *)o->given.config_path;
  for (int i = 0; i < o->given.override_count; i++) {
    plan->simulator[count++] = (char *)"--set";
    plan->simulator[count++] = o->given.overrides[i];
  }
  plan->simulator[count++] = (char *)"--duration";
  plan->simulator[count++] = (char *)(o->duration ? o->duration : "0");
  if (o->log) {
    plan->simulator[count++] = (char *)"--log";
    plan->simulator[count++] = (char *)o->log;
  }
  if (o->log_folder) {
    plan->simulator[count++] = (char *)"--log-dir";
    plan->simulator[count++] = (char *)o->log_folder;
  }
  plan->simulator[count++] = (char *)"--end-with-parent";
  plan->simulator[count++] = (char *)"--ready-fd";
  plan->simulator[count++] = (char *)PROCESS_VOICE_TEXT;
  plan->simulator[count] = NULL;
}

static enum status check_case(const struct start_options *o, const struct config *c, struct start_plan *plan,
                              struct reason *why) {
  const char *path = o->given.config_path;
  int is_external = c->sim.controller == CONTROLLER_EXTERNAL;
  if (c->run.mode == RUN_FAST)
    return fail(
        why, STATUS_BAD_INPUT,
        "%.120s: simulation.mode realtime or lockstep expected, got fast, which has no sockets: 'sagbend "
        "run' runs it, or add --set simulation.mode=realtime",
        path);
  if (*c->net.server_key_file)
    return fail(why, STATUS_BAD_INPUT,
                "%.120s: network.server_key is not allowed with 'sagbend start': start 'sagbend run', "
                "sagbend-dp and sagbend-view by themselves, each with its key",
                path);
  if (o->controller && !is_external)
    return fail(why, STATUS_BAD_INPUT,
                "%.120s: --controller needs controller.kind external: this case has its controller inside",
                path);
  plan->has_controller = is_external;
  if (!is_external || o->controller)
    return STATUS_OK;
  snprintf(plan->dp_file, sizeof plan->dp_file, "%s", c->dp_file);
  return *c->dp_file ? STATUS_OK
                     : fail(why, STATUS_BAD_INPUT,
                            "%.120s needs controller.dp_file, the DP file of the case, or --controller "
                            "\"COMMAND {endpoint}\"",
                            path);
}

static enum status check_command(const char *command, struct reason *why) {
  struct command_words words = {.word[0] = NULL};
  enum status status = command_split(command, NULL, &words, why);
  if (status == STATUS_OK && command_is_fmu(words.word[0]))
    return access(words.word[0], R_OK) == 0
               ? STATUS_OK
               : fail(why, STATUS_BAD_INPUT, "--controller: %.160s: a readable FMU expected", words.word[0]);
  if (status == STATUS_OK && !command_is_found(words.word[0]))
    return fail(why, STATUS_BAD_INPUT, "--controller: no program '%.120s' is found", words.word[0]);
  return status;
}

// Reads the case and checks what the plan needs. STATUS_BAD_INPUT: not valid; an empty reason was reported.
static enum status start_plan_make(const struct start_options *o, struct start_plan *plan,
                                   struct reason *why) {
  struct config *config = calloc(1, sizeof *config);
  *plan = (struct start_plan){0};
  if (!config)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the case");
  enum status status =
      (o->listen || o->operates) && !o->has_view
          ? fail(why, STATUS_BAD_INPUT, "%s needs --view", o->listen ? "--listen" : "--operate")
          : config_load(o->given.config_path, (const char *const *)o->given.overrides,
                        o->given.override_count, config, stderr);
  if (status == STATUS_OK) {
    status = check_case(o, config, plan, why);
    config_free(config);
  }
  free(config);
  if (status == STATUS_OK && o->controller)
    status = check_command(o->controller, why);
  list_arguments(o, plan);
  return status;
}
