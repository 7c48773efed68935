// sagbend run: prepare, run in a mode, judge, write the results, close. The phases are in src/run
// (run/run.h).
#include "app/commands.h"

#include "cli/exit_status.h"
#include "run/run.h"
#include "setup/notices.h"

#include "rt/os.h"

#include <stdio.h>
#include <stdlib.h>

static void say_notice(void *console, const char *text) {
  console_line(console, "notice: %s", text);
}

static void print_start(struct run *run) {
  const struct config *c = &run->setup.config;
  char to_go[48] = "until stopped";
  if (c->run.duration_s > 0)
    snprintf(to_go, sizeof to_go, "%g s to go", c->run.duration_s);
  console_line(&run->console, "%s: session %s, step %g s, %s", c->name, run->session_id, c->sim.step_s,
               to_go);
  setup_notices(c, say_notice, &run->console);
}

static int run_to_its_end(struct run *run) {
  print_start(run);
  run_in_mode(run);
  run_judge(run);
  enum status written = run_write_results(run);
  int exit_status = run->outcome.reason_count || written != STATUS_OK ? EXIT_FAILED : EXIT_DONE;
  return console_finish_stdout("sagbend", exit_status);
}

int cmd_run(const struct options *options) {
  if (options->ends_with_parent)
    os_end_with_parent();
  struct reason why = {""};
  struct run *run = malloc(sizeof *run);
  if (!run) {
    fprintf(stderr, "sagbend: out of memory\n");
    return EXIT_FAILED;
  }
  enum status status = run_prepare(run, options, &why);
  int exit_status = status == STATUS_OK ? run_to_its_end(run) : exit_with_reason("sagbend", status, &why);
  run_close(run);
  free(run);
  return exit_status;
}
