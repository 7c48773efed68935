// The failures of a configuration, and what each makes of the scenario.
#pragma once

#include "sagbend/base/base.h"
#include "sagbend/case/case.h"

// The failures of a configuration: every single one that its equipment can have, common causes, and hidden
// failures with a second one. Each has an identifier that stays as long as the names of the configuration do:
// "gnss-1/drift". Basis: IMO MSC.1/Circ.1580; IMCA M 190.

enum { FAILURE_ID = 96, FAILURE_EVENTS = 4096, FAILURE_NAMES = 8 };

enum failure_group {
  FAILURE_NONE,      // the run without a failure, to which the others are compared
  FAILURE_SINGLE,    // of one piece of equipment
  FAILURE_COMMON,    // several at once, by a common cause
  FAILURE_HIDDEN,    // one that stays unseen, then a second one
  FAILURE_OPERATION, // nothing fails, and something else happens (judge.h)
  FAILURE_GROUP_COUNT
};
const char *failure_group_name(enum failure_group group);

// How large the value of a failed instrument's error is, in standard deviations of its own errors.
struct failure_magnitudes {
  double small, large, wild, drift_per_s, noise_per_s;
  double load_share; // of a bus: the share of its power that a limited one has left
};

// When failures begin and end, from the start of the run.
struct failure_times {
  double begin_s, duration_s;
  double hidden_lead_s; // the first of a hidden pair begins so long before the second
  double switch_s;      // after the loss of the main zone an operator gives the command to the backup
};

struct failure {
  char id[FAILURE_ID]; // "EQUIPMENT/MODE"; "none"
  char equipment[SIGNAL_NAME + 8], mode[24];
  char kind[32]; // of the equipment, for people: "gnss", "azimuth thruster", "bus", "link"
  enum failure_group group;
  char events[FAILURE_EVENTS]; // of the scenario, a YAML list
  char names[FAILURE_NAMES]
            [SIGNAL_NAME]; // of which an alarm must contain one; the equipment and what it feeds
  int name_count;
  char also[FAILURE_NAMES][SIGNAL_NAME]; // which an alarm may name beside: what has failed before, what the
                                         // failure takes along
  int also_count;
  int lasts;         // whoever sees it sees it until its end: the alarm stays as long
  double alarm_s;    // within which an alarm is expected; 0: none is
  const char *quiet; // why none is; NULL: one is
  int runs_wild;     // a thruster that an operator stops
  int hides;         // unseen, it hides the loss of redundancy
  int operation;     // FAILURE_OPERATION: its index in the plan
  int has_spare;     // another of its kind is there, so that its failure should cost nothing
};

// What the simulator could do and the trials do not try.
struct failure_excluded {
  char id[FAILURE_ID];
  char why[128];
  int is_by_plan; // 1: the failure could be tried, and the plan leaves it out
};

// A thruster, and the index of the bus that feeds it, its redundancy group; -1: none.
struct failed_thruster {
  char name[SIGNAL_NAME];
  int bus;
};

// A piece of equipment that an alarm can name.
struct failed_piece {
  char name[SIGNAL_NAME];
  int has_spare; // another of its kind
  int is_instrument;
};

struct failures {
  struct failed_piece piece[MAX_INSTRUMENTS + MAX_THRUSTERS]; // instruments and thrusters
  int piece_count;
  struct failed_thruster thruster[MAX_THRUSTERS]; // of the vessel
  int thruster_count;
  struct failure *item; // the first is FAILURE_NONE
  int count, capacity;
  struct failure_excluded *excluded;
  int excluded_count, excluded_capacity;
};

// STATUS_NO_MEMORY is the only failure. Release with failures_free in every case.
enum status failures_generate(const struct config *config, const struct failure_magnitudes *magnitudes,
                              const struct failure_times *times, struct failures *out);
// Adds a common cause that the plan declares: a fault of a kind on several pieces of equipment at once.
// parameters: "" or such as ", rate_per_s: 0.05". Returns 0 without memory.
int failures_declare(struct failures *all, const struct failure_times *times, const char *name,
                     const char *fault, const char *parameters, const char (*equipment)[SIGNAL_NAME],
                     int count);
void failures_free(struct failures *all);

// Takes a failure out, and adds it to what is excluded. Returns the number of those that match the pattern:
// an identifier, in which * stands for any characters.
int failures_exclude(struct failures *all, const char *pattern, const char *why);
int failures_count(const struct failures *all, const char *pattern); // that match; not the run without one
// Whether an identifier matches a pattern.
int failure_matches(const char *id, const char *pattern);
// Index of the failure with this identifier; -1: there is none.
int failures_find(const struct failures *all, const char *id);

// ------------------------------------------------------------
// What the files that generate failures share.

struct failure *failures_add(struct failures *all);                            // NULL: out of memory
int failures_leave_out(struct failures *all, const char *id, const char *why); // 0: out of memory

// Why no alarm of the DP controller is expected of a failure in the power plant.
#define FAILURE_QUIET_PLANT "power management reports it, not the DP controller"

struct failure_making {
  const struct config *config;
  const struct failure_magnitudes *magnitudes;
  const struct failure_times *times;
  struct failures *out;
};

// Each returns 0 without memory.
int failures_make_single(const struct failure_making *m);

// Appends an event; duration_s 0: it does not end. parameters: "" or such as ", bias: 3".
void failures_add_event(struct failure *f, const char *name, double at_s, double duration_s,
                        const char *fault, const char *target, const char *parameters);

// The names that an alarm about a bus may contain: the bus and its thrusters.
void failure_name_bus(const struct failure_making *m, int bus, struct failure *f);
void failure_name(struct failure *f, const char *name);
void failure_name_also(struct failure *f, const char *name); // may be named, and need not
// The number of instruments of a kind; the first other one than index, -1: there is none.
int failure_count_kind(const struct failure_making *m, enum instrument kind);
int failure_other_instrument(const struct failure_making *m, int index);

// Standard deviation of the main quantity of an instrument from all its errors, and the first of its
// channels.
double failure_sigma(const struct instrument_def *d, int *channel);
