// What position references measure of true positions.
//
// Level axes l: forward and starboard are horizontal, down is the vertical; the heading turns them into n.
#include "sagbend/instruments/instruments.h"
#include "sagbend/instruments/instruments_internal.h"

#include "sagbend/base/base.h"
#include "sagbend/math/math.h"

#include <math.h>
#include <string.h>

static const double WATER_KGPM3 = 1025, FULL_SIGNAL = 100, HALF_SIGNAL_M = 500;

// What instruments.inc names of a reference. look: fills the raw measurement; 0: there is nothing to measure.
// report: makes the channels of it, in place; 0: there is no solution.
typedef int reference_looks(const struct reference_def *def, struct reference_state *state,
                            struct reference_look *look, double raw[]) NONBLOCKING;
typedef int reference_reports(const struct reference_look *look, double value[]) NONBLOCKING;
#define AS_ALONE(function)
#define AS_AGAINST(look, most, by, report)                                                                   \
  static reference_looks look;                                                                               \
  static reference_reports report;                                                                           \
  _Static_assert((most) > 0 && (most) <= MAX_REFERENCE_TARGETS, "targets of a reference");
#define INSTRUMENT(id, name, message, talker, need, place, arm, read, shown, fix, measured, faults)          \
  AS_##measured
#include "sagbend/signals/instruments.inc"
#undef AS_ALONE
#undef AS_AGAINST

static const struct row {
  reference_looks *look;
  reference_reports *report;
} ROWS[] = {
#define AS_ALONE(function)                 NULL, NULL
#define AS_AGAINST(look, most, by, report) look, report
#define INSTRUMENT(id, name, message, talker, need, place, arm, read, shown, fix, measured, faults)          \
  [INSTRUMENT_##id] = {AS_##measured},
#include "sagbend/signals/instruments.inc"
};

int reference_is(enum instrument kind) {
  return instrument_kind(kind)->most_targets > 0;
}

int reference_scans(enum instrument kind) {
  return instrument_kind(kind)->by == BY_SIGHT;
}

int reference_is_derived(enum instrument kind) {
  return instrument_kind(kind)->by == BY_SOUND;
}

static vec3 to_level(const struct reference_look *look, vec3 n) {
  double c = trig_cos(look->truth->euler_rad[2]), s = trig_sin(look->truth->euler_rad[2]);
  return (vec3){c * n.x + s * n.y, c * n.y - s * n.x, n.z};
}

static const struct fault *fault_here(const struct reference_look *look, enum fault_kind kind) {
  return fault_find(look->faults, kind, look->instrument);
}

// Where target number k of the reference is; the first may have been moved.
static vec3 target_at(const struct reference_def *def, const struct reference_look *look, int k) {
  vec3 at = scene_target(look->scene, def->target[k], look->truth->time_s);
  const struct fault *moved = k == 0 ? fault_here(look, FAULT_TARGET_MOVED) : NULL;
  if (moved) {
    at.x += moved->value[0];
    at.y += moved->value[1];
  }
  return at;
}

static int sees(const struct reference_look *look, vec3 target_n) {
  return !fault_here(look, FAULT_OBSTRUCTED) &&
         scene_is_in_sight(look->scene, &look->vessel, look->truth->time_s, look->sensor_n, target_n);
}

static int listen(const struct reference_def *def, struct reference_state *state, struct reference_look *look,
                  double raw[]) {
  (void)state;
  vec3 target = target_at(def, look, 0);
  struct sound_ray ray = sound_ray_of(&def->water, look->sensor_n, target);
  look->direction_l = to_level(look, ray.direction_n);
  look->travel_s = ray.travel_s;
  raw[0] = raw[1] = 0;
  raw[3] = ray.range_m;
  return sees(look, target);
}

static int listen_to_three(const struct reference_def *def, struct reference_state *state,
                           struct reference_look *look, double raw[]) {
  (void)state;
  int all = 1;
  for (int k = 0; k < 3; k++) {
    vec3 target = target_at(def, look, k);
    struct sound_ray ray = sound_ray_of(&def->water, look->sensor_n, target);
    look->transponder_n[k] = scene_target(look->scene, def->target[k], look->truth->time_s); // as charted
    look->travel_s = fmax(look->travel_s, ray.travel_s);
    raw[k] = ray.range_m;
    all &= sees(look, target);
  }
  return all;
}

// The other target that is nearest to where the tracked one was seen last, within the gate or on a fault's
// order; -1: none.
static int nearest_other(const struct reference_def *def, const struct reference_state *state,
                         const struct reference_look *look, int is_ordered) {
  double least = is_ordered ? (double)INFINITY : def->gate_m;
  int nearest = -1;
  for (int k = is_ordered; k < def->target_count; k++) {
    vec3 at = target_at(def, look, k);
    double off = vec3_norm(vec3_sub(at, vec3_of(state->seen_n_m)));
    if (off <= least && sees(look, at)) {
      nearest = k;
      least = off;
    }
  }
  return nearest;
}

// A scan finds the target that it tracks; where that is hidden, it takes the next best one for it and stays
// with that. way_n: from the sensor to the target; number: of the target, from 1.
static int scan(const struct reference_def *def, struct reference_state *state,
                const struct reference_look *look, vec3 *way_n, int *number) {
  int is_ordered = fault_here(look, FAULT_OTHER_TARGET) != NULL;
  int k = is_ordered ? nearest_other(def, state, look, 1) : (int)state->tracked;
  if (k >= 0 && !is_ordered && !sees(look, target_at(def, look, k))) {
    k = def->gate_m > 0 ? nearest_other(def, state, look, 0) : -1;
    state->tracked = k >= 0 ? (uint64_t)k : state->tracked;
  }
  vec3 target = target_at(def, look, k >= 0 ? k : (int)state->tracked);
  *way_n = vec3_sub(target, look->sensor_n);
  *number = k >= 0 ? k + 1 : 1;
  if (k >= 0 && !is_ordered)
    vec3_to(target, state->seen_n_m);
  return k >= 0;
}

static void sight(const struct reference_look *look, vec3 way_n, int number, double raw[]) {
  vec3 way = to_level(look, way_n);
  double level = sqrt(way.x * way.x + way.y * way.y), range = vec3_norm(way_n);
  raw[0] = range;
  raw[1] = trig_atan2(way.y, way.x);
  raw[2] = trig_atan2(-way.z, level);
  raw[3] = number;
  raw[4] = FULL_SIGNAL / (1 + range / HALF_SIGNAL_M * (range / HALF_SIGNAL_M));
}

static int scan_laser(const struct reference_def *def, struct reference_state *state,
                      struct reference_look *look, double raw[]) {
  vec3 way_n;
  int number;
  const int is_seen = scan(def, state, look, &way_n, &number);
  sight(look, way_n, 1, raw); // a reflector has no number of its own
  return is_seen;
}

static int scan_radar(const struct reference_def *def, struct reference_state *state,
                      struct reference_look *look, double raw[]) {
  vec3 way_n;
  int number;
  const int is_seen = scan(def, state, look, &way_n, &number);
  sight(look, way_n, number, raw);
  return is_seen;
}

// The azimuth is that of the sensor from its fixed station, so that no heading is in it.
static int scan_artemis(const struct reference_def *def, struct reference_state *state,
                        struct reference_look *look, double raw[]) {
  vec3 way_n;
  int number;
  const int is_seen = scan(def, state, look, &way_n, &number);
  raw[0] = vec3_norm(way_n);
  raw[1] = trig_atan2(-way_n.y, -way_n.x);
  return is_seen;
}

// Horizontal pull that the clump does not hold: positive if it slides.
static double pull_beyond(const struct reference_def *def, const struct wire *wire, double share) {
  double level = sqrt(wire->pull_n.x * wire->pull_n.x + wire->pull_n.y * wire->pull_n.y);
  return level -
         share * def->wire.friction * fmax(0, def->wire.clump_n + wire->pull_n.z); // z: upwards is < 0
}

// Drags the clump towards the point below the gimbal until it holds. span: from clump to gimbal.
static int drag_clump(const struct reference_def *def, struct reference_state *state, vec3 load, double share,
                      vec3 *span, struct wire *wire) {
  double kept[2] = {0, 1}; // share of the horizontal offset: holds, slides
  vec3 whole = *span;
  for (int i = 0; i < 40; i++) {
    double middle = 0.5 * (kept[0] + kept[1]);
    *span = (vec3){middle * whole.x, middle * whole.y, whole.z};
    if (!wire_between(*span, load, def->wire.tension_n, wire))
      return 0;
    kept[pull_beyond(def, wire, share) > 0] = middle;
  }
  state->clump_m[0] += whole.x - span->x;
  state->clump_m[1] += whole.y - span->y;
  return 1;
}

// A winch that stands at a length: beyond it the wire drags the clump along. 0: it would lift the clump.
static int hold_length(struct reference_state *state, vec3 *span) {
  double level = sqrt(span->x * span->x + span->y * span->y);
  double room = state->held_m * state->held_m - span->z * span->z;
  if (!(room > 0))
    return 0;
  double kept = sqrt(room) < level ? sqrt(room) / level : 1;
  state->clump_m[0] += (1 - kept) * span->x;
  state->clump_m[1] += (1 - kept) * span->y;
  span->x *= kept;
  span->y *= kept;
  return 1;
}

// What the wire does while its winch stands: within its length it hangs slack.
enum wire_hold { WIRE_TAUT, WIRE_SLACK, WIRE_LIFTS };
static enum wire_hold stand_still(const struct reference_def *def, struct reference_state *state, vec3 load,
                                  vec3 span, struct wire *wire) {
  if (!hold_length(state, &span) || !wire_between(span, load, def->wire.tension_n, wire))
    return WIRE_LIFTS;
  if (state->held_m - wire->length_m < 1e-3 * state->held_m)
    return WIRE_TAUT;
  wire_hanging(span, load, def->wire.tension_n, state->held_m, wire);
  return WIRE_SLACK;
}

static int gauge_wire(const struct reference_def *def, struct reference_state *state,
                      struct reference_look *look, double raw[]) {
  enum { LENGTH = 2, TENSION, SLACK };
  const struct fault *jammed = fault_here(look, FAULT_WIRE_JAMMED),
                     *paid_out = fault_here(look, FAULT_WIRE_SLACK),
                     *slides = fault_here(look, FAULT_CLUMP_DRAGGING);
  double current[3] = {0}, share = slides ? slides->value[0] : 1;
  vec3 clump = target_at(def, look, 0);
  clump.x += state->clump_m[0];
  clump.y += state->clump_m[1];
  vec3 span = vec3_sub(look->sensor_n, clump);
  if (look->sim)
    sim_water_velocity(look->sim, 0.5 * (clump.z + look->sensor_n.z), current);
  vec3 load = wire_load(current, def->wire.diameter_m, def->wire.drag, WATER_KGPM3, def->wire.weight_npm);
  struct wire wire;
  enum wire_hold hold = WIRE_TAUT;
  memset(raw, 0, READING_CHANNELS * sizeof *raw);
  if (span.z >= 0 || !wire_between(span, load, def->wire.tension_n, &wire))
    return 0;
  if (pull_beyond(def, &wire, share) > 0 && !drag_clump(def, state, load, share, &span, &wire))
    return 0;
  if (!jammed && !paid_out)
    state->held_m = 0;
  else if (!(state->held_m > 0))
    state->held_m = wire.length_m + (paid_out ? paid_out->value[0] : 0);
  if (state->held_m > 0)
    hold = stand_still(def, state, load, span, &wire);
  vec3 down = to_level(look, vec3_scale(-1, wire.top_n));
  raw[0] = trig_atan2(down.x, down.z);
  raw[1] = trig_atan2(down.y, down.z);
  raw[LENGTH] = state->held_m > 0 ? state->held_m : wire.length_m;
  raw[TENSION] = hold == WIRE_TAUT    ? def->wire.tension_n
                 : hold == WIRE_SLACK ? vec3_norm(wire.top_n)
                                      : def->wire.clump_n;
  raw[SLACK] = hold == WIRE_SLACK;
  return hold == WIRE_TAUT;
}

int reference_measure(const struct reference_def *def, enum instrument kind, struct reference_state *state,
                      struct reference_look *look, double raw[READING_CHANNELS]) {
  return ROWS[kind].look(def, state, look, raw);
}

static double reflection_m(const struct reference_look *look) {
  const struct fault *longer = fault_here(look, FAULT_REFLECTION);
  return longer ? longer->value[0] : 0;
}

// Two small angles turn the direction about axes across it.
static int report_transponder(const struct reference_look *look, double value[]) {
  vec3 u = look->direction_l, bow = fabs(u.x) < 0.9 ? (vec3){1, 0, 0} : (vec3){0, 1, 0};
  vec3 first = vec3_axpy(-vec3_dot(bow, u), u, bow);
  first = vec3_scale(1 / vec3_norm(first), first);
  vec3 second = vec3_cross(u, first), turned = vec3_axpy(value[0], first, vec3_axpy(value[1], second, u));
  double range = value[3] + reflection_m(look), across = range * look->sigma_rad;
  vec3_to(vec3_scale(range / vec3_norm(turned), turned), value);
  value[3] = range;
  value[4] = sqrt(across * across + look->sigma_m * look->sigma_m);
  return 1;
}

static int report_place(const struct reference_look *look, double value[]) {
  vec3 place = {0, 0, 0};
  int found = place_at_ranges(look->transponder_n, value, &place);
  memset(value, 0, READING_CHANNELS * sizeof *value);
  vec3_to(place, value);
  double dilution = found ? place_dilution(look->transponder_n, place) : 0;
  value[3] = isfinite(dilution) ? look->sigma_m * dilution : 0;
  return found;
}

static int report_sight(const struct reference_look *look, double value[]) {
  value[0] += reflection_m(look);
  return 1;
}

static int report_wire(const struct reference_look *look, double value[]) {
  (void)look;
  (void)value;
  return 1;
}

int reference_report(enum instrument kind, const struct reference_look *look,
                     double value[READING_CHANNELS]) {
  return ROWS[kind].report(look, value);
}

int reference_state_is_valid(const struct reference_def *def, const struct reference_state *state,
                             struct reason *why) {
  return valid_finite(state->clump_m, 2, "clump_m", why) &&
         valid_range(state->held_m, 0, 1e6, "held_m", why) &&
         valid_finite(state->seen_n_m, 3, "seen_n_m", why) &&
         valid_whole(state->tracked, 0, (uint64_t)def->target_count - 1, "tracked", why);
}

static int target_named(const struct scene_def *scene, const char *name) {
  for (int i = 0; i < scene->target_count; i++)
    if (!strcmp(scene->target[i].name, name))
      return i;
  return -1;
}

static int stand_in_a_line(const struct reference_def *def, const struct scene_def *scene) {
  vec3 p[3];
  for (int k = 0; k < 3; k++)
    p[k] = scene_target(scene, def->target[k], 0);
  vec3 a = vec3_sub(p[1], p[0]), b = vec3_sub(p[2], p[0]), up = vec3_cross(a, b);
  return !(fabs(up.z) > 0.05 * vec3_norm(a) * vec3_norm(b));
}

enum status reference_resolve(struct reference_def *def, enum instrument kind, const struct scene_def *scene,
                              const char **what, struct reason *why) {
  const char *names = def->targets;
  char word[SCENE_NAME];
  const int most = instrument_kind(kind)->most_targets, is_wire = instrument_kind(kind)->by == BY_WIRE,
            is_of_three = !reference_scans(kind) && most == 3;
  *what = "targets";
  for (def->target_count = 0; words_next(&names, word, sizeof word); def->target_count++) {
    if (def->target_count == most)
      return fail(why, STATUS_BAD_INPUT, "at most %d name%s of targets expected, got '%s'", most,
                  most > 1 ? "s" : "", def->targets);
    def->target[def->target_count] = target_named(scene, word);
    if (def->target[def->target_count] < 0)
      return fail(why, STATUS_BAD_INPUT, "names of targets, separated by blanks, expected, got '%s'", word);
    for (int k = 0; k < def->target_count; k++)
      if (def->target[k] == def->target[def->target_count])
        return fail(why, STATUS_BAD_INPUT, "different targets expected, got '%s' twice", word);
  }
  if (def->target_count == 0 || (is_of_three && def->target_count != 3))
    return fail(why, STATUS_BAD_INPUT, "%s expected, got %d",
                is_of_three ? "the names of three targets" : "the name of a target", def->target_count);
  if (is_of_three && stand_in_a_line(def, scene))
    return fail(why, STATUS_BAD_INPUT, "three targets that do not stand in a line expected, got '%s'",
                def->targets);
  for (int k = 0; k < def->target_count; k++) {
    const struct target_def *target = &scene->target[def->target[k]];
    double speed_mps = def->water.speed_mps + def->water.gradient_1ps * target->position_m[2];
    *what = "sound_gradient_1ps";
    if (!(speed_mps > 1000 && speed_mps < 2000))
      return fail(why, STATUS_BAD_INPUT,
                  "a speed of sound from 1000 to 2000 m/s at the target expected, got %g m/s", speed_mps);
    *what = "clump_weight_n";
    if (is_wire && !(def->wire.clump_n > def->wire.tension_n))
      return fail(why, STATUS_BAD_INPUT, "more than wire_tension_n = %g N expected, got %g",
                  def->wire.tension_n, def->wire.clump_n);
    *what = "wire_tension_n";
    if (is_wire && !(def->wire.tension_n > def->wire.weight_npm * target->position_m[2]))
      return fail(why, STATUS_BAD_INPUT,
                  "more than the weight of the wire down to its target expected, got %g",
                  def->wire.tension_n);
  }
  return STATUS_OK;
}

// ------------------------------------------------------------
void common_error_start(const struct common_error_def *def, uint64_t seed, struct common_error_state *state) {
  memset(state, 0, sizeof *state);
  state->noise = random_stream_of(random_seed(seed, def->name));
  for (int c = 0; c < READING_CHANNELS && def->markov > 0; c++)
    if (def->channels & 1u << c)
      state->value[c] = def->markov * random_normal(&state->noise);
}

void common_error_add(const struct common_error_def *def, struct common_error_state *state,
                      const struct fault *bias, double time_s, double value[READING_CHANNELS]) {
  double dt_s = time_s - state->time_s;
  double decay = def->markov > 0 ? explog_exp(-dt_s / def->markov_time_s) : 0;
  double kick = def->markov * sqrt(1 - decay * decay);
  for (int c = 0; c < READING_CHANNELS; c++) {
    if (!(def->channels & 1u << c))
      continue;
    if (dt_s > 0 && def->markov > 0)
      state->value[c] = decay * state->value[c] + kick * random_normal(&state->noise);
    value[c] += state->value[c] + (bias && (int)bias->value[1] == c ? bias->value[0] : 0);
  }
  state->time_s = time_s;
}

int common_error_state_is_valid(const struct common_error_state *state, double now_s, struct reason *why) {
  return random_stream_is_valid(&state->noise, why) &&
         valid_finite(state->value, READING_CHANNELS, "value", why) &&
         valid_range(state->time_s, 0, now_s, "time_s", why);
}
