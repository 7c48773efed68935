// sagbend sweep: the points of a plan (src/sweep).
#include "app/commands.h"
#include "cli/console.h"
#include "cli/exit_status.h"
#include "sweep/sweep.h"

int cmd_sweep(const struct options *o) {
  struct reason why = {""};
  int actions = (o->list != 0) + (o->point > 0) + (o->collect_folder != NULL);
  const char *folder = o->collect_folder ? o->collect_folder : o->output_folder;
  enum status status = STATUS_OK;
  if (actions > 1 || (o->collect_folder && o->output_folder))
    status = fail(&why, STATUS_BAD_INPUT,
                  "at most one of --list, --point and --collect expected, and --out "
                  "not beside --collect; see 'sagbend sweep --help'");
  const struct sweep_options options = {.plan = o->config_path,
                                        .folder = folder,
                                        .action = o->list             ? SWEEP_LIST
                                                  : o->point > 0      ? SWEEP_POINT
                                                  : o->collect_folder ? SWEEP_COLLECT
                                                                      : SWEEP_RUN,
                                        .point = (int)o->point,
                                        .jobs = (int)o->jobs};
  if (status == STATUS_OK)
    status = sweep(&options, &why);
  return console_finish_stdout("sagbend sweep", exit_with_reason("sagbend sweep", status, &why));
}
