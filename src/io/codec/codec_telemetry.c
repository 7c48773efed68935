// Packing of what only the PUB socket carries: truth, ledger, timing, nodes.
#include "io/codec/codec_parts.h"

#include "sagbend/v1/telemetry.pb-c.h"

#include <math.h>
#include <string.h>

typedef Sagbend__V1__Header Header;
typedef Sagbend__V1__PortWork PortWork;
typedef Sagbend__V1__Dissipation Dissipation;
typedef Sagbend__V1__Percentiles Percentiles;

size_t wire_pack_truth(const struct wire_header *h, const struct frame *f, uint8_t *out, size_t capacity) {
  const struct sim_output *o = &f->output;
  const struct loop_view view = loop_view_of(f, NULL);
  Header header = wire_header_message(h);
  Sagbend__V1__Truth truth = SAGBEND__V1__TRUTH__INIT;
  truth.header = &header;
  truth.quaternion_w = o->quaternion_nb[0];
  truth.quaternion_x = o->quaternion_nb[1];
  truth.quaternion_y = o->quaternion_nb[2];
  truth.quaternion_z = o->quaternion_nb[3];
  truth.events = o->events;
  truth.fault = o->fault != 0;
  wire_fill_quantities(&truth, MESSAGE_TRUTH, &view);

  Sagbend__V1__BodyWrench applied = SAGBEND__V1__BODY_WRENCH__INIT;
  wire_fill_quantities(&applied, MESSAGE_TRUTH_APPLIED_WRENCH, &view);
  truth.applied_wrench = &applied;

  Sagbend__V1__PipeTruth pipe = SAGBEND__V1__PIPE_TRUTH__INIT;
  Sagbend__V1__TouchdownForces touchdown = SAGBEND__V1__TOUCHDOWN_FORCES__INIT;
  if (o->has_pipe) {
    wire_fill_quantities(&pipe, MESSAGE_TRUTH_PIPE, &view);
    wire_fill_quantities(&touchdown, MESSAGE_TRUTH_PIPE_TOUCHDOWN, &view);
    pipe.touchdown = isnan(o->touchdown_tension_n) ? NULL : &touchdown; // NaN: no contact
    truth.pipe = &pipe;
  }

  Sagbend__V1__Weather weather = SAGBEND__V1__WEATHER__INIT;
  if (o->weather.has_wind || o->weather.has_waves) {
    wire_fill_quantities(&weather, MESSAGE_TRUTH_WEATHER, &view);
    truth.weather = &weather;
  }

  struct plant_truth_message plant;
  wire_fill_plant_truth(&view, &plant, &truth);
  return wire_pack(&truth.base, out, capacity);
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
  const struct loop_view view = loop_view_of(f, NULL);
  Header header = wire_header_message(h);
  PortWork step_work = work_of(l->work_j), total_work = work_of(l->total_work_j);
  Dissipation step_loss = dissipation_of(l->loss_j), total_loss = dissipation_of(l->total_loss_j);
  Sagbend__V1__Ledger m = SAGBEND__V1__LEDGER__INIT;
  m.header = &header;
  m.initial_energy_j = l->energy_initial_j;
  m.step_work = &step_work;
  m.step_dissipation = &step_loss;
  m.step_residual_j = l->residual_j;
  m.total_work = &total_work;
  m.total_dissipation = &total_loss;
  m.max_total_residual_j = l->max_abs_total_residual_j;
  m.turnover_j = l->turnover_j;
  wire_fill_quantities(&m, MESSAGE_LEDGER, &view);
  return wire_pack(&m.base, out, capacity);
}

size_t wire_pack_timing(const struct wire_header *h, const struct frame *f,
                        const struct command_counts *counts, uint8_t *out, size_t capacity) {
  const struct timing *t = &f->timing;
  const struct loop_view view = loop_view_of(f, NULL);
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
  m.lag_s = t->lag_s;
  m.step = &step;
  m.wakeup = &wakeup;
  m.dropped_frames = t->dropped_frames;
  wire_fill_quantities(&m, MESSAGE_TIMING, &view);
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
