// Packing of what only the PUB socket carries: truth, ledger, timing, nodes.
#include "io/codec/codec_parts.h"

#include "sagbend/v1/telemetry.pb-c.h"

#include <math.h>
#include <string.h>

typedef Sagbend__V1__Header Header;
typedef Sagbend__V1__PortWork PortWork;
typedef Sagbend__V1__Dissipation Dissipation;
typedef Sagbend__V1__Percentiles Percentiles;

static void fill_weather(const struct sim_weather *from, Sagbend__V1__Weather *w) {
  w->wind_speed_mps = from->wind_speed_mps;
  w->wind_direction_rad = from->wind_direction_rad;
  w->wind_gust_mps = from->wind_gust_mps;
  w->wave_elevation_m = from->wave_elevation_m;
  w->current_north_mps = from->current_n_mps[0];
  w->current_east_mps = from->current_n_mps[1];
}

static void fill_pipe_truth(const struct sim_output *o, Sagbend__V1__PipeTruth *p,
                            Sagbend__V1__TouchdownForces *touchdown) {
  p->hangoff_north_m = o->hangoff_position_n_m[0];
  p->hangoff_east_m = o->hangoff_position_n_m[1];
  p->hangoff_down_m = o->hangoff_position_n_m[2];
  p->hangoff_force_north_n = o->hangoff_force_n_n[0];
  p->hangoff_force_east_n = o->hangoff_force_n_n[1];
  p->hangoff_force_down_n = o->hangoff_force_n_n[2];
  p->max_moment_nm = o->max_moment_nm;
  p->bottom_effective_tension_n = o->bottom_tension_n;
  p->max_effective_tension_n = o->max_tension_n;
  p->max_effective_tension_arc_length_m = o->max_tension_s_m;
  p->min_effective_tension_n = o->min_tension_n;
  p->min_effective_tension_arc_length_m = o->min_tension_s_m;
  p->max_shear_n = o->max_shear_n;
  p->max_torsion_nm = o->max_torsion_nm;
  p->max_moment_arc_length_m = o->max_moment_s_m;
  p->max_shear_arc_length_m = o->max_shear_s_m;
  p->max_torsion_arc_length_m = o->max_torsion_s_m;
  p->max_wall_tension_n = o->max_wall_tension_n;
  p->max_wall_tension_arc_length_m = o->max_wall_tension_s_m;
  p->min_wall_tension_n = o->min_wall_tension_n;
  p->min_wall_tension_arc_length_m = o->min_wall_tension_s_m;
  p->max_strain = o->max_strain;
  p->max_strain_arc_length_m = o->max_strain_s_m;
  p->min_strain = o->min_strain;
  p->min_strain_arc_length_m = o->min_strain_s_m;
  if (isnan(o->touchdown_tension_n)) // no contact
    return;
  touchdown->effective_tension_n = o->touchdown_tension_n;
  p->touchdown = touchdown;
}

size_t wire_pack_truth(const struct wire_header *h, const struct frame *f, uint8_t *out, size_t capacity) {
  const struct sim_output *o = &f->output;
  Header header = wire_header_message(h);
  Sagbend__V1__BodyWrench applied = wire_wrench_message(o->control_wrench_b);
  Sagbend__V1__PipeTruth pipe = SAGBEND__V1__PIPE_TRUTH__INIT;
  Sagbend__V1__TouchdownForces touchdown = SAGBEND__V1__TOUCHDOWN_FORCES__INIT;
  Sagbend__V1__Truth t = SAGBEND__V1__TRUTH__INIT;
  t.header = &header;
  t.position_north_m = o->position_n_m[0];
  t.position_east_m = o->position_n_m[1];
  t.position_down_m = o->position_n_m[2];
  t.quaternion_w = o->quaternion_nb[0];
  t.quaternion_x = o->quaternion_nb[1];
  t.quaternion_y = o->quaternion_nb[2];
  t.quaternion_z = o->quaternion_nb[3];
  t.surge_mps = o->velocity_b[0];
  t.sway_mps = o->velocity_b[1];
  t.heave_mps = o->velocity_b[2];
  t.roll_radps = o->velocity_b[3];
  t.pitch_radps = o->velocity_b[4];
  t.yaw_radps = o->velocity_b[5];
  t.applied_wrench = &applied;
  if (o->has_pipe) {
    fill_pipe_truth(o, &pipe, &touchdown);
    t.pipe = &pipe;
  }
  t.newton_iterations = (uint32_t)o->newton_iterations;
  t.unsolved_steps = o->cap_count;
  t.unresolved_steps = o->unresolved_count;
  t.events = o->events;
  t.fault = o->fault != 0;
  struct plant_truth_message plant;
  wire_fill_plant_truth(o, &plant, &t);
  Sagbend__V1__Weather weather = SAGBEND__V1__WEATHER__INIT;
  if (o->weather.has_wind || o->weather.has_waves) {
    fill_weather(&o->weather, &weather);
    t.weather = &weather;
  }
  return wire_pack(&t.base, out, capacity);
}

_Static_assert(PORT_COUNT == 9 && LOSS_COUNT == 7, "another port or loss: extend PortWork or Dissipation");

static PortWork work_of(const double joule[PORT_COUNT]) {
  PortWork w = SAGBEND__V1__PORT_WORK__INIT;
  w.control_j = joule[PORT_CONTROL];
  w.loads_j = joule[PORT_LOADS];
  w.current_j = joule[PORT_CURRENT];
  w.motion_j = joule[PORT_MOTION];
  w.water_inertia_j = joule[PORT_WATER_INERTIA];
  w.wind_j = joule[PORT_WIND];
  w.waves_j = joule[PORT_WAVES];
  w.thrusters_j = joule[PORT_THRUSTERS];
  w.added_mass_j = joule[PORT_ADDED_MASS];
  return w;
}

static Dissipation dissipation_of(const double joule[LOSS_COUNT]) {
  Dissipation d = SAGBEND__V1__DISSIPATION__INIT;
  d.vessel_damping_j = joule[LOSS_VESSEL_DAMPING];
  d.pipe_drag_j = joule[LOSS_PIPE_DRAG];
  d.pipe_rotation_j = joule[LOSS_PIPE_ROTATION];
  d.seabed_j = joule[LOSS_SEABED];
  d.friction_j = joule[LOSS_FRICTION];
  d.structural_j = joule[LOSS_STRUCTURAL];
  d.limiter_j = joule[LOSS_LIMITER];
  return d;
}

size_t wire_pack_ledger(const struct wire_header *h, const struct frame *f, uint8_t *out, size_t capacity) {
  const struct ledger *l = &f->ledger;
  Header header = wire_header_message(h);
  PortWork step_work = work_of(l->work_j), total_work = work_of(l->total_work_j);
  Dissipation step_loss = dissipation_of(l->loss_j), total_loss = dissipation_of(l->total_loss_j);
  Sagbend__V1__Ledger m = SAGBEND__V1__LEDGER__INIT;
  m.header = &header;
  m.energy_j = l->energy_j;
  m.initial_energy_j = l->energy_initial_j;
  m.kinetic_j = l->kinetic_j;
  m.step_work = &step_work;
  m.step_dissipation = &step_loss;
  m.step_residual_j = l->residual_j;
  m.total_work = &total_work;
  m.total_dissipation = &total_loss;
  m.total_residual_j = l->total_residual_j;
  m.max_total_residual_j = l->max_abs_total_residual_j;
  m.turnover_j = l->turnover_j;
  return wire_pack(&m.base, out, capacity);
}

size_t wire_pack_timing(const struct wire_header *h, const struct frame *f,
                        const struct command_counts *counts, uint8_t *out, size_t capacity) {
  const struct timing *t = &f->timing;
  Header header = wire_header_message(h);
  Percentiles step = SAGBEND__V1__PERCENTILES__INIT, wakeup = SAGBEND__V1__PERCENTILES__INIT;
  step.last_us = t->step_us;
  step.p50_us = t->step_p50_us;
  step.p99_us = t->step_p99_us;
  step.p999_us = t->step_p999_us;
  step.max_us = t->step_max_us;
  wakeup.last_us = t->wakeup_us;
  wakeup.p50_us = t->wakeup_p50_us;
  wakeup.p99_us = t->wakeup_p99_us;
  wakeup.p999_us = t->wakeup_p999_us;
  wakeup.max_us = t->wakeup_max_us;
  Sagbend__V1__Timing m = SAGBEND__V1__TIMING__INIT;
  m.header = &header;
  m.deadline_misses = t->deadline_misses;
  m.skipped_periods = t->skipped_periods;
  m.lag_s = t->lag_s;
  m.step = &step;
  m.wakeup = &wakeup;
  m.dropped_frames = t->dropped_frames;
  m.commands_accepted = counts->accepted;
  for (int i = 0; i < REFUSAL_COUNT; i++)
    m.commands_refused += counts->refused[i];
  return wire_pack(&m.base, out, capacity);
}

static void node_columns(const struct sim_node *n, double column[WIRE_NODE_COLUMNS]) {
  const struct section_forces *f = &n->section;
  const double all[WIRE_NODE_COLUMNS] = {
      n->position_n_m[0],
      n->position_n_m[1],
      n->position_n_m[2],
      n->quaternion_nt[0],
      n->quaternion_nt[1],
      n->quaternion_nt[2],
      n->quaternion_nt[3],
      f->effective_tension_n,
      f->wall_tension_n,
      f->shear_n[0],
      f->shear_n[1],
      f->torsion_nm,
      f->bending_nm[0],
      f->bending_nm[1],
      sqrt(f->curvature_1pm[0] * f->curvature_1pm[0] + f->curvature_1pm[1] * f->curvature_1pm[1])};
  memcpy(column, all, sizeof all);
}

size_t wire_pack_nodes(const struct wire_header *h, size_t count, const struct sim_node *nodes,
                       double *scratch, uint8_t *out, size_t capacity) {
  Header header = wire_header_message(h);
  Sagbend__V1__Nodes m = SAGBEND__V1__NODES__INIT;
  struct {
    size_t *count;
    double **values;
  } const fields[WIRE_NODE_COLUMNS] = {{&m.n_north_m, &m.north_m},
                                       {&m.n_east_m, &m.east_m},
                                       {&m.n_down_m, &m.down_m},
                                       {&m.n_quaternion_w, &m.quaternion_w},
                                       {&m.n_quaternion_x, &m.quaternion_x},
                                       {&m.n_quaternion_y, &m.quaternion_y},
                                       {&m.n_quaternion_z, &m.quaternion_z},
                                       {&m.n_effective_tension_n, &m.effective_tension_n},
                                       {&m.n_wall_tension_n, &m.wall_tension_n},
                                       {&m.n_shear_2_n, &m.shear_2_n},
                                       {&m.n_shear_3_n, &m.shear_3_n},
                                       {&m.n_torsion_nm, &m.torsion_nm},
                                       {&m.n_bending_2_nm, &m.bending_2_nm},
                                       {&m.n_bending_3_nm, &m.bending_3_nm},
                                       {&m.n_curvature_1pm, &m.curvature_1pm}};
  for (size_t i = 0; i < count; i++) {
    double column[WIRE_NODE_COLUMNS];
    node_columns(&nodes[i], column);
    for (size_t k = 0; k < WIRE_NODE_COLUMNS; k++)
      scratch[k * count + i] = column[k];
  }
  m.header = &header;
  for (size_t k = 0; k < WIRE_NODE_COLUMNS; k++) {
    *fields[k].count = count;
    *fields[k].values = scratch + k * count;
  }
  return wire_pack(&m.base, out, capacity);
}
