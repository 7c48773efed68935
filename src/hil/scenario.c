#include "hil/scenario.h"

#include <string.h>

void scenario_init(struct scenario *s, const struct scenario_def *def) {
  memset(s, 0, sizeof *s);
  events_init(&s->events);
  link_init(&s->link, def->seed);
}

void scenario_update(struct scenario *s, const struct scenario_def *def, const struct loop_view *view) {
  events_update(&s->events, def->event, def->event_count, view);
  restart_update(&s->restart, &s->events.faults, def->names.bus_count, view->truth->step, def->step_s);
}

void scenario_judge(struct scenario *s, const struct scenario_def *def, const struct loop_view *view,
                    int sends) {
  s->sensors_lost = sends && link_loses_sensors(&s->link, &s->events.faults);
  for (int i = 0; i < def->verdict_count; i++)
    verdict_judge(&s->verdict[i], &def->verdict[i], &s->events, view);
}

void scenario_judge_end(struct scenario *s, const struct scenario_def *def, const struct loop_view *view) {
  for (int i = 0; i < def->verdict_count; i++)
    verdict_judge_end(&s->verdict[i], &def->verdict[i], &s->events, view);
}

uint32_t scenario_violated(const struct scenario *s, const struct scenario_def *def) {
  uint32_t bits = 0;
  for (int i = 0; i < def->verdict_count; i++)
    bits |= (uint32_t)(s->verdict[i].violated_step > 0) << i;
  return bits;
}
