#include "sagbend/rig/plant_faults.h"

#include "sagbend/base/steps.h"

#include <string.h>

// The i-th of those that a blackout hits comes back i intervals after its end.
void restart_update(struct restart *r, const struct fault_set *faults, int bus_count, uint64_t step,
                    double step_s) {
  uint64_t rank = 0;
  for (int bus = 0; bus < bus_count; bus++) {
    const struct fault *f = fault_find(faults, FAULT_BLACKOUT, bus);
    if (f)
      r->back_step[bus] = step + 1 + rank++ * steps_nearest_to(f->value[0], step_s);
  }
}

static void fault_thruster(const struct fault_set *faults, double full_rpm, int i, double time_s,
                           struct thruster_setpoint *setpoint, struct thruster_switches *switches) {
  const struct fault *sluggish = fault_find(faults, FAULT_SLUGGISH, i),
                     *turns = fault_find(faults, FAULT_ROTATING, i);
  if (fault_find(faults, FAULT_TO_ZERO, i))
    setpoint->revolutions_rpm = setpoint->pitch = 0;
  if (fault_find(faults, FAULT_TO_FULL, i)) {
    setpoint->enable = 1;
    setpoint->revolutions_rpm = full_rpm;
    setpoint->pitch = 1;
  }
  if (turns)
    setpoint->azimuth_rad += turns->value[0] * (time_s - turns->since_s);
  if (fault_find(faults, FAULT_EMERGENCY_STOP, i)) { // it cuts the drive off, whatever else has failed
    *switches = (struct thruster_switches){.not_ready = 1};
    return;
  }
  switches->not_ready = fault_find(faults, FAULT_NOT_READY, i) != NULL;
  switches->stuck = fault_find(faults, FAULT_STUCK, i) || (sluggish && !(sluggish->value[0] > 0));
  switches->slowed = sluggish && !switches->stuck ? 1 - sluggish->value[0] : 0;
}

static double lost_share(const struct fault_set *faults, enum fault_kind kind) {
  const struct fault *f = fault_find(faults, kind, -1);
  return f ? 1 - f->value[0] : 0;
}

// Of two opposite failures of one set the one that the table names first acts.
static struct generator_switches generator_faults(const struct fault_set *faults, int i) {
  struct generator_switches out = {.trips = fault_find(faults, FAULT_TRIP, i) != NULL,
                                   .fuel_lost = fault_find(faults, FAULT_FUEL_LOSS, i) != NULL,
                                   .start_fails = fault_find(faults, FAULT_START, i) != NULL,
                                   .status_frozen = fault_find(faults, FAULT_STATUS_FROZEN, i) != NULL};
  if (fault_find(faults, FAULT_GOVERNOR_HIGH, i))
    out.governor = ACTUATOR_HIGH;
  else if (fault_find(faults, FAULT_GOVERNOR_LOW, i))
    out.governor = ACTUATOR_LOW;
  else if (fault_find(faults, FAULT_GOVERNOR_STUCK, i))
    out.governor = ACTUATOR_STUCK;
  if (fault_find(faults, FAULT_FIELD_HIGH, i))
    out.field = ACTUATOR_HIGH;
  else if (fault_find(faults, FAULT_FIELD_LOW, i))
    out.field = ACTUATOR_LOW;
  return out;
}

static struct tensioner_switches tensioner_faults(const struct fault_set *faults) {
  const struct fault *runaway = fault_find(faults, FAULT_RUNAWAY, -1);
  return (struct tensioner_switches){.brake_lost = lost_share(faults, FAULT_BRAKE),
                                     .grip_lost = lost_share(faults, FAULT_SLIP),
                                     .runs_away = runaway != NULL,
                                     .runaway_mps = runaway ? runaway->value[0] : 0};
}

void plant_apply_faults(const struct fault_set *faults, const struct restart *r,
                        const struct hil_names *names, uint64_t step, double time_s,
                        struct thruster_setpoint setpoint[MAX_THRUSTERS], struct sim_input *input) {
  for (int i = 0; i < names->thruster_count; i++)
    fault_thruster(faults, names->full_rpm[i], i, time_s, &setpoint[i], &input->thruster[i]);
  for (int bus = 0; bus < names->bus_count; bus++) {
    const struct fault *limit = fault_find(faults, FAULT_LOAD_LIMIT, bus);
    input->bus[bus].lost = fault_find(faults, FAULT_BUS_LOST, bus) || step < r->back_step[bus];
    input->bus[bus].withheld = limit ? 1 - limit->value[0] : 0;
  }
  for (int i = 0; i < names->generator_count; i++)
    input->power.generator[i] = generator_faults(faults, i);
  for (int i = 0; i < names->tie_count; i++)
    input->power.tie[i] = (struct tie_switches){.opens = fault_find(faults, FAULT_TIE_OPENS, i) != NULL,
                                                .stuck = fault_find(faults, FAULT_TIE_STUCK, i) != NULL};
  input->power.no_reduction = fault_find(faults, FAULT_NO_REDUCTION, -1) != NULL;
  input->tensioner.switches = tensioner_faults(faults);
  const struct fault *flooding = fault_find(faults, FAULT_FLOODING, -1);
  if (flooding)
    input->flooding = (struct flooding_input){1, flooding->value[1], flooding->value[0]};
}

static struct thruster_feedback feedback_of(const struct thruster_output *t) {
  return (struct thruster_feedback){.running = t->running,
                                    .ready = t->ready,
                                    .revolutions_rpm = t->revolutions_rpm,
                                    .pitch = t->pitch,
                                    .azimuth_rad = t->azimuth_rad,
                                    .power_w = t->power_w};
}

// The one list of what power management reports: messages and Modbus read it.
static void power_feedback_of(const struct sim_output *truth, struct power_feedback *out) {
  out->bus_count = truth->power.present ? truth->bus_count : 0;
  out->generator_count = truth->power.present ? truth->power.generator_count : 0;
  out->tie_count = truth->power.present ? truth->power.tie_count : 0;
  for (int i = 0; i < out->bus_count; i++) {
    const struct bus_output *bus = &truth->bus[i];
    struct bus_feedback *to = &out->bus[i];
    memcpy(to->name, bus->name, sizeof to->name);
    to->supplied = bus->frequency > 0 && bus->closed;
    to->available_w = bus->available_w + 0.0, to->load_w = bus->used_w + 0.0; // never -0
    to->frequency = bus->frequency + 0.0, to->voltage = bus->voltage + 0.0;
  }
  for (int i = 0; i < out->generator_count; i++) {
    const struct generator_output *set = &truth->power.generator[i];
    memcpy(out->generator[i].name, set->name, sizeof set->name);
    out->generator[i].closed = set->reported != 0;
    out->generator[i].load_w = set->load_w + 0.0;
  }
  for (int i = 0; i < out->tie_count; i++) {
    memcpy(out->tie[i].name, truth->power.tie[i].name, sizeof out->tie[i].name);
    out->tie[i].closed = truth->power.tie[i].closed != 0;
  }
}

void plant_feedback(const struct fault_set *faults, const struct hil_names *names,
                    const struct sim_output *truth, struct readings *told) {
  told->thruster_count = truth->thruster_count;
  for (int i = 0; i < truth->thruster_count; i++) {
    const struct fault *swapped = fault_find(faults, FAULT_SWAPPED, i),
                       *factor = fault_find(faults, FAULT_FEEDBACK, i);
    struct thruster_feedback *f = &told->thruster[i];
    *f = feedback_of(&truth->thruster[swapped ? (int)swapped->value[0] : i]);
    memcpy(f->name, names->thruster[i], sizeof f->name);
    f->stopped = fault_find(faults, FAULT_EMERGENCY_STOP, i) != NULL;
    if (factor) {
      f->revolutions_rpm *= factor->value[0];
      f->pitch *= factor->value[0];
    }
  }
  told->power_available_w = told->power_used_w = 0;
  for (int bus = 0; bus < truth->bus_count; bus++) {
    told->power_available_w += truth->bus[bus].available_w;
    told->power_used_w += truth->bus[bus].used_w;
  }
  power_feedback_of(truth, &told->power);
}
