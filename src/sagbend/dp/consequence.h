// The consequence analysis: could the vessel still hold itself if one piece of its equipment failed now?
// IMO MSC.1/Circ.1580, 3.4.2.4, asks it of DP systems of class 2 and 3. docs/consequence.md.
//
// The load is what the thrusters give by their feedback: a first-order mean, and its standard deviation, of
// surge, sway and yaw. For each failure of the list the analysis takes the thrusters that would be left, with
// their sectors and buses, and asks by how much the load could grow before they cannot give it: the margin k,
// the largest for which
//   fixed + k (load - fixed)
// is within what they can give together. The fixed force holds the pull of the pipe, which is known and does
// not grow. One failure is examined in a sample, so that a sample takes no longer with many.
#pragma once

#include "sagbend/dp/allocation.h"
#include "sagbend/dp/thrust_left.h"
#include "sagbend/base/nonblocking.h"

enum { MAX_CONSEQUENCE_FAILURES = MAX_THRUSTERS + MAX_BUSES + MAX_CONSEQUENCE_GROUPS };

enum consequence_choice {
  CONSEQUENCE_ALL,
  CONSEQUENCE_BUSES,
  CONSEQUENCE_THRUSTERS,
  CONSEQUENCE_GROUPS,
};

// A failure: the thrusters that stop, and with has_power what each bus has left for its thrusters, where sets
// or ties are lost. Named as the trials name its equipment.
struct consequence_failure {
  char name[CONSEQUENCE_NAME];
  uint32_t lost; // bits of thrusters
  int has_power; // otherwise each bus keeps the power of the allocation
  double power_w[MAX_BUSES];
};

struct consequence_def {
  int present;        // 0: no analysis
  double period_s;    // between the begins of two rounds over the list
  double mean_s;      // time constant of mean and standard deviation of the load
  double sigmas;      // standard deviations that the load is away from its mean, away from 0
  double margin;      // below it the alarm comes
  double on_s, off_s; // how long the margin is below it before the alarm; above 1.1 times it before its end
  int list;           // enum consequence_choice
  int group_count;    // declared failures, beside those of the list
  struct consequence_failure group[MAX_CONSEQUENCE_GROUPS];
  int failure_count;
  struct consequence_failure failure[MAX_CONSEQUENCE_FAILURES];
};

// One sample's input. b, N, N, N m.
struct consequence_sample {
  const struct allocation_def *allocation;
  const struct allocation_state *state; // after this sample's allocation
  const struct readings *readings;
  double fixed_b[3]; // what the thrusters give against forces that are known and do not grow
  double time_s;
  struct thrust_left_work *work;
};

struct consequence_state {
  double since_s; // of take-over or of the newest change of the set-point; the analysis waits from there
  double last_s;  // of the latest sample
  double mean[3], variance[3], fixed[3]; // of the load; first-order means. b, N, N, N m and their squares
  double round_s;                        // begin of the round in progress
  double load[3], round_fixed[3];        // of that round
  int32_t next;                          // failure that comes next in it; failure_count: it is done
  int32_t known;                         // 1: a round has ended since since_s + 2 mean_s
  int32_t alarm;                         // 1: that of a failure is on
  int32_t worst;                         // failure with the least margin of the last round; -1: none counts
  int32_t failure_alarm[MAX_CONSEQUENCE_FAILURES];
  double turned_s[MAX_CONSEQUENCE_FAILURES]; // since when the margin asks for the other state of its alarm
  double round_margin[MAX_CONSEQUENCE_FAILURES]; // of the round in progress
  double margin[MAX_CONSEQUENCE_FAILURES]; // of the last round, or the last one found; -1: the failure takes
                                           // nothing away
  uint64_t alarms;                         // times that the alarm has come
  uint64_t unsolved;                       // times that the search found no margin, or only one within a gap
};

// Bits of the thrusters on a bus of the allocation.
uint32_t consequence_thrusters_on(const struct allocation_def *allocation, int bus);

// Fills the list of failures from the thrusters and buses, and adds the groups.
void consequence_fill_list(struct consequence_def *def, const struct allocation_def *allocation);

// Returns 1 if a state read from a file is possible under this definition. Otherwise returns 0 and fills why
// (sagbend/base/base.h).
int consequence_state_is_valid(const struct consequence_def *def, const struct consequence_state *state,
                               struct reason *why);

// Begins at take-over, with the load that acts.
void consequence_start(struct consequence_state *state, const struct consequence_def *def,
                       const struct consequence_sample *sample) NONBLOCKING;

// The set-point has changed: what is known of the load is of another place.
void consequence_wait(struct consequence_state *state, const struct consequence_def *def,
                      double time_s) NONBLOCKING;

// One sample. After a tenth of mean_s without one it waits as at a new set-point.
void consequence_step(struct consequence_state *state, const struct consequence_def *def,
                      const struct consequence_sample *sample) NONBLOCKING;

// What it says of the last round, for the command.
void consequence_tell(const struct consequence_state *state, const struct consequence_def *def,
                      struct consequence_report *out) NONBLOCKING;
