// Mode fast: as fast as the processor steps, in one thread, without sockets.
#include "run/host/host.h"

#include "net/buses/buses.h"
#include "net/case/case.h"
#include "net/server/server.h"
#include "os/process/process.h"
#include "sagbend/events/events.h"
#include "sagbend/loop/loop.h"
#include "sagbend/orders/orders.h"
#include "sagbend/signals/signals.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void host_run_fast(struct host *host) {
  host_publish_first(host);
  while (host_may_step(host))
    session_step(host->session, NULL, 0);
}

// ------------------------------------------------------------
// Mode lockstep: a step that a controller samples waits for the command that answers its Sensors. The moment
// at which a message arrives does not matter: the same commands give the same bits.

enum { POLL_MS = 20 };
static const double NMEA_AGAIN_S = 1;
static const double FIRST_NOTICE_S = 2, NOTICE_EVERY_S = 60; // intervals double between the two

struct awaited {
  const struct server *server;
  uint64_t step;
  int arrived;
  uint64_t received_ns;
  struct command command;
  struct dp_alarm_list alarms;
};

// The server passes the first answer to the awaited step, and refuses all others.
static void on_command(void *context, const struct command *command) {
  struct awaited *awaited = context;
  awaited->command = *command;
  awaited->alarms = *server_message_alarms(awaited->server);
  awaited->received_ns = server_message_ns(awaited->server);
  awaited->arrived = 1;
}

static void ignore_command(void *context, const struct command *command) {
  (void)context;
  (void)command;
}

// Orders act at once, between two steps.
static enum status on_order(void *context, const struct order *order, struct reason *why) {
  struct host *host = context;
  const struct sim_output *now = &host->session->engine.loop.frame.output;
  enum status status = host_accept_order(host, order, why);
  if (status != STATUS_OK)
    return status;
  logger_order(host->session->logger, now->step, now->time_s, order);
  engine_order(&host->session->engine, order);
  closed_loop_show_orders(&host->session->engine.loop, &host->session->last);
  server_take_orders(host->outlets.server, &host->session->last);
  host_note_order(host, order);
  host_obey_order(host, order);
  return STATUS_OK;
}

// Wall clock without the pauses.
static double running_s(const struct host *host) {
  uint64_t now_ns = os_now_ns();
  return 1e-9 * (double)(now_ns - pauses_ns(&host->pauses, now_ns));
}

struct ways {
  char text[400];
};

// Where the first register with this signal stands; -1: there is none.
static int register_of(const struct modbus_def *def, const char *signal) {
  for (int i = 0; i < def->register_count; i++)
    if (!strcmp(def->registers[i].signal, signal))
      return i;
  return -1;
}

// What would answer a step, by each way that the run has.
static struct ways ways_to_answer(const struct host *host) {
  const struct config_run *run = config_run(&host->setup.config);
  struct ways out;
  size_t used = 0;
  out.text[0] = 0;
  for (int i = 0; host->nmea_inputs && i < nmea_inputs_count(host->nmea_inputs) && used < sizeof out.text;
       i++)
    used += (size_t)snprintf(out.text + used, sizeof out.text - used, "a TRC sentence at %s, ",
                             nmea_inputs_place(host->nmea_inputs, i).text);
  if (host->modbus && used < sizeof out.text) {
    const int beat = register_of(&run->modbus, "command.heartbeat");
    used += (size_t)snprintf(out.text + used, sizeof out.text - used, "a Modbus write of a set-point");
    if (beat >= 0 && used < sizeof out.text)
      used += (size_t)snprintf(out.text + used, sizeof out.text - used,
                               " or of command.heartbeat (holding %d)", run->modbus.registers[beat].address);
    if (used < sizeof out.text)
      used += (size_t)snprintf(out.text + used, sizeof out.text - used, " at %s, ",
                               modbus_server_endpoint(host->modbus, 0));
  }
  const char *missing = server_awaits_listed(host->outlets.server);
  if (missing && used < sizeof out.text)
    snprintf(out.text + used, sizeof out.text - used, "%s of controllers, which has not come, at %s", missing,
             server_command_endpoint(host->outlets.server));
  else if (used < sizeof out.text)
    snprintf(out.text + used, sizeof out.text - used, "%sa message at %s", used ? "or " : "",
             server_command_endpoint(host->outlets.server));
  return out;
}

// The newest answer that was refused since the wait began, for people; empty: none was.
static struct reason refused_meanwhile(const struct host *host, double waited_s) {
  struct reason out = {0};
  const struct gate *gate = host->outlets.server ? server_gate(host->outlets.server) : NULL;
  const struct refused *newest = gate ? refusals_newest(&gate->refusals, 0) : NULL;
  if (newest && 1e-9 * (double)os_now_ns() - 1e-3 * (double)newest->newest_ms <= waited_s)
    fail(&out, STATUS_BAD_INPUT, "; the newest message, of %.80s, was refused: %s: %.200s", newest->peer,
         refusal_name(newest->reason), newest->text);
  return out;
}

// Returns the waiting time after which to report again.
static double report_wait(struct host *host, const struct awaited *awaited, double waited_s,
                          double notice_s) {
  const int of_standby = awaited->arrived || !server_awaits_command(host->outlets.server);
  host->waits.long_waits += notice_s <= FIRST_NOTICE_S;
  event_watch_log(&host->session->watch, awaited->step, host->session->last.output.time_s,
                  EVENT_NAME(waiting_for_response),
                  "no %scommand%s has answered the Sensors of step %" PRIu64 " for %.1f s; expected: %s%s",
                  of_standby ? "shadow " : "", of_standby ? " of a controller that stands by" : "",
                  awaited->step, waited_s, ways_to_answer(host).text, refused_meanwhile(host, waited_s).text);
  return waited_s + (notice_s < NOTICE_EVERY_S ? notice_s : NOTICE_EVERY_S);
}

static void record_wait(struct host *host, const struct awaited *awaited, double waited_s, int was_reported) {
  struct lockstep_waits *waits = &host->waits;
  waits->answers += (uint64_t)awaited->arrived;
  waits->total_s += waited_s;
  if (waited_s > waits->longest_s) {
    waits->longest_s = waited_s;
    waits->longest_step = awaited->step;
  }
  if (was_reported && awaited->arrived)
    event_watch_log(
        &host->session->watch, awaited->step, host->session->last.output.time_s, EVENT_NAME(response_came),
        "a command answered the Sensors of step %" PRIu64 " after %.1f s", awaited->step, waited_s);
}

// An answer that came during a pause, before a restart that failed, is still the answer to this step.
static void take_kept(struct host *host, struct awaited *awaited) {
  struct kept_command *kept = &host->next.kept;
  awaited->arrived = kept->any;
  awaited->received_ns = kept->received_ns;
  awaited->command = kept->command;
  awaited->alarms = kept->alarms;
  kept->any = 0;
}

static void keep(struct host *host, const struct awaited *awaited) {
  host->next.kept =
      (struct kept_command){awaited->arrived, awaited->received_ns, awaited->command, awaited->alarms};
}

// A controller on this machine that opens its ports after the first step gets what was sent meanwhile. Of one
// elsewhere nobody knows: until its first command it gets the newest sentences once a second.
static void send_nmea_again(struct host *host, double waited_s, double *again_s) {
  if (host->waits.answers == 0 && waited_s > *again_s) {
    nmea_ports_send_again(host->outlets.nmea);
    *again_s = waited_s + NMEA_AGAIN_S;
  }
  session_repeat_nmea(host->session);
}

// Of a controller that comes to the first step nobody knows which sentences it has heard: those of this step
// stand before its first Sensors.
static void send_nmea_before_sensors(void *context) {
  struct host *host = context;
  if (host->waits.answers > 0)
    return;
  nmea_ports_send_again(host->outlets.nmea);
  session_repeat_nmea(host->session);
}

static void time_out(struct host *host, const struct awaited *awaited) {
  host->session->stop.trouble = END_LOCKSTEP_TIMEOUT;
  event_watch_log(&host->session->watch, awaited->step, host->session->last.output.time_s,
                  EVENT_NAME(lockstep_timeout),
                  "no command answered the Sensors of step %" PRIu64
                  " within %g s (simulation.lockstep_timeout_s); expected: %s",
                  awaited->step, host->setup.config.run.lockstep_timeout_s, ways_to_answer(host).text);
}

// Redundant controllers: those that stand by answer, too, and a session begins when all are there. A fault
// that silences the one in command may begin and end while its answer is awaited.
static int is_answered(const struct host *host, const struct awaited *awaited) {
  return (awaited->arrived || !server_awaits_command(host->outlets.server)) &&
         !server_awaits_shadow(host->outlets.server, awaited->step) &&
         !server_awaits_listed(host->outlets.server);
}

// Waits until the command has arrived and the run is not paused, or the run ends. The wall clock measures the
// wait, without pauses; it enters no state.
static void wait_for_command(struct host *host, struct awaited *awaited) {
  double timeout_s = host->setup.config.run.lockstep_timeout_s, notice_s = FIRST_NOTICE_S, waited_s = 0;
  double begin_s = running_s(host), nmea_again_s = NMEA_AGAIN_S;
  struct reason why;

  host->waiting = 1;
  while ((!is_answered(host, awaited) || host->pauses.now) && host->session->stop.trouble == END_REACHED &&
         !host->next.asked && !session_stop_requested(host->session)) {
    if (server_poll(host->outlets.server, POLL_MS, awaited->step, on_command, awaited, &why) != STATUS_OK)
      session_server_failed(host->session, &why);
    host_beat(host);
    host_check_descriptors(host);
    host_keep_status(host);
    host_report_snapshots(host);
    const struct closed_loop *loop = &host->session->engine.loop;
    if (awaited->arrived && command_latch_is_late(&loop->latch, &loop->command_def, &awaited->command))
      awaited->arrived = 0; // an order has given the command to another controller
    if (is_answered(host, awaited))
      continue;
    waited_s = running_s(host) - begin_s;
    send_nmea_again(host, waited_s, &nmea_again_s);
    if (timeout_s > 0 && waited_s > timeout_s)
      time_out(host, awaited);
    else if (waited_s > notice_s)
      notice_s = report_wait(host, awaited, waited_s, notice_s);
  }
  host->waiting = 0;
  if (awaited->arrived)
    nmea_ports_say_first(host->outlets.nmea, 0);
  record_wait(host, awaited, waited_s, notice_s > FIRST_NOTICE_S);
}

// Between samples: orders are taken, commands are refused. Waits only while the run is paused.
static void poll_without_waiting(struct host *host, uint64_t step) {
  struct reason why;
  server_refuse_answers(host->outlets.server, step);
  do {
    if (server_poll(host->outlets.server, host->pauses.now ? POLL_MS : 0, step, ignore_command, NULL, &why) !=
        STATUS_OK)
      session_server_failed(host->session, &why);
    host_beat(host);
    host_check_descriptors(host);
    host_keep_status(host);
    host_report_snapshots(host);
  } while (host->pauses.now && host->session->stop.trouble == END_REACHED && !host->next.asked &&
           !session_stop_requested(host->session));
}

void host_run_lockstep(struct host *host) {
  int external = host->setup.config.sim.controller == CONTROLLER_EXTERNAL;
  nmea_ports_say_first(host->outlets.nmea, external && host->nmea_inputs);
  // Whoever answers a measurement answers a sample: between two of them an answer would be refused, and the
  // run would wait for another one.
  nmea_inputs_take_whole_answers(host->nmea_inputs, 1);
  host->session->nmea_at_samples = external && host->nmea_inputs;
  host_publish_first(host);
  server_on_order(host->outlets.server, on_order, host);
  server_on_join(host->outlets.server, send_nmea_before_sensors, host);

  while (host_may_step(host)) {
    struct awaited awaited = {.server = host->outlets.server,
                              .step = host->session->engine.loop.frame.output.step};
    take_kept(host, &awaited);
    if (external && closed_loop_sends_sensors(&host->session->engine.loop) &&
        (awaited.arrived || !is_answered(host, &awaited)))
      wait_for_command(host, &awaited);
    else
      poll_without_waiting(host, awaited.step);

    if (host->session->stop.trouble != END_REACHED || host->session->stop.signal ||
        host->session->stop.ordered || host->next.asked) {
      keep(host, &awaited);
      break;
    }
    if (awaited.arrived)
      closed_loop_bring_alarms(&host->session->engine.loop, &awaited.alarms);
    session_step(host->session, awaited.arrived ? &awaited.command : NULL, awaited.received_ns);
  }
}
