// Telegrams beside the messages: the same readings, said as NMEA 0183.
#include "run/run.h"

#include "rt/os.h"

#include <inttypes.h>

int run_open_nmea(struct run *r) {
  const struct nmea_def *def = &r->session.config.nmea;
  struct reason why = {""};
  if (def->port_count == 0)
    return -1;
  if (nmea_ports_open(def, &r->nmea, &why) != STATUS_OK) {
    console_line(&r->console, "%s", why.text);
    return EXIT_FAILED;
  }
  console_line(&r->console, "telegrams to %d NMEA port%s", def->port_count, def->port_count > 1 ? "s" : "");
  return -1;
}

void run_send_nmea(struct run *r, const struct frame *f) {
  if (!r->nmea)
    return;
  const struct sim_output *o = &f->output;
  nmea_ports_send(r->nmea, &f->readings, o->time_s, &f->faults, 1e-9 * (double)os_now_ns());
  struct nmea_counts now = *nmea_ports_counts(r->nmea), told = r->nmea_told;
  if (now.failed != told.failed)
    event_watch_log(&r->watch, o->step, o->time_s, "nmea_failed", "%s", nmea_ports_failure(r->nmea));
  if (now.lost > 0 && told.lost == 0)
    event_watch_log(&r->watch, o->step, o->time_s, "nmea_lost",
                    "telegrams find no taker; the summary counts them");
  r->nmea_told = now;
}
