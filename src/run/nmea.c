// NMEA output of a run: the readings of the messages once more, as NMEA 0183 sentences.
#include "run/run.h"

#include "rt/os.h"

#include <inttypes.h>

static const uint64_t NOT_VALID_EVERY_NS = 1000000000;

enum status run_open_nmea(struct run *run, struct reason *why) {
  const struct nmea_def *def = &run->setup.config.nmea;
  if (def->port_count == 0)
    return STATUS_OK;
  if (nmea_ports_open(def, &run->nmea, why) != STATUS_OK)
    return STATUS_IO;
  console_line(&run->console, "NMEA sentences to %d port%s", def->port_count, def->port_count > 1 ? "s" : "");
  return STATUS_OK;
}

static void report_counts(struct run *run, const struct sim_output *now) {
  struct nmea_counts counts = *nmea_ports_counts(run->nmea), before = run->nmea_reported;
  run->nmea_reported = counts;
  if (counts.failed != before.failed)
    event_watch_log(&run->watch, now->step, now->time_s, "nmea_failed", "%s", nmea_ports_failure(run->nmea));
  if (counts.lost > 0 && before.lost == 0)
    event_watch_log(
        &run->watch, now->step, now->time_s, "nmea_lost",
        "a receiver takes no NMEA sentences: they are dropped; the summary contains their number");
}

void run_send_nmea(struct run *run, const struct frame *frame) {
  if (!run->nmea)
    return;
  nmea_ports_send(run->nmea, &frame->readings, frame->output.time_s, &frame->faults,
                  1e-9 * (double)os_now_ns());
  report_counts(run, &frame->output);
}

void run_send_nmea_not_valid(struct run *run) {
  uint64_t now_ns = os_now_ns();
  if (!run->nmea || now_ns - run->nmea_not_valid_ns < NOT_VALID_EVERY_NS)
    return;
  run->nmea_not_valid_ns = now_ns;
  nmea_ports_send_not_valid(run->nmea, &run->last.readings, 1e-9 * (double)now_ns);
  report_counts(run, &run->last.output);
}
