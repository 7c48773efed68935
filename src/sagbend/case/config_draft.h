// What the rows of a schema fill: the definition, and the parts that only the checks and the resolving step
// use. The checks read a draft. Only then the resolving step turns it into the definition: radians, indices
// in place of names, defaults that depend on other keys.
#pragma once

#include "sagbend/case/case.h"
#include "sagbend/yaml/yaml.h"

struct load_draft {
  struct load_def def;
  char name[64]; // for the reader of the file
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
  double within[2], below, above, from_s, to_s, mean_s, grace_s;
  int quantity, expect_violated, alarm_is_none;
  double alarm_within_s;
};

enum { SECTION_NAME = 32 };
struct section_draft {
  struct pipe_type def;        // properties that the file gives; the others are the pipe's (section_pipe.c)
  struct check_steel steel;    // likewise (section_steel.c)
  int is_perfect;              // ramberg_osgood: perfect (section_pipe_yield.c)
  int element_kind, wire_ends; // section_pipe_wire.c
  char name[SECTION_NAME];
};
struct mesh_draft {
  struct mesh_segment part;
  char section[SECTION_NAME]; // empty: the pipe itself
};
struct feed_draft {
  struct mesh_segment part;
  char section[SECTION_NAME];
  int is_endless;
};

struct operation_draft {
  struct operation def;
  double until_s, until_paid_out_m, until_tension_n, until_way_m;
  char section[SECTION_NAME];
};

struct config_draft {
  struct config out;
  char extends[256]; // the loader reads it before the schema does
  double rigid_body[6][6];
  double moments_kgm2[3];
  double added_mass[6][6];
  struct load_draft loads[MAX_LOADS];
  struct event_draft events[MAX_EVENTS];
  struct verdict_draft verdicts[MAX_VERDICTS];
  int scenario_seed;
  int is_perfect;              // pipe.ramberg_osgood: perfect
  int element_kind, wire_ends; // of the pipe (section_pipe_wire.c)
  int is_curve_exponent;       // pipe.fatigue.thickness_exponent: of_curve
  int soil_lay_word;           // environment.soil.lay_factor: auto, where the number is 0
  struct section_draft sections[MAX_PIPE_TYPES];
  struct mesh_draft mesh[MAX_MESH_SEGMENTS];
  struct feed_draft feed[MAX_FEED_PARTS];
  struct operation_draft operations[MAX_OPERATIONS];
  int hil_seed;
};

struct dp_draft {
  struct dp_config out;
  char extends[256];
  double event_time_scale;
  int waypoint_count;
  struct waypoint waypoint[MAX_WAYPOINTS];
};

// Where in memory the record of a program's sections (struct config_sections) follows the draft.
enum { MORE_DRAFT = (sizeof(struct config_draft) + 63) / 64 * 64 };

// Places of a row's value: in the draft of a configuration, or in another record.
#define AT(member)      .offset = offsetof(struct config_draft, member)
#define WORD_AT(member) .word_offset = offsetof(struct config_draft, member)
