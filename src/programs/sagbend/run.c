// sagbend run: prepare, run in a mode, judge, write the results, close. The phases are in src/run/host
// (run/host/host.h).
#include "programs/sagbend/sagbend_program.h"

#include "log/log/log.h"
#include "os/cli/cli.h"
#include "os/files/files.h"
#include "os/process/process.h"
#include "run/host/host.h"
#include "run/serve/serve.h"
#include "run/setup/setup.h"
#include "run/start/start.h"
#include "sagbend/base/base.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void say_notice(void *console, const char *text) {
  console_line(console, "notice: %s", text);
}

static void print_start(struct host *host) {
  const struct config *c = &host->setup.config;
  char to_go[48] = "until stopped";
  if (c->run.duration_s > 0)
    snprintf(to_go, sizeof to_go, "%g s to go", c->run.duration_s);
  console_line(&host->outlets.console, "%s: session %s, step %g s, %s", c->name, host->session->id,
               c->sim.step_s, to_go);
  setup_notices(c, say_notice, &host->outlets.console);
}

static void say_finding(void *console, const char *line) {
  console_line(console, "%s", line);
}

static void print_finding(void *context, const char *line) {
  (void)context;
  fprintf(stderr, "%s\n", shown(line).text);
}

static int run_to_its_end(struct host *host) {
  print_start(host);
  plausible_check(&host->setup, &host->options->given, host->session->engine.plant.sim, say_finding,
                  &host->outlets.console);
  host_run(host);
  host_judge(host);
  enum status written = host_write_results(host);
  int exit_status = host->session->outcome.reason_count || written != STATUS_OK ? EXIT_FAILED : EXIT_DONE;
  return console_finish_stdout("sagbend", exit_status);
}

static int run_session(const struct run_options *options) {
  struct reason why = {""};
  if (options->ready_descriptor && ready_check(options->ready_descriptor, &why) != STATUS_OK)
    return exit_with_reason("sagbend", STATUS_BAD_INPUT, &why);
  if (options->ends_with_parent)
    os_end_with_parent();
  struct host *host = calloc(1, sizeof *host);
  if (!host) {
    fprintf(stderr, "sagbend: out of memory\n");
    return EXIT_FAILED;
  }
  enum status status = host_prepare(host, options, &why);
  host_say_ready(host, status == STATUS_OK ? NULL : &why);
  if (status != STATUS_OK && host->setup.config.text &&
      !(host->session && host->session->engine.plant.sim)) // the cause may be a number that is off
    plausible_check(&host->setup, &options->given, NULL, print_finding, NULL);
  int exit_status = status == STATUS_OK ? run_to_its_end(host) : exit_with_reason("sagbend", status, &why);
  host_close(host);
  free(host);
  return exit_status;
}

static int cmd_run(int argc, char **argv) {
  struct run_options options;
  int exit_status;
  if (!command_begin(&run_command, argc, argv, &options, &exit_status))
    return exit_status;
  exit_status = run_session(&options);
  case_options_free(&options.given);
  return exit_status;
}

// ------------------------------------------------------------
// sagbend serve: a session manager (src/run/serve).

static int cmd_serve(int argc, char **argv) {
  struct serve_options options;
  struct reason why = {""};
  int exit_status;
  if (!command_begin(&serve_command, argc, argv, &options, &exit_status))
    return exit_status;
  if (!options.endpoint)
    options.endpoint = "tcp://127.0.0.1:47702";
  if (!(options.grace_s > 0))
    options.grace_s = 20;
  return exit_with_reason("sagbend serve", serve(&options, &why), &why);
}

// ------------------------------------------------------------
// sagbend start: a simulator with its controller and view (src/run/start).

static int cmd_start(int argc, char **argv) {
  struct start_options options;
  int exit_status;
  if (!command_begin(&start_command, argc, argv, &options, &exit_status))
    return exit_status;
  exit_status = start(&options);
  case_options_free(&options.given);
  return exit_status;
}

// ------------------------------------------------------------
// A command of another program beside this one: that program takes the place of this one, with the same
// arguments, streams and terminal.

static int hand_over(const char *program, int argc, char **argv) {
  char path[PROGRAM_PATH];
  struct reason why = {""};
  char **arguments = calloc((size_t)argc + 2, sizeof *arguments);
  enum status status =
      arguments ? program_beside(program, path, &why) : fail(&why, STATUS_NO_MEMORY, "out of memory");
  if (arguments && status == STATUS_OK) {
    arguments[0] = path;
    memcpy(arguments + 1, argv, (size_t)argc * sizeof *arguments);
    execv(path, arguments);
    status = fail(&why, STATUS_BAD_INPUT, "this command needs the program %s beside this one: %.160s: %s",
                  program, path, strerror(errno));
  }
  free(arguments);
  char who[64];
  snprintf(who, sizeof who, "sagbend %s", argv[0]);
  return exit_with_reason(who, status, &why);
}

// hands over to sagbend-lab
static int cmd_of_lab(int argc, char **argv) {
  return hand_over(LAB_PROGRAM, argc, argv);
}

// hands over to sagbend-verify
static int cmd_of_verify(int argc, char **argv) {
  return hand_over(VERIFY_PROGRAM, argc, argv);
}

// ------------------------------------------------------------
// The list of the commands.

static int cmd_keygen(int argc, char **argv);

static const struct command_entry COMMANDS[] = {
    {&run_command, cmd_run},
    {&start_command, cmd_start},
    {&statics_command, cmd_statics},
    {&check_command, cmd_check},
    {&replay_command, cmd_replay},
    {&log_command, cmd_log},
    {&keygen_command, cmd_keygen},
    {&ctl_command, cmd_ctl},
    {&serve_command, cmd_serve},
    {&schema_command, cmd_schema},
    {&outputs_command, cmd_outputs},
    {&fmu_command, cmd_fmu},
    {&modbus_map_command, cmd_modbus_map},
#define VERIFY_COMMAND(word, what)                                                                           \
  {&(const struct cli_command){.name = #word, .purpose = what}, cmd_of_verify},
    VERIFY_COMMAND_TABLE(VERIFY_COMMAND)
#undef VERIFY_COMMAND
#define LAB_COMMAND(word, what) {&(const struct cli_command){.name = #word, .purpose = what}, cmd_of_lab},
        LAB_COMMAND_TABLE(LAB_COMMAND)
#undef LAB_COMMAND
            {NULL, NULL},
};

const struct cli_program sagbend_program = {
    .name = "sagbend",
    .purpose = "Simulator of a pipelay vessel and its pipe, for a DP controller in the loop.",
    .statuses = "0 success; 1 the run failed or a difference was found; 2 wrong usage or input; 3 (replay "
                "--verify) equal as far as the log goes, but the log is incomplete",
    .example = "sagbend run configs/jlay-900m.yaml --duration 120 --summary summary.json",
    .commands = COMMANDS,
};

// ------------------------------------------------------------
// sagbend keygen: makes a pair of keys: one by which a program is known on the network, or one that signs
// logs.

struct keygen_options {
  const char *path, *log_path, *role, *name; // NULL: not given
};

static const struct option_row OPTIONS[] = {
    {"log", "FILE", "Write a key pair for signing logs: the secret key to FILE, the public key to FILE.pub.",
     TEXT(struct keygen_options, log_path)},
    {"role", "ROLE",
     "Write a key pair for the network: the secret key to FILE, the public part to FILE.pub. ROLE: "
     "controller, operator, observer or server.",
     TEXT(struct keygen_options, role)},
    {"name", "NAME",
     "With --role: name of the key in messages and in the list of admitted keys. Default: the name of FILE "
     "without its extension.",
     TEXT(struct keygen_options, name)},
    HELP_OPTION,
};

const struct cli_command keygen_command = {
    .name = "keygen",
    .arguments = "[FILE]",
    .purpose = "Generate a key pair: with --role one that identifies a program on the network "
               "(docs/security.md), with --log one that signs logs.",
    .example = "sagbend keygen --role controller dp-1.key",
    .statuses =
        "0 both files written; 1 a file could not be written; 2 wrong usage, or a file exists already",
    .options = OPTIONS,
    .size = sizeof(struct keygen_options),
    .words = {WORD(OPTIONAL_FILE, struct keygen_options, path)},
};

static enum status make_log_key(const char *path, struct reason *why) {
  struct log_public_key key;
  char text[LOG_KEY_TEXT];
  enum status status = log_key_make(path, &key, why);
  if (status != STATUS_OK)
    return status;

  log_key_text(&key, text);
  printf("%-14s %s: keep it private; 'sagbend run --log FILE --log-key %s' signs with it\n", "secret key",
         shown(path).text, shown(path).text);
  printf("%-14s %s.pub: give it to everyone who checks logs\n", "public key", shown(path).text);
  printf("%-14s %s\n", "", text);
  return STATUS_OK;
}

// The name of the file without folder and extension.
static void take_file_name(const char *path, char out[PEER_KEY_NAME]) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  const char *dot = strrchr(name, '.');
  size_t length = dot && dot > name ? (size_t)(dot - name) : strlen(name);
  snprintf(out, PEER_KEY_NAME, "%.*s", (int)length, length < PEER_KEY_NAME ? name : "");
}

static enum status make_peer_key(const struct keygen_options *options, struct reason *why) {
  const char *path = options->path;
  char name[PEER_KEY_NAME];
  struct peer_key key;
  int role = peer_role_find(options->role);
  if (role < 0)
    return fail(why, STATUS_BAD_INPUT,
                "--role: controller, operator, observer or server expected, got '%.40s'", options->role);
  take_file_name(path, name);
  const char *given = options->name ? options->name : name;
  if (!peer_key_name_is_valid(given))
    return fail(why, STATUS_BAD_INPUT,
                "--name: 1 to %d letters, digits, '.', '_' or '-' expected, got '%.60s'", PEER_KEY_NAME - 1,
                given);
  enum status status = peer_key_make(path, (enum peer_role)role, given, &key, why);
  if (status != STATUS_OK)
    return status;

  printf("%-14s %s: keep it private\n", "secret key", shown(path).text);
  if (role == ROLE_SERVER)
    printf("%-14s %s.pub: give it to everyone who connects, for --server-key\n", "public key",
           shown(path).text);
  else
    printf("%-14s %s.pub: add its line to the file of network.admitted_keys\n", "public key",
           shown(path).text);
  printf("%-14s %s\n", "", peer_key_text(&key).text);
  return STATUS_OK;
}

static int make_keys(const struct keygen_options *options) {
  struct reason why = {""};
  int for_log = options->log_path != NULL, for_network = options->role && options->path;
  int mixed = for_log && (options->role || options->name || options->path);
  enum status status;
  if (mixed || (!for_log && !for_network))
    status = fail(&why, STATUS_BAD_INPUT,
                  "one of --role ROLE FILE and --log FILE expected; see 'sagbend keygen --help'");
  else
    status = for_log ? make_log_key(options->log_path, &why) : make_peer_key(options, &why);
  if (status != STATUS_OK)
    return exit_with_reason("sagbend keygen", status, &why);
  return fflush(stdout) ? EXIT_FAILED : EXIT_DONE;
}

static int cmd_keygen(int argc, char **argv) {
  struct keygen_options options;
  int exit_status;
  return command_begin(&keygen_command, argc, argv, &options, &exit_status) ? make_keys(&options)
                                                                            : exit_status;
}
