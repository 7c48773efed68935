// sagbend run: prepare, run in a mode, judge, write the results, close. The phases are in src/host
// (run/host/host.h).
#include "programs/sagbend/sagbend_program.h"

#include "os/cli/exit_status.h"
#include "sagbend/base/shown_text.h"
#include "run/host/host.h"
#include "os/files/ready.h"
#include "run/setup/notices.h"
#include "run/setup/plausible.h"

#include "os/process/process.h"

#include <stdio.h>
#include <stdlib.h>

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
  struct host *host = malloc(sizeof *host);
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

int cmd_run(int argc, char **argv) {
  struct run_options options;
  int exit_status;
  if (!command_begin(&run_command, argc, argv, &options, &exit_status))
    return exit_status;
  exit_status = run_session(&options);
  case_options_free(&options.given);
  return exit_status;
}
