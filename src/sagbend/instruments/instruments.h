// What the instruments and position references of the vessel measure, with their errors. Targets, structures
// that carry some of them, and boxes that stand in the line of sight: pure functions of time and of the
// vessel's pose. World frame n: north, east, down, m.
#pragma once

#include "sagbend/base/base.h"
#include "sagbend/faults/faults.h"
#include "sagbend/math/math.h"
#include "sagbend/signals/signals.h"
#include "sagbend/sim/sim.h"

#include <stddef.h>
#include <stdint.h>

enum { MAX_TARGETS = 24, MAX_STRUCTURES = 4, MAX_OBSTRUCTIONS = 16, SCENE_NAME = 24 };

// A platform or another vessel: its place at time 0 moves evenly, and swings about that.
struct structure_def {
  char name[SCENE_NAME];
  double position_n_m[3]; // at time 0
  double heading_rad;
  double velocity_n_mps[2];   // north, east
  double swing_m;             // amplitude
  double swing_period_s;      // > 0 where it swings
  double swing_direction_rad; // clockwise from north; the swing starts at 0 in this direction
};

// A transponder, a reflector or a clump weight.
struct target_def {
  char name[SCENE_NAME];
  char structure_name[SCENE_NAME]; // empty: of the world
  int structure;                   // index; -1: of the world
  double position_m[3];            // n, or in the axes of the structure: forward, starboard, down
};

enum obstruction_on { ON_WORLD, ON_VESSEL, ON_STRUCTURE };

// A box parallel to the axes of what it stands on. It moves evenly from from_s on, as a load in a crane does.
struct obstruction_def {
  char name[SCENE_NAME];
  char on_name[SCENE_NAME]; // "world", "vessel" or a structure
  enum obstruction_on on;
  int structure;
  double box_m[2][3]; // least and largest corner
  double velocity_mps[3];
  double from_s, to_s; // while it stands there; to_s 0: to the end
};

struct scene_def {
  int structure_count, target_count, obstruction_count;
  struct structure_def structure[MAX_STRUCTURES];
  struct target_def target[MAX_TARGETS];
  struct obstruction_def obstruction[MAX_OBSTRUCTIONS];
};

// A set of axes: vectors of it become n by attitude.
struct scene_frame {
  vec3 origin_n;
  mat3 attitude;
};

vec3 scene_target(const struct scene_def *scene, int target, double time_s) NONBLOCKING;

// Whether no box that stands at this time cuts the segment between two points (n). A point inside a box or on
// it is hidden.
int scene_is_in_sight(const struct scene_def *scene, const struct scene_frame *vessel, double time_s,
                      vec3 from_n, vec3 to_n) NONBLOCKING;

// Names to indices: structures of targets, and what obstructions stand on. STATUS_BAD_INPUT: key names the
// item and its member, as in "targets.2.structure".
enum status scene_resolve(struct scene_def *scene, char key[64], struct reason *why);

// ------------------------------------------------------------
// The path of sound in water whose speed changes evenly with depth, c = c0 + g z: a circle about the depth at
// which c would be 0 (Medwin and Clay 1998, section 3.3.4). Closed forms, regular at g = 0 and straight down.

struct sound_profile {
  double speed_mps;    // at the surface
  double gradient_1ps; // growth with depth
};

struct sound_ray {
  vec3 direction_n; // unit vector at the begin, towards the end
  double travel_s;
  double range_m; // travel time times the mean of the two ends' speeds
};

// From one point to another, n, m. The speed must be above 0 at both.
struct sound_ray sound_ray_of(const struct sound_profile *water, vec3 from_n_m, vec3 to_n_m) NONBLOCKING;

// ------------------------------------------------------------
// An error that several instruments of a kind have in common, as receivers have that of the ionosphere: one
// Gauss-Markov process that each of them adds to its own errors at the time of its measurement.

enum { COMMON_NAMES = 256 };

struct common_error_def {
  char name[SIGNAL_NAME];
  char instruments[COMMON_NAMES]; // names, separated by blanks
  char quantity[SIGNAL_NAME];
  double markov, markov_time_s; // as of an instrument's error; angles in degrees in a configuration
  uint32_t members;             // bits of the instruments
  unsigned channels;            // of the quantity
};

struct common_error_state {
  struct random_stream noise;
  double value[READING_CHANNELS], time_s; // of the process, at the time of its last measurement
};

void common_error_start(const struct common_error_def *def, uint64_t seed, struct common_error_state *state);

// Adds the error, with the fault common_bias on it, to the channels of a member at this time.
void common_error_add(const struct common_error_def *def, struct common_error_state *state,
                      const struct fault *bias, double time_s, double value[READING_CHANNELS]) NONBLOCKING;

int common_error_state_is_valid(const struct common_error_state *state, double now_s, struct reason *why);

// ------------------------------------------------------------
// Position references that measure against a target: hydroacoustics, taut wire, laser, radar, Artemis. What
// each sees of its target, and how its raw angles and ranges become the channels of its readings. The
// geometry: references.c. docs/references.md

enum { MAX_REFERENCE_TARGETS = 4, REFERENCE_NAMES = 104 };

struct reference_def {
  char targets[REFERENCE_NAMES]; // names, separated by blanks: its own, then others that it may take for it;
                                 // of an lbl its three
  int target[MAX_REFERENCE_TARGETS], target_count;
  double gate_m; // of those that scan: distance within which it takes another target for a lost one; 0: never
  struct sound_profile water;
  struct {
    double diameter_m, drag; // of the wire in a current, by the Morison law
    double weight_npm;       // in water
    double tension_n;        // tension that the winch keeps
    double clump_n;          // weight of the clump in water
    double friction;         // between clump and seabed
  } wire;
};

struct reference_state {
  double clump_m[2];  // by which the weight has been dragged, north and east
  double held_m;      // length at which the winch stands; 0: it keeps its tension
  double seen_n_m[3]; // where it saw its target last
  uint64_t tracked;   // number of that target, from 0
};

// Whether a kind measures against targets.
int reference_is(enum instrument kind) NONBLOCKING;
// Whether a kind looks for its target, and may take another one for it.
int reference_scans(enum instrument kind) NONBLOCKING;
// Whether its errors are not those of its channels, which follow from other quantities: those by sound.
int reference_is_derived(enum instrument kind) NONBLOCKING;

// A look at the target, between truth and reading.
struct reference_look {
  const struct scene_def *scene;
  const struct sim *sim; // NULL: water at rest
  const struct sim_output *truth;
  const struct fault_set *faults;
  int instrument;
  struct scene_frame vessel;
  vec3 sensor_n;

  vec3 direction_l; // to the transponder, level axes with the bow
  vec3 transponder_n[3];
  double sigma_rad, sigma_m; // of its errors, for its own accuracy
  double travel_s;           // of the sound
};

// Fills the raw measurement without errors: a hydroacoustic system's two angles across the direction (0) and
// its range, an lbl's three ranges, the channels of the others. 0: there is nothing to measure.
int reference_measure(const struct reference_def *def, enum instrument kind, struct reference_state *state,
                      struct reference_look *look, double raw[READING_CHANNELS]) NONBLOCKING;

// Makes the channels of the reading from the raw measurement with its errors. 0: there is no solution.
int reference_report(enum instrument kind, const struct reference_look *look,
                     double value[READING_CHANNELS]) NONBLOCKING;

int reference_state_is_valid(const struct reference_def *def, const struct reference_state *state,
                             struct reason *why);

// Finds the targets by their names. what: the key's last part where the error is.
enum status reference_resolve(struct reference_def *def, enum instrument kind, const struct scene_def *scene,
                              const char **what, struct reason *why);

// ------------------------------------------------------------
// The instruments of the vessel: what each measures of the true state, its errors, and the latency of its
// measurements. A pure function of true state, own state and active faults; the state is plain bytes.
// docs/instruments.md

enum { MAX_ERRORS = 3 };

// A quantity that an instrument measures (sagbend/signals/instruments.inc).
struct instrument_quantity {
  enum instrument kind;
  const char *name;
  unsigned channels;
};
// The i-th of a kind; NULL beyond the last.
const struct instrument_quantity *instrument_quantity(enum instrument kind, int i) NONBLOCKING;
const struct instrument_quantity *instrument_quantity_named(enum instrument kind,
                                                            const char *name) NONBLOCKING; // NULL: none
int instrument_quantity_in_degrees(const struct instrument_quantity *q); // in configurations

// Errors of one quantity, independent for each of its channels. SI units, radians; 0: no such error.
struct instrument_error {
  char quantity[SIGNAL_NAME];
  unsigned channels;    // of that quantity
  double white;         // standard deviation, drawn for each measurement
  double markov;        // of a Gauss-Markov process: its standard deviation
  double markov_time_s; // and its time constant: correlation exp(-t / time)
  double walk;          // of a random walk that starts at 0: standard deviation after 1 s
  double bias;          // bias that is equal in every run
  double bias_random;   // standard deviation of the one drawn when the instrument is switched on
  double scale;         // the value grows by this share
  double quantum;       // resolution: values are rounded to multiples of it
  double range;         // magnitude beyond which the value is cut off and the measurement invalid
};

struct instrument_def {
  char name[SIGNAL_NAME];
  enum instrument kind;
  double position_b_m[3]; // of the antenna or sensor
  double rate_hz;         // of its measurements; at most one in each step
  double latency_s;       // from measuring to reading, at the first step that is not earlier
  double share;           // share of the tension that a load cell measures
  struct instrument_error error[MAX_ERRORS];
  int error_count;
  struct reference_def reference; // of a position reference that is no receiver
  int zone; // 1 + enum controller_side of the only controllers that receive it; 0: there is no backup, or all
            // do
};

struct instruments_def {
  int count;
  uint64_t seed; // of all instruments; each has a random stream of its own, by its name
  struct instrument_def instrument[MAX_INSTRUMENTS];
  struct scene_def scene; // targets and obstructions of the references
  int common_count;
  struct common_error_def common[MAX_COMMON_ERRORS];
};

// A measurement in transit.
struct measurement {
  uint64_t measured_step, due_step, valid;
  double value[READING_CHANNELS];
};

struct instrument_state {
  struct random_stream noise, faults; // two streams: a fault does not change the noise after it
  double bias[READING_CHANNELS], markov[READING_CHANNELS], walk[READING_CHANNELS];
  struct measurement sent;           // the last one sent
  uint64_t sent_count;               // 0: none yet
  uint64_t queue_first, queue_count; // place of its measurements in the queue
  struct reading latest;
};

// Fixed when the suite is created.
struct instrument_plan {
  uint64_t period_steps; // 0: the period is not a whole number of steps; phase_step counts instead
  uint64_t phase_step;   // share of a period that a step is, in units of 2^-64
  uint64_t latency_steps, capacity;
  size_t queue;  // first place of this instrument in the queue of all
  int reference; // place of this instrument among the references
  struct {
    double decay, kick,
        walk; // between measurements: markov = decay markov + kick normal; walk += walk normal
  } process[MAX_ERRORS];
};

struct instruments {
  const struct instruments_def *def;
  double step_s;
  double level_m; // depth of the reference point at the start, where heave is zero
  struct instrument_plan plan[MAX_INSTRUMENTS];
  struct instrument_state *state; // one for each, then the queues: state_bytes, without pointers
  struct measurement *queue;
  struct reference_state *reference; // of each reference, in the order of the instruments
  struct common_error_state *common; // of each common error
  size_t state_bytes;
};

// Number of measurements due up to this step, the first at step 0. The k-th is made at the step nearest to
// k / rate_hz, counted in integers from the start, so that rounding does not accumulate. A period within a
// thousandth of a step of a whole number of steps is that number.
uint64_t instrument_measurements_by(const struct instrument_plan *plan, uint64_t step);

// True if the rate gives at most one measurement in each step, which is the limit.
int instrument_rate_fits(double rate_hz, double step_s);

size_t instruments_memsize(const struct instruments_def *def, double step_s);
// Creates the instruments in mem (8-byte aligned) and draws their switch-on biases. def must outlive them.
void instruments_create(struct instruments *all, const struct instruments_def *def, double step_s,
                        const struct sim_output *start, void *mem);

// Makes the measurements that are due at truth->step and writes those that have arrived to out, whose other
// members do not change. sim: for the water and air around the sensors; NULL: both at rest. Does nothing
// while the simulator has latched a fault.
void instruments_measure(struct instruments *all, const struct sim *sim, const struct sim_output *truth,
                         const struct fault_set *faults, struct readings *out) NONBLOCKING;
// Writes the readings in the state to out, after a restore.
void instruments_get_readings(const struct instruments *all, struct readings *out);

// True if bytes from a file (8-byte aligned, all->state_bytes) are a possible state of these instruments at
// this step (sagbend/base/base.h).
int instruments_state_is_valid(const struct instruments *all, const void *state, uint64_t step,
                               struct reason *why);

// What references and common errors refer to by name becomes indices. STATUS_BAD_INPUT: key names the item
// and its member, as in "instruments.3.targets".
enum status instruments_resolve(struct instruments_def *all, char key[64], struct reason *why);

// ------------------------------------------------------------
// The sensor suite: all instruments of the vessel. Its state is one block of plain bytes, which checkpoints
// save and restore.

struct sensor_suite_def {
  struct instruments_def instruments;
};

struct sensor_suite {
  struct instruments instruments;
  void *state;
  size_t state_bytes;
};

size_t sensor_suite_memsize(const struct sensor_suite_def *def, double step_s);
// Creates the suite in mem (8-byte aligned), beside a simulator at its first step. def must outlive the
// suite.
void sensor_suite_create(struct sensor_suite *suite, const struct sensor_suite_def *def, double step_s,
                         const struct sim *sim, void *mem);

// Measures the state and writes the readings that are due. Called after each step, and once before the first.
// faults: the active faults; NULL: none.
void sensor_suite_measure(struct sensor_suite *suite, const struct sim *sim, const struct sim_output *truth,
                          const struct fault_set *faults, struct readings *readings) NONBLOCKING;
// True if bytes from a file (8-byte aligned, suite->state_bytes) are a possible state of this suite at this
// step (sagbend/base/base.h).
int sensor_suite_is_valid(const struct sensor_suite *suite, const void *state, uint64_t step,
                          struct reason *why);

// Writes the newest readings in the state, after it has been restored.
void sensor_suite_get_readings(const struct sensor_suite *suite, struct readings *readings);

// A random stream of the suite, for the session's record.
struct sensor_suite_stream {
  const char *name;
  uint64_t seed;
};
// The i-th stream; 0: there is none.
int sensor_suite_stream(const struct sensor_suite_def *def, int i, struct sensor_suite_stream *out);
