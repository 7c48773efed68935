// What the tables fill, and what the readers share: the definitions with the parts that have no place in
// them.
#pragma once

#include "io/config/config.h"
#include "io/yaml/schema.h"

struct load_draft {
  struct load_def def;
  char name[64]; // for people
};

struct event_draft {
  char name[SIGNAL_NAME], target[SIGNAL_NAME], after[SIGNAL_NAME];
  double at_s, duration_s, above, below, for_s;
  int fault, quantity;
  struct {
    double number;
    char text[SIGNAL_NAME];
  } parameter[PARAMETER_COUNT];
};

struct verdict_draft {
  char name[SIGNAL_NAME], after[SIGNAL_NAME];
  double within[2], below, above, from_s, to_s, grace_s;
  int quantity, expect_violated;
};

enum { SECTION_NAME = 32 };
struct section_draft {
  struct pipe_section def;
  char name[SECTION_NAME];
};
struct mesh_draft {
  struct mesh_part part;
  char section[SECTION_NAME]; // empty: the pipe itself
};

struct config_draft {
  struct config out;
  char extends[256]; // read before the table is
  double rigid_body[6][6];
  double moments_kgm2[3];
  double added_mass[6][6];
  struct load_draft loads[MAX_LOADS];
  struct event_draft events[MAX_EVENTS];
  struct verdict_draft verdicts[MAX_VERDICTS];
  int scenario_seed;
  char nmea_start_utc[32];
  struct section_draft sections[MAX_SECTIONS];
  struct mesh_draft mesh[MAX_MESH_PARTS];
  int rig_seed;
};

struct dp_draft {
  struct dp_config out;
  char extends[256];
  double event_time_scale;
};

extern const struct schema config_schema;
extern const struct schema dp_schema;

// The checks between keys; what is wrong is reported at the node to change.
void config_check(const struct node *root, struct config_draft *draft, struct error_list *errors);
void dp_check(const struct node *root, struct dp_draft *draft, struct error_list *errors);

// Rows of the PID law, the same in a DP file and under controller.pid. One row a key reads best.
// clang-format off
#define PID_LAW_KEYS(prefix, record, member)                                                                         \
  {prefix ".kp", AS_VECTOR, .size = 6, .range = NOT_NEGATIVE, .offset = offsetof(record, member.kp), .unit = "N/m, N m/rad", \
   .doc = "Proportional gains of x, y, z, roll, pitch, yaw (the diagonal of Kp)."},                                   \
  {prefix ".kd", AS_VECTOR, .size = 6, .range = NOT_NEGATIVE, .offset = offsetof(record, member.kd), .unit = "N s/m, N m s/rad", \
   .doc = "Derivative gains (the diagonal of Kd)."},                                                                  \
  {prefix ".ki", AS_VECTOR, .size = 6, .range = NOT_NEGATIVE, .offset = offsetof(record, member.ki), .unit = "N/(m s), N m/(rad s)", \
   .doc = "Integral gains (the diagonal of Ki)."},                                                                    \
  {prefix ".setpoint", AS_SECTION, .doc = "The pose to hold."},                                                       \
  {prefix ".setpoint.position_m", AS_VECTOR, .size = 3, .offset = offsetof(record, member.reference), .unit = "m",    \
   .doc = "x (north), y (east), z (down) of the vessel's reference point."},                                          \
  {prefix ".setpoint.attitude_deg", AS_VECTOR, .size = 3, .optional = 1, .degrees = 1,                                \
   .offset = offsetof(record, member.reference) + 3 * sizeof(double), .unit = "deg",                                  \
   .doc = "Roll, pitch, yaw. Exactly one of attitude_deg and attitude_rad."},                                         \
  {prefix ".setpoint.attitude_rad", AS_VECTOR, .size = 3, .optional = 1,                                              \
   .offset = offsetof(record, member.reference) + 3 * sizeof(double), .unit = "rad",                                  \
   .doc = "Roll, pitch, yaw in radians, where degrees would round."},                                                 \
  {prefix ".integral_limit", AS_VECTOR, .size = 6, .range = NOT_NEGATIVE, .fallback = "0",                            \
   .offset = offsetof(record, member.integral_limit), .unit = "N, N m",                                               \
   .doc = "Bound of |Ki * integral|, each component; 0: unbounded."},                                                 \
  {prefix ".start_s", AS_NUMBER, .range = NOT_NEGATIVE, .offset = offsetof(record, member.start_s), .unit = "s",      \
   .doc = "Simulated time of switching on."},                                                                         \
  {prefix ".wrench_limit", AS_VECTOR, .size = 6, .range = NOT_NEGATIVE, .fallback = "0",                              \
   .offset = offsetof(record, member.wrench_limit), .unit = "N, N m",                                                 \
   .doc = "Bound of the commanded wrench, each component, body frame; 0: unbounded."}
// clang-format on
