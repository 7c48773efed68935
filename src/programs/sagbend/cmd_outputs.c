// sagbend outputs: the list of output quantities (sagbend/rig/quantities.inc) as text, JSON or docs/outputs.md.
#include "programs/sagbend/sagbend_program.h"
#include "os/cli/console.h"
#include "os/cli/exit_status.h"
#include "os/cli/option_rows.h"
#include "sagbend/rig/node_columns.h"
#include "sagbend/rig/quantity.h"
#include "os/files/json_text.h"

#include <stdio.h>

struct outputs_options {
  int json, markdown;
};

static const struct option_row OPTIONS[] = {
    JSON_OPTION(struct outputs_options, json),
    {"markdown", NULL, "Print the page docs/outputs.md.", FLAG(struct outputs_options, markdown)},
    HELP_OPTION,
};

const struct cli_command outputs_command = {
    .name = "outputs",
    .arguments = "",
    .purpose = "List the output quantities: names, units, meanings and where each appears.",
    .example = "sagbend outputs --json",
    .statuses = "0 printed; 1 the output failed; 2 wrong usage",
    .options = OPTIONS,
    .size = sizeof(struct outputs_options),
};

static void print_path(FILE *out, const struct quantity_info *info) {
  if (info->message != MESSAGE_NONE)
    fprintf(out, "%s.%s", quantity_message_path(info->message), info->field);
}

static void print_text(void) {
  for (int q = 0; q < QUANTITY_COUNT; q++)
    printf("%-30s %-6s %s\n", quantity_table[q].shown_name, quantity_table[q].shown_unit,
           quantity_table[q].meaning);
}

static cJSON *object_of(int q) {
  const struct quantity_info *info = &quantity_table[q];
  const struct quantity_group_info *group = &quantity_groups[info->group];
  char path[128];
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "name", info->shown_name);
  cJSON_AddStringToObject(object, "unit", info->shown_unit);
  cJSON_AddStringToObject(object, "record_name", info->name);
  cJSON_AddStringToObject(object, "record_unit", info->unit);
  snprintf(path, sizeof path, "%s.%s", quantity_message_path(info->message), info->field);
  if (info->message != MESSAGE_NONE)
    cJSON_AddStringToObject(object, "message_field", path);
  cJSON_AddStringToObject(object, "summary_object", group->object);
  cJSON_AddBoolToObject(object, "needs_pipe", group->needs_pipe);
  cJSON_AddBoolToObject(object, "needs_code_check", group->needs_code_check);
  cJSON_AddBoolToObject(object, "can_be_undefined", group->undefined != NULL);
  cJSON_AddBoolToObject(object, "in_statics", group->at_rest);
  cJSON_AddBoolToObject(object, "in_events", !quantity_is_of_clock((enum quantity)q));
  cJSON_AddStringToObject(object, "meaning", info->meaning);
  return object;
}

static int print_json(void) {
  cJSON *list = json_begin_list();
  for (int q = 0; q < QUANTITY_COUNT; q++)
    cJSON_AddItemToArray(list, object_of(q));
  struct reason why;
  return exit_with_reason("sagbend outputs", json_put(list, &why), &why);
}

static const char PAGE_HEAD[] =
    "# Output quantities\n"
    "Made by `sagbend outputs --markdown` from the one list in `src/sagbend/rig/quantities.inc`, which every output "
    "follows:\n"
    "\n"
    "| output | quantities | angles and rates in |\n"
    "|---|---|---|\n"
    "| `--summary` (JSON) | all, at the end of the run, in the object named below | degrees |\n"
    "| `--record` (CSV) | all, one column each | radians |\n"
    "| `sagbend statics`, text and `--json` | the groups marked *statics* | degrees |\n"
    "| `sagbend statics --find NAME=VALUE` | the groups marked *statics* that need a pipe | degrees |\n"
    "| conditions of `events` | all except those of the wall clock | degrees |\n"
    "| `verdicts` | all | degrees |\n"
    "| telemetry and logs | those with a field | radians |\n"
    "\n"
    "World axes are north, east, down; body axes are forward, starboard, down. Arc lengths are from the "
    "lower end. Extremes\n"
    "are over the whole pipe, including its ends and both sides of joints. An undefined quantity is `null` "
    "in JSON and `nan`\n"
    "in CSV; a condition on it does not hold, and a verdict on it is violated.\n"
    "\n"
    "The record also has `time_s` and `step`, the work of each port and the loss of each kind since the "
    "start (`work_..._j`,\n"
    "`dissipated_..._j`), `step_us` and `wakeup_us`. New quantities add columns: read columns by name, not "
    "by number.\n";

static void print_markdown_group(enum quantity_group id) {
  const struct quantity_group_info *group = &quantity_groups[id];
  printf("\n## %s\n", group->title);
  if (*group->object)
    printf("Summary: object `%s`.", group->object);
  else
    printf("Summary: root.");
  printf("%s%s%s", group->at_rest ? " *Statics.*" : "", group->needs_pipe ? " Needs a pipe." : "",
         group->needs_code_check ? " Needs `pipe.code_check`." : "");
  if (group->undefined)
    printf(" Undefined %s.", group->undefined);
  printf("%s\n\n",
         id == GROUP_CLOCK ? " Verdicts only: an event that the clock began could not be replayed." : "");
  puts("| name | in radians | unit | field of message | meaning |\n|---|---|---|---|---|");
  for (int q = 0; q < QUANTITY_COUNT; q++) {
    const struct quantity_info *info = &quantity_table[q];
    if (info->group != id)
      continue;
    int is_angle = info->name != info->shown_name;
    printf("| `%s` | %s%s%s | %s | ", info->shown_name, is_angle ? "`" : "", is_angle ? info->name : "",
           is_angle ? "`" : "", info->shown_unit);
    print_path(stdout, info);
    printf(" | %s |\n", info->meaning);
  }
}

static void print_markdown(void) {
  fputs(PAGE_HEAD, stdout);
  for (int group = 0; group < QUANTITY_GROUP_COUNT; group++)
    print_markdown_group((enum quantity_group)group);
  puts("\n## Nodes of the pipe\nColumns of `--shapes` and of `sagbend statics --shape` (CSV), and lists of "
       "the message `Nodes`, from the lower end to the\nhang-off. The CSV also has `s_m`, the arc length. "
       "Forces and moments are those of the part above on the part below, without\nstructural damping.\n\n| "
       "name | unit | CSV | meaning |\n|---|---|---|---|");
  for (int i = 0; i < NODE_COLUMN_COUNT; i++)
    printf("| `%s` | %s | %s | %s |\n", node_columns[i].name, node_columns[i].unit,
           node_columns[i].in_csv ? "yes" : "", node_columns[i].meaning);
}

static int print_outputs(const struct outputs_options *options) {
  int exit_status = EXIT_DONE;
  if (options->json)
    exit_status = print_json();
  else if (options->markdown)
    print_markdown();
  else
    print_text();
  return console_finish_stdout("sagbend outputs", exit_status);
}

int cmd_outputs(int argc, char **argv) {
  struct outputs_options options;
  int exit_status;
  return command_begin(&outputs_command, argc, argv, &options, &exit_status) ? print_outputs(&options)
                                                                             : exit_status;
}
