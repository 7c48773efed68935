// The alarms of a controller as ALF sentences: each that comes and each that ends, and all in force again and
// again, for who has missed one.
#pragma once

#include "sagbend/rig/names.h"
#include "net/buses/nmea_ports.h"

struct nmea_alerts { // zero: nothing was sent
  uint64_t changes;  // of the news that was sent last
  struct dp_alarm_state told;
  double all_at_s; // when all were sent
  int sequence;
};

// now: the alarms of a frame. news: another number when those are to be sent. step_s: of a step of the
// session.
void nmea_alerts_send(struct nmea_alerts *alerts, struct nmea_ports *ports, const struct hil_names *names,
                      const struct dp_alarm_state *now, uint64_t news, double step_s, double time_s,
                      double clock_s);
