// sagbend capability: the weather in which the vessel holds its position, in every direction, intact and
// after every failure. A static balance: loads times a factor, against what the thrusters give together.
// docs/capability.md
#pragma once

#include "lab/capability/level1.h"
#include "lab/capability/level2.h"
#include "os/cli/case_options.h"
#include "sagbend/power/power_left.h"

struct capability_options {
  const struct case_options *given;
  int level, step_deg;
  double dynamic_factor;
  const char *failures, *external; // as on the command line; NULL: not given
  const char *current;             // so is this
  const char *csv_path, *svg_path; // NULL: not given
  int json;
};

// STATUS_BAD_INPUT: the configuration or an option; STATUS_IO: a file cannot be written, or a single failure
// is worse than the declared ones (the result is written all the same). Errors that were printed leave why
// empty.
enum status capability(const struct capability_options *options, struct reason *why);

// A case: the vessel intact, or after a failure.
enum {
  CAPABILITY_CASES = 1 + MAX_THRUSTERS + MAX_BUSES + MAX_GENERATORS + MAX_FAILURE_GROUPS,
  CAPABILITY_DIRECTIONS = 360
};
struct capability_case {
  char name[SIGNAL_NAME + 16];
  unsigned stopped;        // thrusters: failed, on a lost bus or on one that nothing supplies any more
  struct power_left power; // for the thrusters; without a power plant each bus is an island
  struct failed_item item; // what fails; of the intact vessel: no meaning
  int is_declared;         // a worst-case failure of the design intent
};

// One direction of one case.
struct capability_point {
  int number;                  // of the standard's weather; 0: not even number 1
  double at, next;             // utilisation at the number and at the next; 0: there is none
  double limit_mps;            // wind
  int beyond;                  // nothing fails up to the last number: limit_mps is its wind
  double share[MAX_THRUSTERS]; // of each thruster's largest force, when the first cannot give more
  double bus_w[MAX_BUSES];     // power at the number's weather
  double bound;                // proven relative gap of the utilisation at the number
};

struct capability_model {
  int level;
  double factor;
  struct config config;
  struct level1 one;
  struct level2 two;
  const char *external; // none, pipe or X,Y,N
  int with_pipe;
  double fixed_b[3];               // external force that does not depend on the weather
  int has_current;                 // a given one stands for those of the table
  double current_mps, current_rad; // and comes from there, clockwise from the bow
  struct level2_pipe pipe;
  double pipe_b[CAPABILITY_DIRECTIONS][4][3]; // with a current of 0, 0.25, 0.5, 0.75 m/s
  int case_count, direction_count;
  int declared_count; // cases of the design intent; 0: none is declared, or not all of them are in the list
  int is_complete;    // the list has all kinds of failures
  struct capability_case cases[CAPABILITY_CASES];
  double direction_rad[CAPABILITY_DIRECTIONS];
  struct level2_drift *drift; // of each direction, at level 2
  struct reach *shapes;       // of each case, at level 1
  int (*unit_of)[REACH_UNITS];
  struct reach set;               // scratch
  struct capability_point *point; // [case][direction]
};

// Loads without the factor, and external force; body axes, forward, starboard, clockwise.
struct capability_loads {
  double wind[3], current[3], waves[3], external[3];
};
struct capability_loads capability_loads_at(const struct capability_model *m, int direction,
                                            const struct weather *weather);

// Fills the list of cases with the intact vessel and the failures of these kinds, bits of enum failed_kind. A
// generator set fails at level 1 only if a bus goes dark without it, because level 1 knows no power.
void capability_list_cases(struct capability_model *m, unsigned kinds);

// Where a single failure leaves less than the worst of the declared ones does in the same direction.
struct capability_worse {
  int cases;              // that are worse in some direction
  int directions;         // in which some case is
  int of_case, direction; // of the largest difference
  double by_mps;          // that difference of the limiting wind
};
int capability_is_worse(const struct capability_model *m, int c, int direction); // 1: beyond rounding
double capability_declared_mps(const struct capability_model *m, int direction); // limiting wind of the worst
int capability_declared_number(const struct capability_model *m, int direction);
struct capability_worse capability_compare(const struct capability_model *m);

// Fills the points. STATUS_NOT_CONVERGED: a ray cast failed; why names case and direction.
enum status capability_solve(struct capability_model *m, struct reason *why);

// Least number over all directions, or within 30 degrees of the bow, over the cases [first, end).
int capability_least(const struct capability_model *m, int first, int end, int near_bow);
const struct capability_point *capability_point_at(const struct capability_model *m, int c, int direction);

void capability_print(const struct capability_model *m);
enum status capability_print_json(const struct capability_model *m, struct reason *why);
enum status capability_write_csv(const struct capability_model *m, const char *path, struct reason *why);
enum status capability_write_svg(const struct capability_model *m, const char *path, struct reason *why);
