// The session that the sockets serve: its description, and the change to another one after a restore or
// reset.
#include "net/server/server_internal.h"

#include "sagbend/base/steps.h"
#include "sagbend/engine/engine_orders.h"

#include <stdio.h>
#include <string.h>

static void describe_vessel(const struct config *config, struct wire_welcome *welcome) {
  const struct instruments_def *all = &config->suite.instruments;
  for (int i = 0; i < all->count; i++) {
    const struct instrument_def *def = &all->instrument[i];
    struct wire_instrument *out = &welcome->instrument[i];
    *out = (struct wire_instrument){
        .kind = def->kind, .rate_hz = def->rate_hz, .latency_s = def->latency_s, .share = def->share};
    memcpy(out->name, def->name, sizeof out->name);
    memcpy(out->position_b_m, def->position_b_m, sizeof out->position_b_m);
  }

  welcome->instrument_count = all->count;
  welcome->mass_kg = config->sim.vessel.mass_kg;
  memcpy(welcome->inertia, config->sim.vessel.inertia, sizeof welcome->inertia);
  memcpy(welcome->added_mass, config->sim.vessel.added_mass, sizeof welcome->added_mass);
}

void server_describe(const struct session_info *session, struct wire_welcome *welcome) {
  const struct config *config = session->config;
  struct command_def rules = {0};
  memset(welcome, 0, sizeof *welcome);
  wire_clean_text(welcome->name, sizeof welcome->name, config->name);
  welcome->config_hash = config->hash;
  welcome->step_s = config->sim.step_s;
  welcome->mode = config->run.mode;
  welcome->integrator = config->sim.integrator.vessel;
  welcome->order = welcome->integrator != VESSEL_STRANG ? 2 * (int)welcome->integrator
                   : config->sim.integrator.order == 4  ? 4
                                                        : 2;
  welcome->has_pipe = session->node_count > 0;
  welcome->node_count = (uint32_t)session->node_count;
  memcpy(welcome->hold_wrench_b, session->hold_wrench_b, sizeof welcome->hold_wrench_b);
  config_command_rules(config, session->hold_wrench_b, &rules);
  memcpy(welcome->wrench_limit, rules.wrench_limit, sizeof welcome->wrench_limit);
  welcome->plant = config->sim.vessel.plant;
  welcome->accepts_wrench = !rules.thrusters_only;
  welcome->has_tensioner = rules.tensioner.present;
  welcome->tensioner = (struct wire_tensioner){.accepts_commands = rules.tensioner.from_controllers,
                                               .tension_max_n = rules.tensioner.tension_max_n,
                                               .speed_max_mps = rules.tensioner.speed_max_mps,
                                               .grip_n = config->sim.pipe.tensioner.grip_n,
                                               .brake_n = config->sim.pipe.tensioner.brake_n,
                                               .motor_n = config->sim.pipe.tensioner.motor_n,
                                               .motor_w = config->sim.pipe.tensioner.motor_w,
                                               .dead_band_n = config->sim.pipe.tensioner.dead_band_n};
  welcome->has_setpoint = session->setpoint != NULL;
  if (session->setpoint)
    memcpy(welcome->setpoint, session->setpoint, sizeof welcome->setpoint);
  welcome->setpoint_order = session->setpoint_order;
  describe_vessel(config, welcome);
  welcome->command_timeout_s = config->net.command_timeout_s;
  welcome->command_max_age_s = config->net.command_max_age_s;
  welcome->sensor_period_s =
      (double)steps_in_period(config->net.sensor_period_s, config->sim.step_s) * config->sim.step_s;
}

void server_session_init(struct server_session *out, const struct session_info *info) {
  const struct config *config = info->config;
  double step_s = config->sim.step_s;
  memset(out, 0, sizeof *out);
  server_describe(info, &out->welcome);
  out->welcome.controller_view_period_s = 1e-3 * VIEW_PERIOD_MS;
  out->about = info->about;
  out->times = info->times;
  snprintf(out->id, sizeof out->id, "%s", info->session_id);
  out->order_rules = engine_order_rules(config, info->hold_wrench_b);
  out->scenario = &config->scenario;

  out->due[STREAM_SENSORS].period_steps = steps_in_period(config->net.sensor_period_s, step_s);
  out->due[STREAM_TRUTH].period_steps = steps_in_period_or_off(config->net.truth_period_s, step_s);
  out->due[STREAM_LEDGER].period_steps = steps_in_period_or_off(config->net.ledger_period_s, step_s);
  out->due[STREAM_TIMING].period_steps = steps_in_period_or_off(config->net.timing_period_s, step_s);
}

static void forget_controllers(struct server *server) {
  struct gate *gate = &server->gate;
  for (int i = 0; i < GATE_CONTROLLERS; i++)
    if (gate->controller[i].used)
      gate_leave(gate, i);
  gate->in_command = -1;
  gate->commanded_step = 0;
  gate->answered_step = 0;
}

void server_begin_session(struct server *server, const struct session_info *info, const struct frame *frame,
                          const char *text) {
  const struct wire_welcome before = server->session.welcome;
  struct wire_welcome *welcome = &server->session.welcome;
  server_session_init(&server->session, info);
  server->orders.acting = 0;
  memcpy(welcome->command_endpoint, before.command_endpoint, sizeof welcome->command_endpoint);
  memcpy(welcome->telemetry_endpoint, before.telemetry_endpoint, sizeof welcome->telemetry_endpoint);
  welcome->track =
      (struct wire_track){.orders = frame->target.track_orders, .order = frame->target.track_order};
  server->session.step = frame->output.step;
  server->session.time_s = frame->output.time_s;
  server->session.faults = frame->faults;
  server_publish_event(server, server->session.step, server->session.time_s, "session_begun", text);
  forget_controllers(server);
  server_take_orders(server, frame);
  server_publish_session(server);
}
