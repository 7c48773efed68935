// sagbend rao: motions in regular waves beside the linear answer (src/rao).
#include "app/commands.h"
#include "cli/console.h"
#include "cli/exit_status.h"
#include "sweep/rao.h"

int cmd_rao(const struct options *o) {
  struct reason why = {""};
  int actions = (o->list != 0) + (o->point > 0) + (o->collect_folder != NULL);
  enum status status = STATUS_OK;
  if (actions > 1 || (o->collect_folder && o->output_folder))
    status = fail(&why, STATUS_BAD_INPUT,
                  "at most one of --list, --point and --collect expected, and --out "
                  "not beside --collect; see 'sagbend rao --help'");
  const struct rao_options options = {.case_path = o->config_path,
                                      .overrides = o->overrides,
                                      .override_count = o->override_count,
                                      .frequencies = o->frequencies,
                                      .headings = o->headings,
                                      .tolerance = o->tolerance,
                                      .folder = o->collect_folder ? o->collect_folder : o->output_folder,
                                      .action = o->list             ? SWEEP_LIST
                                                : o->point > 0      ? SWEEP_POINT
                                                : o->collect_folder ? SWEEP_COLLECT
                                                                    : SWEEP_RUN,
                                      .point = (int)o->point,
                                      .jobs = (int)o->jobs,
                                      .json = o->json};
  if (status == STATUS_OK)
    status = rao(&options, &why);
  return console_finish_stdout("sagbend rao", exit_with_reason("sagbend rao", status, &why));
}
