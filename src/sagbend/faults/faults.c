// Kinds of faults and their parameters; faults of thrusters, power and tensioner.
#include "sagbend/faults/faults.h"

#include "sagbend/base/base.h"

#include <string.h>

static const struct {
  const char *name;
  enum fault_target target;
  const char *parameter[FAULT_PARAMETERS];
} kinds[] = {
#define X(id, text, target, first, second) {text, target, {first, second}},
    FAULT_TABLE(X)
#undef X
};

const char *fault_name(enum fault_kind k) {
  return (unsigned)k < FAULT_COUNT ? kinds[k].name : "unknown";
}

enum fault_target fault_target_of(enum fault_kind k) {
  return kinds[(unsigned)k < FAULT_COUNT ? k : 0].target;
}

// The faults that instruments.inc gives a kind beside those of every instrument.
static const unsigned char OTHER_FAULTS[INSTRUMENT_COUNT][FAULT_COUNT] = {
#define CAN(fault) , [FAULT_##fault] = 1
#define NO_OTHER
#define INSTRUMENT(id, name, message, talker, need, place, arm, read, shown, fix, measured, faults)          \
  [INSTRUMENT_##id] = {0 faults},
#include "sagbend/signals/instruments.inc"
};

unsigned fault_instrument_kinds(enum fault_kind k) {
  unsigned found = 0;
  for (int i = 0; i < INSTRUMENT_COUNT; i++)
    found |= OTHER_FAULTS[i][k] ? 1u << i : 0;
  return found ? found : ~0u;
}

const char *fault_help(enum fault_kind k) {
  static const char *const texts[FAULT_COUNT] = {
      [FAULT_NO_OUTPUT] = "no measurements",
      [FAULT_FREEZE] = "measurements repeat the last value",
      [FAULT_GARBAGE] = "every channel is random within the amplitude",
      [FAULT_BIAS] = "a bias is added to a channel",
      [FAULT_DRIFT] = "a bias that grows with time is added to a channel",
      [FAULT_JUMP] = "a channel jumps",
      [FAULT_NOISE] = "white noise that grows with time is added to a channel",
      [FAULT_OUTLIERS] = "some measurements deviate by the amplitude",
      [FAULT_SLOW] = "measurements are no more frequent than this",
      [FAULT_DELAY] = "measurements arrive later",
      [FAULT_INTERMITTENT] = "some measurements are lost",
      [FAULT_INVALID] = "measurements are marked invalid",
      [FAULT_FLAG_FORCED_VALID] = "measurements are marked valid, whatever they contain",
      [FAULT_CONSTANT] = "a channel has this value",
      [FAULT_LEVER_ARM] = "the instrument is not at its configured position",
      [FAULT_DUPLICATE_OF] = "the instrument repeats another of its kind",
      [FAULT_TARGET_MOVED] = "the first target of the reference is not where the chart has it",
      [FAULT_OBSTRUCTED] = "the line of sight or the path of the sound is blocked",
      [FAULT_OTHER_TARGET] = "the reference takes another of its targets for its own",
      [FAULT_REFLECTION] = "the measurement comes by a longer path",
      [FAULT_NOISE_BURST] = "the errors of the instrument grow, as from thruster noise in the water",
      [FAULT_CLUMP_DRAGGING] = "the clump weight holds with only a share of its friction, and slides",
      [FAULT_WIRE_JAMMED] = "the winch of the wire does not move",
      [FAULT_WIRE_SLACK] = "the winch has paid out too much wire and does not take it up",
      [FAULT_COMMON_BIAS] = "a bias is added to a channel of all instruments with this error",
      [FAULT_CHECKSUM] = "NMEA sentences have wrong checksums",
      [FAULT_TALKER] = "NMEA sentences have another talker",
      [FAULT_DUPLICATE_SENTENCE] = "NMEA sentences are sent twice",
      [FAULT_AGE] = "NMEA sentences have an older time stamp",
      [FAULT_STUCK] = "revolutions, pitch and azimuth do not move",
      [FAULT_TO_ZERO] = "the set-point is zero",
      [FAULT_TO_FULL] = "the set-point is full",
      [FAULT_ROTATING] = "the azimuth turns",
      [FAULT_FEEDBACK] = "the feedback is wrong by a factor",
      [FAULT_SWAPPED] = "the feedback is that of another thruster",
      [FAULT_TRIPPED] = "the thruster ignores commands and stops",
      [FAULT_SLUGGISH] = "the thruster follows its set-points slowly",
      [FAULT_LOAD_LIMIT] = "only a share of the power is available",
      [FAULT_BUS_LOST] = "the breaker opens and the thrusters of the bus stop",
      [FAULT_BLACKOUT] = "all buses are lost, and return one after the other",
      [FAULT_GOVERNOR_HIGH] = "the governor gives full fuel",
      [FAULT_GOVERNOR_LOW] = "the governor gives no fuel",
      [FAULT_GOVERNOR_STUCK] = "the fuel rack does not move",
      [FAULT_FIELD_HIGH] = "the generator is over-excited",
      [FAULT_FIELD_LOW] = "the generator is under-excited",
      [FAULT_TRIP] = "the breaker of the generator opens and stays open",
      [FAULT_FUEL_LOSS] = "the engine gets no fuel",
      [FAULT_START] = "the engine does not start",
      [FAULT_STATUS_FROZEN] = "power management keeps the status of the breaker that it had",
      [FAULT_TIE_OPENS] = "the tie opens and stays open",
      [FAULT_TIE_STUCK] = "the tie does not open",
      [FAULT_NO_REDUCTION] = "power management does not reduce the drives",
      [FAULT_BRAKE] = "the brake of the tensioner holds a share only",
      [FAULT_SLIP] = "the grip of the tensioner holds a share only, and the pipe slips beyond it",
      [FAULT_RUNAWAY] = "the tensioner moves the pipe at this speed, whatever is ordered",
      [FAULT_FLOODING] = "water fills the pipe from an arc length up to the surface",
      [FAULT_LOSS] = "commands are lost",
      [FAULT_JITTER] = "commands are delayed by a random time",
      [FAULT_DUPLICATE] = "commands arrive twice",
      [FAULT_REORDER] = "commands overtake each other",
      [FAULT_SENSORS_LOSS] = "Sensors are lost",
      [FAULT_CLOCK_JUMP] = "the time in Sensors jumps",
      [FAULT_NETWORK_CUT] = "nothing passes the network",
      [FAULT_NETWORK_SENDS_ONLY] = "what the simulator sends passes the network, and nothing comes by it",
      [FAULT_NETWORK_HEARS_ONLY] = "what comes by the network passes, and nothing that the simulator sends",
      [FAULT_NETWORK_LOSS] = "some messages and datagrams are lost on the network",
      [FAULT_NETWORK_DELAY] = "messages and datagrams are delayed on the network",
      [FAULT_NETWORK_REPEAT] = "a switch of the network repeats some messages and datagrams",
      [FAULT_NETWORK_STORM] = "datagrams of a stranger flood the groups on the network",
      [FAULT_EMERGENCY_STOP] =
          "the thruster stops at once, whatever its other faults; not a fault but an intervention",
      [FAULT_EMERGENCY_RESET] = "an operator resets the emergency stop; not a fault, and over at once",
      [FAULT_SETPOINT_MOVED] = "an operator moves the set-point; not a fault, and over at once",
      [FAULT_CONTROLLER_SILENT] = "the controller gets no Sensors, and nothing comes from it",
      [FAULT_CONTROLLER_FROZEN] = "the controller repeats its command",
      [FAULT_CONTROLLER_WRONG] = "thrust and wrench that the controller commands are multiplied",
      [FAULT_TAKE_OVER] = "an operator gives the command to the controller; not a fault, and over at once",
      [FAULT_ZONE_LOST] = "a fire zone is lost: controllers and instruments of main or backup are silent",
      [FAULT_SETPOINT_TURNED] =
          "an operator turns the heading of the set-point; not a fault, and over at once",
  };
  return (unsigned)k < FAULT_COUNT ? texts[k] : "unknown";
}

const char *fault_parameter(enum fault_kind k, int which) {
  return (unsigned)k < FAULT_COUNT && (unsigned)which < FAULT_PARAMETERS ? kinds[k].parameter[which] : "";
}

const struct fault_parameter_def *fault_parameter_def(enum fault_parameter_id id) {
  static const struct fault_parameter_def defs[] = {
#define X(id, name, low, high, fallback, help) {name, low, high, fallback, help},
      FAULT_PARAMETER_TABLE(X)
#undef X
  };
  return &defs[(unsigned)id < PARAMETER_COUNT ? id : 0];
}

int fault_parameter_find(const char *name) {
  for (int i = 0; i < PARAMETER_COUNT; i++)
    if (!strcmp(fault_parameter_def((enum fault_parameter_id)i)->name, name))
      return i;
  return -1;
}

enum fault_kind fault_by_name(const char *name) {
  int k = 0;
  while (k < FAULT_COUNT && strcmp(fault_name((enum fault_kind)k), name) != 0)
    k++;
  return (enum fault_kind)k;
}

const char *fault_target_name(enum fault_target t) {
  static const char *const names[] = {"instrument", "common error", "instrument", "thruster",
                                      "bus",        "generator",    "tie",        "power management",
                                      "tensioner",  "pipe",         "commands",   "sensors",
                                      "set-point",  "controller",   "network",    "zone"};
  return (unsigned)t < sizeof names / sizeof *names ? names[t] : "unknown";
}

// ------------------------------------------------------------
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
    *switches = (struct thruster_switches){.tripped = 1};
    return;
  }
  switches->tripped = fault_find(faults, FAULT_TRIPPED, i) != NULL;
  switches->stuck = fault_find(faults, FAULT_STUCK, i) || (sluggish && !(sluggish->value[0] > 0));
  switches->slowed = sluggish && !switches->stuck ? 1 - sluggish->value[0] : 0;
}

static double lost_share(const struct fault_set *faults, enum fault_kind kind) {
  const struct fault *f = fault_find(faults, kind, -1);
  return f ? 1 - f->value[0] : 0;
}

// Of two opposite failures of one generator the one that the table names first acts.
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
