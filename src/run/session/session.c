// How a session begins: at rest, or with a saved state. And how its memory ends.
#include "run/session/session.h"

#include "os/process/process.h"
#include "sagbend/base/base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum status make_room_for_nodes(struct session *session, struct reason *why) {
  const struct config *c = &session->setup->config;
  session->node_count = sim_node_capacity(session->engine.plant.sim);
  int wanted = session->node_count > 0 && (c->run.mode != RUN_FAST || session->options->shapes_path);
  session->nodes_every = wanted ? steps_in_period(c->net.nodes_period_s, c->sim.step_s) : 0;
  size_t count = session->node_count > 0 ? (size_t)session->node_count : 1;
  session->nodes = calloc(count, sizeof *session->nodes);
  return session->nodes ? STATUS_OK : fail(why, STATUS_NO_MEMORY, "out of memory for %zu nodes", count);
}

static enum status begin_engine(struct session *session, const struct setup *setup, struct plant *spare,
                                struct reason *why) {
  const struct config *c = &setup->config;
  const struct error_sink errors = error_to(stderr);
  session->steps_total = steps_in_period_or_off(c->run.duration_s, c->sim.step_s);
  session->timing_every = steps_in_period(1, c->sim.step_s);
  if (!spare || !spare->sim)
    return engine_create(&session->engine, setup, NULL, &errors, why);
  engine_begin(&session->engine, setup, spare);
  return STATUS_OK;
}

enum status session_create(const struct run_options *options, const struct setup *setup,
                           struct outlets *outlets, struct plant *spare, struct session **out,
                           struct reason *why) {
  struct session *session = *out = calloc(1, sizeof *session);
  if (!session)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the session");
  session->options = options;
  session->setup = setup;
  session->outlets = outlets;
  enum status status = begin_engine(session, setup, spare, why);
  if (status != STATUS_OK)
    return status;
  times_clear(&session->times);
  histogram_clear(&session->sent_ns);
  session_begin_view(session);
  status = make_room_for_nodes(session, why);
  if (status == STATUS_OK)
    status = session_describe_about(session, why);
  return status == STATUS_OK ? session_make_id(session->id, why) : status;
}

enum status session_restore(struct session *session, const void *bytes, size_t size, struct reason *why) {
  const struct checkpoint_identity identity = session_identity(session);
  enum status status = engine_restore(&session->engine, bytes, size, &identity, why);
  if (status == STATUS_OK)
    session->first_step = session->engine.loop.frame.output.step;
  return status;
}

static void session_about_free(struct session_about *about);

void session_free(struct session *session) {
  if (!session)
    return;
  logger_free(session->logger);
  session_about_free(&session->about);
  engine_free(&session->engine);
  free(session->nodes);
  free(session->checkpoint);
  free(session);
}

// ------------------------------------------------------------
// Steps of the closed loop in the main thread, for the modes lockstep and fast. Mode realtime steps in a
// thread of its own (host_internal.h).

static void publish_state(struct session *session) {
  const struct sim_output *now = &session->engine.loop.frame.output;
  session_publish_frame(session, &session->engine.loop.frame);
  if (session->outlets->recorder.file[RECORD_HASH].stream)
    recorder_hash(&session->outlets->recorder, now->step, sim_hash(session->engine.plant.sim));

  if (!session->nodes_every || now->step % session->nodes_every != 0)
    return;
  sim_get_nodes(session->engine.plant.sim, session->nodes);
  session_publish_nodes(session, now->step, now->time_s, sim_node_count(session->engine.plant.sim),
                        session->nodes);
}

// Sentences before Sensors: on one machine a controller that reads all that has come before it answers
// Sensors has the sentences of this step, and no others.
static void send_measurements(struct session *session) {
  if (session->outlets->server)
    session_send_measured(session, &session->engine.loop.frame);
  session_send_sensors(session, &session->engine.loop.frame);
}

void session_publish_first(struct session *session, const struct pauses *pauses) {
  session->start_ns = os_now_ns();
  if (session->clock_start_utc_ns)
    nmea_ports_set_start(session->outlets->nmea, 1e-9 * (double)session->clock_start_utc_ns);
  session->paused_before_ns = pauses_ns(pauses, session->start_ns);
  session->engine.loop.frame.timing.ended_ns = session->start_ns;
  send_measurements(session);
  logger_step(session->logger, &session->engine.loop);
  publish_state(session);
}

static void update_step_times(struct session *session, uint64_t begin_ns) {
  struct timing *timing = &session->engine.loop.frame.timing;
  timing->ended_ns = os_now_ns();
  uint64_t step_ns = timing->ended_ns - begin_ns;
  histogram_add(&session->times.step_ns, step_ns);
  timing->step_us = 1e-3 * (double)step_ns;
}

// A command without a moment of receipt is not a message's.
static void note_latched(struct session *session, uint64_t received_ns, uint64_t begin_ns) {
  if (!received_ns)
    return;
  histogram_add(&session->times.latched_ns, begin_ns - received_ns);
  session->engine.loop.frame.timing.command_latched.last_us = 1e-3 * (double)(begin_ns - received_ns);
}

void session_step(struct session *session, const struct command *newest, uint64_t received_ns) {
  uint64_t begin_ns = os_now_ns();
  note_latched(session, received_ns, begin_ns);
  engine_step(&session->engine, newest, NULL);
  update_step_times(session, begin_ns);
  send_measurements(session);

  logger_step(session->logger, &session->engine.loop);
  publish_state(session);
  if ((session->engine.loop.frame.output.step + 1) % session->timing_every == 0) // for the next frame
    times_fill(&session->times, &session->engine.loop.frame.timing);
  checkpointer_write_if_due(&session->outlets->checkpointer, &session->engine.loop);
  session_report_checkpoints(session);
  if (session->last.output.step % session->timing_every == 0)
    session_report_log(session);
  session_report_console(session);
}

int session_stop_requested(struct session *session) {
  session->stop.signal = session->stop.ordered ? STOPPED_BY_ORDER : os_stop_requested();
  return session->stop.signal;
}

int session_may_step(struct session *session) {
  const struct sim_output *now = &session->engine.loop.frame.output;
  if (now->fault || (session->steps_total && now->step >= session->steps_total))
    return 0;
  if (logger_wait_for_room(session->logger) != STATUS_OK) {
    session->stop.log_failed = 1;
    return 0;
  }
  return !session_stop_requested(session);
}

// A step that was late shows it at its end only.
void session_end_steps(struct session *session) {
  if (session->setup->config.run.mode != RUN_REALTIME)
    return;
  closed_loop_judge_end(&session->engine.loop);
  session->last = session->engine.loop.frame;
  event_watch_finish(&session->watch, &session->last);
}

// ------------------------------------------------------------
static void describe_stinger(const struct stinger_def *def, struct wire_pipe *out) {
  out->support_count = stinger_supports(def);
  for (int k = 0; k < out->support_count; k++) {
    const vec3 at = stinger_support_of(def, k).at_b_m;
    out->support_b_m[0][k] = at.x;
    out->support_b_m[1][k] = at.y;
    out->support_b_m[2][k] = at.z;
  }
}

static enum status describe_pipe(const struct setup *setup, const struct sim *sim,
                                 struct session_about *out) {
  const struct pipe_def *def = &setup->config.sim.pipe;
  struct wire_pipe *pipe = &out->wire.pipe;
  int count = sim_node_capacity(sim), varies = 0;
  if (count == 0)
    return STATUS_OK;
  out->arc_length_m = calloc((size_t)count, sizeof(double));
  out->element_diameter_m = calloc((size_t)count, sizeof(double));
  if (!out->arc_length_m || !out->element_diameter_m)
    return STATUS_NO_MEMORY;
  for (int e = 0; e + 1 < count; e++) {
    out->arc_length_m[e + 1] = out->arc_length_m[e] + pipe_element_length(def, e);
    out->element_diameter_m[e] = pipe_element_type(def, e)->outer_diameter_m;
    varies |= out->element_diameter_m[e] != def->line.outer_diameter_m;
  }
  pipe->node_count = count;
  pipe->arc_length_m = out->arc_length_m;
  pipe->element_diameter_m = varies ? out->element_diameter_m : NULL;
  pipe->outer_diameter_m = def->line.outer_diameter_m;
  pipe->lay_azimuth_rad = def->lay_azimuth_rad;
  memcpy(pipe->hangoff_b_m, setup->config.sim.vessel.hangoff_b_m, sizeof pipe->hangoff_b_m);
  describe_stinger(&def->stinger, pipe);
  if (setup->config.sim.env.seabed_contact == CONTACT_UNDERSIDE)
    pipe->contact_offset_m = 0.5 * def->line.outer_diameter_m;
  return STATUS_OK;
}

// Level at a place given in nodes from the south-western one, between its neighbours.
static double level_at(const struct bathymetry_def *grid, double north, double east) {
  int i = (int)north, j = (int)east;
  i = i > grid->north_nodes - 2 ? grid->north_nodes - 2 : i;
  j = j > grid->east_nodes - 2 ? grid->east_nodes - 2 : j;
  const double *south = grid->z_m + (size_t)i * (size_t)grid->east_nodes + j;
  const double *higher = south + grid->east_nodes;
  double u = north - i, v = east - j;
  return (1 - u) * ((1 - v) * south[0] + v * south[1]) + u * ((1 - v) * higher[0] + v * higher[1]);
}

static enum status describe_grid(const struct bathymetry_def *grid, struct session_about *out) {
  struct wire_seabed *seabed = &out->wire.seabed;
  int north = grid->north_nodes < WIRE_GRID ? grid->north_nodes : WIRE_GRID;
  int east = grid->east_nodes < WIRE_GRID ? grid->east_nodes : WIRE_GRID;
  double north_step = (double)(grid->north_nodes - 1) / (north - 1), // in nodes of the bathymetry
      east_step = (double)(grid->east_nodes - 1) / (east - 1);
  out->grid_down_m = calloc((size_t)(north * east), sizeof(double));
  if (!out->grid_down_m)
    return STATUS_NO_MEMORY;
  for (int i = 0; i < north; i++)
    for (int j = 0; j < east; j++)
      out->grid_down_m[i * east + j] = level_at(grid, i * north_step, j * east_step);
  seabed->north_nodes = north;
  seabed->east_nodes = east;
  seabed->grid_north_m = grid->north_m;
  seabed->grid_east_m = grid->east_m;
  seabed->spacing_north_m = grid->spacing_m * north_step;
  seabed->spacing_east_m = grid->spacing_m * east_step;
  seabed->grid_down_m = out->grid_down_m;
  return STATUS_OK;
}

static enum status describe_seabed(const struct env_def *env, struct session_about *out) {
  struct wire_seabed *seabed = &out->wire.seabed;
  seabed->is_there = env->seabed != SEABED_NONE;
  seabed->north_m = env->slope.reference_m[0];
  seabed->east_m = env->slope.reference_m[1];
  seabed->down_m = env->depth_m;
  seabed->slope_north = tan(env->slope.angle_rad) * cos(env->slope.direction_rad);
  seabed->slope_east = tan(env->slope.angle_rad) * sin(env->slope.direction_rad);
  return seabed->is_there && env->bathymetry.north_nodes > 0 ? describe_grid(&env->bathymetry, out)
                                                             : STATUS_OK;
}

static void describe_view(const struct view_def *view, struct wire_session *out) {
  _Static_assert((int)MAX_OUTLINE <= (int)WIRE_OUTLINE && (int)WATCH_CIRCLES <= (int)WIRE_CIRCLES,
                 "room for all");
  out->outline_count = view->outline_count;
  for (int i = 0; i < view->outline_count; i++) {
    out->outline_b_m[i][0] = view->outline[i].forward_m;
    out->outline_b_m[i][1] = view->outline[i].starboard_m;
  }
  for (int i = 0; i < WATCH_CIRCLES && view->watch_circle_m[i] > 0; i++)
    out->circle_m[out->circle_count++] = view->watch_circle_m[i];
  out->limit_curvature_1pm = view->curvature_1pm;
  out->limit_moment_nm = view->moment_nm;
  out->limit_tension_n = view->tension_n;
}

enum status session_about_fill(const struct setup *setup, const struct sim *sim, const char *version,
                               double duration_s, const struct loop_target *start, struct session_about *out,
                               struct reason *why) {
  const struct config *config = &setup->config;
  memset(out, 0, sizeof *out);
  out->wire.version = version;
  out->wire.model_hash = config->model_hash;
  out->wire.duration_s = duration_s;
  out->wire.start[0] = start->start_n_m[0];
  out->wire.start[1] = start->start_n_m[1];
  out->wire.start[2] = start->heading_rad;
  out->wire.scenario = &config->scenario;
  const struct power_def *power = &config->sim.vessel.plant.power;
  out->wire.power = power->generator_count || power->battery_count ? power : NULL;
  describe_view(&config->view, &out->wire);
  enum status status = describe_pipe(setup, sim, out);
  if (status == STATUS_OK)
    status = describe_seabed(&config->sim.env, out);
  return status == STATUS_OK ? STATUS_OK
                             : fail(why, status, "out of memory for the description of the session");
}

static void session_about_free(struct session_about *about) {
  free(about->arc_length_m);
  free(about->element_diameter_m);
  free(about->grid_down_m);
}

// ------------------------------------------------------------
enum { FRACTIONS = 3 };
static const double FRACTION[FRACTIONS] = {0.5, 0.99, 0.999};

void times_clear(struct times *t) {
  histogram_clear(&t->step_ns);
  histogram_clear(&t->wakeup_ns);
  histogram_clear(&t->latched_ns);
  t->offsets = (struct offsets){0};
}

void times_fill_latency(const struct histogram *h, struct latency *out) {
  uint64_t ns[FRACTIONS];
  histogram_percentiles(h, FRACTIONS, FRACTION, ns);
  out->count = h->count;
  out->p50_us = 1e-3 * (double)ns[0];
  out->p99_us = 1e-3 * (double)ns[1];
  out->p999_us = 1e-3 * (double)ns[2];
  out->max_us = 1e-3 * (double)h->max_ns;
}

void times_fill(const struct times *t, struct timing *out) {
  struct latency step, wakeup;
  times_fill_latency(&t->step_ns, &step);
  times_fill_latency(&t->wakeup_ns, &wakeup);
  times_fill_latency(&t->latched_ns, &out->command_latched);
  out->step_p50_us = step.p50_us;
  out->step_p99_us = step.p99_us;
  out->step_p999_us = step.p999_us;
  out->step_max_us = step.max_us;
  out->wakeup_p50_us = wakeup.p50_us;
  out->wakeup_p99_us = wakeup.p99_us;
  out->wakeup_p999_us = wakeup.p999_us;
  out->wakeup_max_us = wakeup.max_us;
}

struct merging {
  struct wire_histogram *out;
  int visited, group; // buckets with a count so far; how many of them become one
};

static void count_bucket(void *context, struct histogram_bucket bucket) {
  (void)bucket;
  ++*(int *)context;
}

static void merge_bucket(void *context, struct histogram_bucket bucket) {
  struct merging *merging = context;
  struct wire_histogram *out = merging->out;
  if (merging->visited++ % merging->group == 0)
    out->counts[out->buckets++] = 0;
  out->upper_us[out->buckets - 1] = 1e-3 * (double)bucket.upper_ns;
  out->counts[out->buckets - 1] += bucket.count;
}

void times_fill_histogram(const struct histogram *h, struct wire_histogram *out) {
  int count = 0;
  histogram_visit(h, count_bucket, &count);
  struct merging merging = {.out = out, .group = 1 + (count > 0 ? (count - 1) / WIRE_BUCKETS : 0)};
  out->count = h->count;
  out->buckets = 0;
  histogram_visit(h, merge_bucket, &merging);
}

// ------------------------------------------------------------
void late_steps_add(struct late_steps *l, const struct sim_output *now, uint64_t late_ns,
                    const struct step_clock *clock) {
  struct late_step *late = &l->kept[l->count++ % LATE_STEPS_KEPT];
  *late = (struct late_step){.step = now->step, .time_s = now->time_s, .late_us = 1e-3 * (double)late_ns};
  for (int i = 0; i < STEP_STAGE_COUNT; i++)
    late->stage_us[i] = 1e-3 * (double)clock->stage_ns[i];
  if (!l->worst.step || late->late_us > l->worst.late_us)
    l->worst = *late;
}

const struct late_step *late_steps_newest(const struct late_steps *l, uint64_t i) {
  if (i >= l->count || i >= LATE_STEPS_KEPT)
    return 0;
  return &l->kept[(l->count - 1 - i) % LATE_STEPS_KEPT];
}

// ------------------------------------------------------------
// The kept copy of the newest pause; NULL: there were too many before it.
static struct pause *kept_newest(struct pauses *p) {
  return p->count <= PAUSES_KEPT ? &p->kept[p->count - 1] : 0;
}

void pauses_begin(struct pauses *p, const struct pause *pause) {
  if (p->now)
    return;
  p->now = 1;
  p->count++;
  p->newest = *pause;
  p->newest.end_ns = 0;
  if (kept_newest(p))
    *kept_newest(p) = p->newest;
}

void pauses_end(struct pauses *p, uint64_t now_ns) {
  if (!p->now)
    return;
  p->now = 0;
  p->newest.end_ns = now_ns;
  p->over_ns += now_ns - p->newest.begin_ns;
  if (kept_newest(p))
    *kept_newest(p) = p->newest;
}

uint64_t pauses_ns(const struct pauses *p, uint64_t now_ns) {
  return p->over_ns + (p->now ? now_ns - p->newest.begin_ns : 0);
}

double pause_s(const struct pause *pause, uint64_t now_ns) {
  return 1e-9 * (double)((pause->end_ns ? pause->end_ns : now_ns) - pause->begin_ns);
}
