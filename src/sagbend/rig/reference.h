// Position references that measure against a target: hydroacoustics, taut wire, laser, radar, Artemis. What
// each sees of its target, and how its raw angles and ranges become the channels of its readings. Room
// core/references has the geometry. docs/references.md
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/base/base.h"
#include "sagbend/rig/scene.h"
#include "sagbend/rig/sound_ray.h"
#include "sagbend/sim/sim.h"
#include "sagbend/rig/fault.h"

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
    double tension_n;        // that its winch keeps
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
