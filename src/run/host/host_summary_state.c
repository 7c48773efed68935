// Of a summary: the state at the end of the run, the energy, and the error of the memory in the hydro file.
#include "run/host/summary_parts.h"

#include "sagbend/math/trig.h"
#include "sagbend/rig/held_pose.h"
#include "sagbend/hydro/fit_error.h"
#include "sagbend/hydro/hydro_checks.h"

static const double DEG = 180 / TRIG_PI;

// Adds a number unless the object already has that name.
static void add_once(cJSON *to, const char *name, double value) {
  if (!cJSON_HasObjectItem(to, name))
    summary_number(to, name, value);
}

// Returns the object of a quantity; creates it if it is missing.
static cJSON *object_of(cJSON *root, enum quantity q) {
  const char *name = quantity_groups[quantity_table[q].group].object;
  cJSON *object = *name ? cJSON_GetObjectItem(root, name) : root;
  return object ? object : cJSON_AddObjectToObject(root, name);
}

static void add_vector(cJSON *to, const char *name, const double *values, int count, double factor) {
  cJSON *array = cJSON_AddArrayToObject(to, name);
  for (int i = 0; i < count; i++)
    cJSON_AddItemToArray(array, cJSON_CreateNumber(values[i] * factor));
}

void summary_add_energy(cJSON *root, const struct ledger *l) {
  cJSON *energy = cJSON_AddObjectToObject(root, "energy");
  summary_number(energy, "initial_j", l->energy_initial_j);
  summary_number(energy, "final_j", l->energy_j);
  summary_number(energy, "kinetic_j", l->kinetic_j);
  summary_number(energy, "memory_j", l->memory_j);
  cJSON *work = cJSON_AddObjectToObject(energy, "work_j");
  for (int i = 0; i < PORT_COUNT; i++)
    summary_number(work, energy_port_name(i), l->total_work_j[i]);
  cJSON *loss = cJSON_AddObjectToObject(energy, "dissipated_j");
  for (int i = 0; i < LOSS_COUNT; i++)
    summary_number(loss, loss_name(i), l->total_loss_j[i]);
  summary_number(energy, "residual_j", l->total_residual_j);
  summary_number(energy, "max_abs_residual_j", l->max_abs_residual_j);
  summary_number(energy, "closure_rel", ledger_closure_rel(l));
}

// Adds the set-point, if the configuration states one.
static void add_setpoint(cJSON *vessel, const struct host *host) {
  const struct config *c = &host->setup.config;
  const struct pid_def *law = host->setup.has_dp                           ? &host->setup.dp.def.pid
                              : c->sim.controller == CONTROLLER_CONTINUOUS ? &c->sim.pid
                                                                           : NULL;
  double setpoint[3];
  if (loop_is_on_route(&host->session->last.target) ||
      !session_setpoint(host->session, &host->session->last.target, setpoint))
    return;
  add_vector(vessel, "setpoint_m", (double[]){setpoint[0], setpoint[1], law ? law->reference[2] : 0}, 3, 1);
  summary_number(vessel, "setpoint_heading_deg", setpoint[2] * DEG);
}

// Adds the route of the DP file. Where the vessel is on it stands among the quantities.
static void add_route(cJSON *root, const struct track_def *track) {
  if (!track->route.count)
    return;
  cJSON *route = cJSON_AddObjectToObject(root, "route");
  summary_number(route, "length_m", track->route.length_m);
  cJSON *waypoints = cJSON_AddArrayToObject(route, "waypoints");
  for (int i = 0; i < track->route.waypoint_count; i++) {
    const struct waypoint *from = &track->route.waypoint[i];
    cJSON *waypoint = summary_item(waypoints);
    summary_number(waypoint, "north_m", from->position_m[0]);
    summary_number(waypoint, "east_m", from->position_m[1]);
    summary_number(waypoint, "radius_m", from->radius_m);
  }
}

void summary_add_state(cJSON *root, const struct host *host) {
  const struct sim_output *o = &host->session->last.output;
  cJSON *newton = cJSON_AddObjectToObject(root, "newton");
  summary_number(newton, "max", o->newton_max);
  summary_number(newton, "mean", o->newton_mean);
  summary_number(newton, "tangents_mean", o->tangents_mean);
  summary_number(newton, "divided_count", (double)o->divided_count);
  summary_number(newton, "cap_count", (double)o->unsolved_count); // former name of unsolved_steps
  summary_number(root, "unsolved_steps", (double)o->unsolved_count);
  summary_number(root, "unresolved_steps", (double)o->unresolved_count);
  cJSON *vessel = cJSON_AddObjectToObject(root, "vessel");
  add_vector(vessel, "position_m", o->position_n_m, 3, 1);
  add_vector(vessel, "attitude_deg", o->euler_rad, 3, DEG);
  add_setpoint(vessel, host);
  add_route(root, &host->setup.config.scenario.track);
  add_vector(vessel, "control_wrench_b", o->control_wrench_b, 6, 1);
}

// Adds what the consequence analysis of a controller inside says of each failure at the end.
static void add_failures(cJSON *to, const struct closed_loop *loop) {
  const struct consequence_def *def = loop->inside ? &loop->inside->consequence : NULL;
  const struct consequence_state *state = &loop->dp.consequence;
  if (!def || !def->present || !state->known)
    return;
  cJSON *failures = cJSON_AddArrayToObject(to, "failures");
  for (int i = 0; i < def->failure_count; i++) {
    if (state->margin[i] < 0) // it takes nothing away
      continue;
    cJSON *failure = summary_item(failures);
    summary_text(failure, "name", def->failure[i].name);
    summary_number(failure, "margin", state->margin[i]);
    cJSON_AddBoolToObject(failure, "alarm", state->failure_alarm[i]);
  }
}

// Adds the quantities of sagbend/rig/quantities.inc at the end of the run, each to the object of its group. Without
// a pipe the object "pipe" is null.
void summary_add_quantities(cJSON *root, const struct host *host) {
  const struct sim_output *o = &host->session->last.output;
  const struct loop_view view = loop_view_of(&host->session->last, &host->session->last.target);
  if (!o->has_pipe)
    cJSON_AddNullToObject(root, "pipe");
  for (int q = 0; q < QUANTITY_COUNT; q++)
    if (quantity_exists((enum quantity)q, &view))
      add_once(object_of(root, (enum quantity)q), quantity_shown_name(q),
               quantity_shown((enum quantity)q, &view));
  add_failures(object_of(root, QUANTITY_CONSEQUENCE_MARGIN), &host->session->engine.loop);
}

// ---- The hydro file ----

void summary_add_hydro(cJSON *root, const struct host *host) {
  const struct hydro_data *data = host->setup.config.hydro;
  if (!data)
    return;
  cJSON *hydro = cJSON_AddObjectToObject(root, "hydro");
  summary_text(hydro, "file", host->setup.config.hydro_file);
  summary_number(hydro, "fit_error_of_peak", data->fit.error);
  cJSON *motions = cJSON_AddObjectToObject(hydro, "motion_error_of_peak");
  for (int i = 0; i < 6; i++)
    summary_number(motions, HYDRO_DOF[i], data->fit.motion[i]);
}

void summary_print_hydro(const struct host *host) {
  char text[400];
  if (host->setup.config.hydro && hydro_fit_notice(host->setup.config.hydro, text, sizeof text))
    printf("%-20s %s\n", "hydro file", text);
}
