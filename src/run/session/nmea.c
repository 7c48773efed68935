// NMEA output of a run: the readings of the messages once more, as NMEA 0183 sentences.
#include "run/session/session.h"

#include "sagbend/rig/host_event.h"
#include "os/process/process.h"

#include <inttypes.h>

static const uint64_t NOT_VALID_EVERY_NS = 1000000000;

static void report_counts(struct session *session, const struct sim_output *now) {
  struct nmea_counts counts = *nmea_ports_counts(session->outlets->nmea),
                     before = session->outlets->nmea_reported;
  session->outlets->nmea_reported = counts;
  if (counts.failed != before.failed)
    event_watch_log(&session->watch, now->step, now->time_s, EVENT_NAME(nmea_failed), "%s",
                    nmea_ports_failure(session->outlets->nmea));
  if (counts.lost > 0 && before.lost == 0)
    event_watch_log(
        &session->watch, now->step, now->time_s, EVENT_NAME(nmea_lost),
        "a receiver takes no NMEA sentences: they are dropped; the summary contains their number");
}

void session_send_nmea(struct session *session, const struct frame *frame) {
  if (!session->outlets->nmea)
    return;
  nmea_ports_send(session->outlets->nmea, &frame->readings, frame->output.time_s, &frame->faults,
                  1e-9 * (double)os_now_ns());
  nmea_alerts_send(&session->nmea_alerts, session->outlets->nmea, &session->setup->config.scenario.names,
                   &frame->alarms, session->alarm_news.changes, session->setup->config.sim.step_s,
                   frame->output.time_s, 1e-9 * (double)os_now_ns());
  report_counts(session, &frame->output);
}

void session_repeat_nmea(struct session *session) {
  const struct frame *frame = &session->last;
  if (!session->outlets->nmea)
    return;
  nmea_ports_send(session->outlets->nmea, &frame->readings, frame->output.time_s, &frame->faults,
                  1e-9 * (double)os_now_ns());
  report_counts(session, &frame->output);
}

void session_send_nmea_not_valid(struct session *session) {
  uint64_t now_ns = os_now_ns();
  if (!session->outlets->nmea || now_ns - session->outlets->nmea_not_valid_ns < NOT_VALID_EVERY_NS)
    return;
  session->outlets->nmea_not_valid_ns = now_ns;
  nmea_ports_send_not_valid(session->outlets->nmea, &session->last.readings, 1e-9 * (double)now_ns);
  report_counts(session, &session->last.output);
}
