#include "net/buses/nmea_alerts.h"

static const double ALL_EVERY_S = 30; // of simulated time

struct sending {
  struct nmea_alerts *alerts;
  struct nmea_ports *ports;
  const struct hil_names *names;
  double clock_s;
};

static void send_one(const struct sending *to, const struct dp_alarm *alarm, int is_active, double time_s) {
  const struct nmea_alert alert = {.alarm = alarm,
                                   .instance = 1 + dp_alarm_source_index(to->names, alarm->source),
                                   .is_active = is_active,
                                   .utc_s = nmea_ports_origin(to->ports)->start_utc_s + time_s,
                                   .sequence = to->alerts->sequence,
                                   .revision = is_active ? 1 : 2};
  to->alerts->sequence = (to->alerts->sequence + 1) % 10;
  nmea_ports_send_alert(to->ports, &alert, to->clock_s);
}

static int is_same(const struct dp_alarm_state *a, int i, const struct dp_alarm_state *b) {
  int at = dp_alarm_find(&b->list, a->list.alarm[i].source, a->list.alarm[i].kind);
  return at >= 0 && a->step[i] == b->step[at] && a->list.alarm[i].severity == b->list.alarm[at].severity;
}

void nmea_alerts_send(struct nmea_alerts *alerts, struct nmea_ports *ports, const struct hil_names *names,
                      const struct dp_alarm_state *now, uint64_t news, double step_s, double time_s,
                      double clock_s) {
  const struct sending to = {alerts, ports, names, clock_s};
  int all = time_s >= alerts->all_at_s + ALL_EVERY_S;
  if (all)
    alerts->all_at_s = time_s;
  if (news == alerts->changes && !all)
    return;
  if (news != alerts->changes) {
    for (int i = 0; i < alerts->told.list.count; i++)
      if (dp_alarm_find(&now->list, alerts->told.list.alarm[i].source, alerts->told.list.alarm[i].kind) < 0)
        send_one(&to, &alerts->told.list.alarm[i], 0, (double)now->newest_step * step_s);
    for (int i = 0; i < now->list.count; i++)
      if (!all && !is_same(now, i, &alerts->told))
        send_one(&to, &now->list.alarm[i], 1, (double)now->step[i] * step_s);
    alerts->told = *now;
    alerts->changes = news;
  }
  for (int i = 0; all && i < alerts->told.list.count; i++)
    send_one(&to, &alerts->told.list.alarm[i], 1, (double)alerts->told.step[i] * step_s);
}
