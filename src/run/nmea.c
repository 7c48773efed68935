// NMEA output of a run: the readings of the messages once more, as NMEA 0183 sentences.
#include "run/run.h"

#include "rt/os.h"

#include <inttypes.h>

static const uint64_t NOT_VALID_EVERY_NS = 1000000000;

enum status run_open_nmea(struct host *host, struct reason *why) {
  const struct nmea_def *def = &host->setup.config.nmea;
  if (def->port_count == 0)
    return STATUS_OK;
  if (nmea_ports_open(def, &host->outlets.nmea, why) != STATUS_OK)
    return STATUS_IO;
  console_line(&host->outlets.console, "NMEA sentences to %d port%s", def->port_count,
               def->port_count > 1 ? "s" : "");
  return STATUS_OK;
}

static void report_counts(struct host *host, const struct sim_output *now) {
  struct nmea_counts counts = *nmea_ports_counts(host->outlets.nmea), before = host->outlets.nmea_reported;
  host->outlets.nmea_reported = counts;
  if (counts.failed != before.failed)
    event_watch_log(&host->session->watch, now->step, now->time_s, "nmea_failed", "%s",
                    nmea_ports_failure(host->outlets.nmea));
  if (counts.lost > 0 && before.lost == 0)
    event_watch_log(
        &host->session->watch, now->step, now->time_s, "nmea_lost",
        "a receiver takes no NMEA sentences: they are dropped; the summary contains their number");
}

void run_send_nmea(struct host *host, const struct frame *frame) {
  if (!host->outlets.nmea)
    return;
  nmea_ports_send(host->outlets.nmea, &frame->readings, frame->output.time_s, &frame->faults,
                  1e-9 * (double)os_now_ns());
  report_counts(host, &frame->output);
}

void run_send_nmea_not_valid(struct host *host) {
  uint64_t now_ns = os_now_ns();
  if (!host->outlets.nmea || now_ns - host->outlets.nmea_not_valid_ns < NOT_VALID_EVERY_NS)
    return;
  host->outlets.nmea_not_valid_ns = now_ns;
  nmea_ports_send_not_valid(host->outlets.nmea, &host->session->last.readings, 1e-9 * (double)now_ns);
  report_counts(host, &host->session->last.output);
}
