// Of a summary: the alarms of the controller. docs/outputs.md
#include "host/summary_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static cJSON *alarm_of(const struct past_alarm *past, double step_s) {
  cJSON *o = cJSON_CreateObject();
  summary_text(o, "source", past->alarm.source);
  summary_text(o, "kind", dp_alarm_kind_name((int)past->alarm.kind));
  summary_text(o, "severity", dp_alarm_severity_name((int)past->alarm.severity));
  summary_text(o, "text", past->alarm.text);
  summary_number(o, "from_s", (double)past->from_step * step_s);
  summary_number(o, "to_s", past->is_over ? (double)past->to_step * step_s : (double)NAN);
  return o;
}

void summary_add_alarms(cJSON *root, const struct host *host) {
  const struct alarm_history *history = &host->session->alarms;
  cJSON *o = cJSON_AddObjectToObject(root, "alarms");
  summary_number(o, "raised", (double)host->session->last.alarms.raised);
  summary_number(o, "left_out", (double)history->left_out);
  cJSON *list = cJSON_AddArrayToObject(o, "list");
  for (int i = 0; i < history->count; i++)
    cJSON_AddItemToArray(list, alarm_of(&history->past[i], host->setup.config.sim.step_s));
}

void summary_print_alarms(const struct host *host) {
  const struct dp_alarm_state *now = &host->session->last.alarms;
  if (now->raised)
    printf("%-20s %" PRIu64 " raised, %d active at the end\n", "alarms", now->raised,
           dp_alarm_count(&now->list));
}
