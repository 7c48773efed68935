#include "programs/lab/lab_program_internal.h"

enum status point_options_check(const struct point_options *o, const struct cli_command *command,
                                struct reason *why) {
  int actions = (o->list != 0) + (o->point > 0) + (o->collect_folder != NULL);
  if (actions > 1 || (o->collect_folder && o->output_folder))
    return fail(why, STATUS_BAD_INPUT,
                "at most one of --list, --point and --collect expected, and --out not beside --collect; see "
                "'sagbend %s --help'",
                command->name);
  return STATUS_OK;
}

enum sweep_action point_options_action(const struct point_options *o) {
  return o->list ? SWEEP_LIST : o->point > 0 ? SWEEP_POINT : o->collect_folder ? SWEEP_COLLECT : SWEEP_RUN;
}

const char *point_options_folder(const struct point_options *o) {
  return o->collect_folder ? o->collect_folder : o->output_folder;
}
