// sagbend outputs: the output quantities (sagbend/rig/quantities.inc), or with --events the events of a run
// (sagbend/events/events.inc), as text, JSON, docs/outputs.md or docs/events.md.
#include "programs/sagbend/sagbend_program.h"
#include "programs/sagbend/sagbend_program_internal.h"

#include "os/cli/cli.h"
#include "os/files/files.h"
#include "sagbend/events/events.h"
#include "sagbend/rig/rig.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

struct outputs_options {
  int events, json, markdown;
};

static const struct option_row OUTPUTS_OPTIONS[] = {
    {"events", NULL, "List the events of a run instead: what each means and what to do.",
     FLAG(struct outputs_options, events)},
    JSON_OPTION(struct outputs_options, json),
    {"markdown", NULL, "Print the page docs/outputs.md or docs/events.md.",
     FLAG(struct outputs_options, markdown)},
    HELP_OPTION,
};

const struct cli_command outputs_command = {
    .name = "outputs",
    .arguments = "",
    .purpose = "List the output quantities: names, units, meanings and where each appears; or the events.",
    .example = "sagbend outputs --json",
    .statuses = "0 printed; 1 the output failed; 2 wrong usage",
    .options = OUTPUTS_OPTIONS,
    .size = sizeof(struct outputs_options),
};

static void print_path(FILE *out, const struct quantity_info *info) {
  if (info->message != MESSAGE_NONE)
    fprintf(out, "%s.%s", quantity_message_path(info->message), info->field);
}

static void print_text(void) {
  for (int q = 0; q < QUANTITY_COUNT; q++) {
    char name[80];
    snprintf(name, sizeof name, "%-30s %-6s ", quantity_table[q].shown_name, quantity_table[q].shown_unit);
    print_labelled(0, name, "%s", quantity_table[q].meaning);
  }
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
    "    sagbend outputs                # this list; --json with every place of each\n"
    "    sagbend log export-csv FILE --topic /truth --fields max_tension_n,touchdown_tension_n\n"
    "\n"
    "| output | quantities | angles and rates in |\n"
    "|---|---|---|\n"
    "| `--summary` (JSON) | all, at the end of the run, in the object named below | degrees |\n"
    "| `--record` (CSV) | all, one column each | radians |\n"
    "| `sagbend statics`, text and `--json` | the groups marked *statics* | degrees |\n"
    "| `sagbend statics --find NAME=VALUE` | those of them that need a pipe | degrees |\n"
    "| conditions of `events` | all except those of the wall clock | degrees |\n"
    "| `verdicts` | all | degrees |\n"
    "| telemetry and logs | those with a field of a message | radians |\n"
    "\n"
    "- **Units** end the names: `_n` N, `_nm` N m, `_mps` m/s, `_1pm` 1/m, `_1ps` 1/s, `_deg`, `_degps` "
    "degrees per\n"
    "  second, `_pu` per unit, `_nspm` N s/m, `_nmsprad` N m s/rad, `_kg`, `_w`, `_j`, `_m`, `_s`, `_h`. In "
    "radians\n"
    "  `_deg` and `_degps` are `_rad` and `_radps`.\n"
    "- **Axes**: world north, east, down; body forward, starboard, down.\n"
    "- **Arc lengths** are from the lower end. A second name is the arc length of the place.\n"
    "- **Extremes** are over the whole pipe, its ends and both sides of joints included.\n"
    "- **Tension, angle and strain** are defined in "
    "[model-yield.md](model-yield.md#section-forces).\n"
    "- **Undefined**: `null` in JSON, `nan` in CSV; a condition on it does not hold, a verdict on it fails.\n"
    "- **The record** also has `time_s`, `step`, `step_us`, `wakeup_us`, and since the start the work of "
    "each\n"
    "  port and loss of each kind (`work_..._j`, `dissipated_..._j`). Read columns by name.\n"
    "- Made by `sagbend outputs --markdown`.\n";

// Whether a quantity says only at which arc length the one before it is.
static int is_place_of(int next, int q) {
  static const char end[] = "_arc_length_m";
  const struct quantity_info *info = &quantity_table[q], *place = &quantity_table[next];
  const size_t length = strlen(place->name), tail = sizeof end - 1;
  if (length <= tail || strcmp(place->name + length - tail, end) != 0 || strchr(place->meaning, ';'))
    return 0;
  const size_t stem = length - tail;
  if (place->group != info->group || strncmp(info->name, place->name, stem) != 0)
    return 0;
  return !info->name[stem] || !strchr(info->name + stem + 1, '_');
}

static void print_markdown_group(enum quantity_group id) {
  const struct quantity_group_info *group = &quantity_groups[id];
  printf("\n## %s\n", group->title);
  if (*group->object)
    printf("Summary: `%s`.", group->object);
  else
    printf("Summary: root.");
  printf("%s%s%s", group->at_rest ? " *Statics.*" : "", group->needs_pipe ? " Needs a pipe." : "",
         group->needs_code_check ? " Needs `pipe.code_check`." : "");
  if (group->undefined)
    printf(" Undefined %s.", group->undefined);
  printf("%s\n\n",
         id == GROUP_CLOCK ? " Verdicts only: an event that the clock began could not be replayed." : "");
  puts("| name | field | meaning |\n|---|---|---|");
  for (int q = 0; q < QUANTITY_COUNT; q++) {
    const struct quantity_info *info = &quantity_table[q];
    if (info->group != id || (q > 0 && is_place_of(q, q - 1)))
      continue;
    const int has_place = q + 1 < QUANTITY_COUNT && is_place_of(q + 1, q);
    printf("| `%s`", info->shown_name);
    if (has_place)
      printf(", `%s`", info[1].shown_name);
    printf(" | ");
    print_path(stdout, info);
    if (has_place && info[1].message != MESSAGE_NONE) {
      const char *field = strrchr(info[1].field, '.');
      printf(", %s", field ? field + 1 : info[1].field);
    }
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
       "name | CSV | meaning |\n|---|---|---|");
  for (int i = 0; i < NODE_COLUMN_COUNT; i++)
    printf("| `%s` | %s | %s |\n", node_columns[i].name, node_columns[i].in_csv ? "yes" : "",
           node_columns[i].meaning);
}

// ---- events ----

static void print_reason(const char *kind, const struct event_reason *reason) {
  char name[48];
  snprintf(name, sizeof name, "%s_%s", kind, reason->name);
  print_labelled(25, name, "%s", reason->meaning);
}

static void print_events_text(void) {
  for (int i = 0; i < EVENTS_OF_ALL_KINDS; i++)
    print_labelled(25, event_table[i].name, "%s", event_table[i].meaning);
  for (int i = 0; i < REFUSAL_COUNT; i++)
    print_reason("refused", &refusal_table[i]);
  for (int i = 0; i < DENIAL_COUNT; i++)
    print_reason("denied", &denial_table[i]);
}

static void add_event(cJSON *list, const struct event_info *event) {
  static const char *const GRADES[] = {"information", "warning", "error"};
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "name", event->name);
  cJSON_AddStringToObject(object, "group", event->group);
  cJSON_AddStringToObject(object, "grade", GRADES[event->grade]);
  cJSON_AddBoolToObject(object, "computed", event->is_computed);
  cJSON_AddStringToObject(object, "meaning", event->meaning);
  cJSON_AddStringToObject(object, "advice", event->advice);
  cJSON_AddItemToArray(list, object);
}

static void add_reasons(cJSON *list, const char *kind, const char *group, const struct event_reason *reason,
                        int count) {
  for (int i = 0; i < count; i++) {
    char name[48];
    snprintf(name, sizeof name, "%s_%s", kind, reason[i].name);
    add_event(list, &(struct event_info){name, group, reason[i].meaning, reason[i].advice,
                                         event_grade_of(name), event_is_computed(name)});
  }
}

static int print_events_json(void) {
  cJSON *list = json_begin_list();
  struct reason why;
  for (int i = 0; i < EVENTS_OF_ALL_KINDS; i++)
    add_event(list, &event_table[i]);
  add_reasons(list, "refused", "Refusals", refusal_table, REFUSAL_COUNT);
  add_reasons(list, "denied", "Denied connections", denial_table, DENIAL_COUNT);
  return exit_with_reason("sagbend outputs", json_put(list, &why), &why);
}

// A row of a table: the meaning as a sentence. A key of the configuration at its begin keeps its letters.
static void print_event_row(const char *name, const char *meaning, const char *advice) {
  const size_t first = strcspn(meaning, " "), length = strlen(meaning);
  const int is_key = memchr(meaning, '.', first) != NULL;
  printf("| `%s` | %c%s%s | %s |\n", name, is_key ? *meaning : toupper((unsigned char)*meaning), meaning + 1,
         strchr(".?", meaning[length - 1]) ? "" : ".", advice);
}

static void print_event_heading(const char *title, const char *text) {
  printf("\n## %s\n%s| name | what it means | what to do |\n|---|---|---|\n", title, text);
}

static void print_reasons(const struct event_reason *reason, int count) {
  for (int i = 0; i < count; i++)
    print_event_row(reason[i].name, reason[i].meaning, reason[i].advice);
}

static void print_events_markdown(void) {
  const char *group = "";
  puts("# Events and refusals\n"
       "Look up the name of a line `t = TIME: NAME: TEXT` of the console, of `sagbend ctl ENDPOINT watch`, "
       "the page or the log. "
       "`simulation.on_event`\n"
       "chooses what an event of the model does to a run ([scenarios.md](scenarios.md#when-a-run-fails)). "
       "Made by `sagbend outputs --events --markdown`.");
  for (int i = 0; i < EVENTS_OF_ALL_KINDS; i++) {
    if (strcmp(event_table[i].group, group) != 0)
      print_event_heading(event_table[i].group,
                          i == EVENT_COUNT ? "Seen in what the commands do to the vessel "
                                             "([protocol.md](protocol.md#mistakes-that-are-named)).\n\n"
                                           : "");
    group = event_table[i].group;
    print_event_row(event_table[i].name, event_table[i].meaning, event_table[i].advice);
  }
  print_event_heading("Refusals", "A refused message does not act. The event is `refused_` and the name; the "
                                  "first is stated in full, then they are counted.\n\n");
  print_reasons(refusal_table, REFUSAL_COUNT);
  print_event_heading("Denied connections",
                      "The event is `denied_` and the name ([security.md](security.md)).\n\n");
  print_reasons(denial_table, DENIAL_COUNT);
}

static int print_events(const struct outputs_options *options) {
  if (options->json)
    return print_events_json();
  if (options->markdown)
    print_events_markdown();
  else
    print_events_text();
  return EXIT_DONE;
}

static int print_outputs(const struct outputs_options *options) {
  int exit_status = EXIT_DONE;
  if (options->events)
    exit_status = print_events(options);
  else if (options->json)
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
