// The sections of a configuration and of a DP file. Each section is a file that holds its keys, its checks
// and its resolving step side by side.
#pragma once

#include "io/config/config_check.h"

struct config_section {
  const struct key_group *groups; // rows of its keys
  int group_count;
  void (*check)(const struct check *c); // checks between keys; NULL: none
  // Writes what the draft does not contain as such: radians, indices, dependent defaults. out is a copy of
  // the draft's definition; called after all checks, without errors. NULL: nothing to resolve.
  void (*resolve)(const struct check *c, struct config *out);
};

extern const struct config_section SIMULATION_SECTION, GROUND_SECTION, CURRENT_SECTION, SOIL_SECTION,
    FATIGUE_SECTION, WEATHER_SECTION, LOADS_SECTION, VALIDITY_SECTION, INSTRUMENTS_SECTION,
    REFERENCES_SECTION, VESSEL_SECTION, VESSEL_HULL_SECTION, VESSEL_WEATHER_SECTION, POWER_SECTION,
    THRUSTERS_SECTION, CAPABILITY_SECTION, PIPE_SECTION, CODE_CHECK_SECTION, PIPE_YIELD_SECTION,
    PIPE_ENDS_SECTION, FEED_SECTION, PAYOUT_SECTION, TENSIONER_SECTION, OPERATIONS_SECTION, RETIRE_SECTION,
    STINGER_SECTION, STATICS_SECTION, EVENTS_SECTION, VERDICTS_SECTION, CONTROLLER_SECTION, NETWORK_SECTION,
    NMEA_SECTION, MODBUS_SECTION, VIEW_SECTION;

struct dp_section {
  const struct key_group *groups;
  int group_count;
  void (*check)(const struct check *c);
  void (*resolve)(const struct check *c, struct dp_config *out);
};

extern const struct dp_section DP_CONTROL_SECTION, DP_ROUTE_SECTION, DP_NAVIGATION_SECTION,
    DP_TELEGRAMS_SECTION, DP_ALLOCATION_SECTION, DP_CONSEQUENCE_SECTION;

// Rows that several sections contain: of struct time_profile, struct pid_def.
extern const struct key_rows PROFILE_ROWS, PID_ROWS;

// The schemas, from the rows of all sections. No keys if memory runs out. Release with schema_free.
struct schema config_schema(void);
struct schema dp_schema(void);

// All checks between keys; then, if there was no error, everything to resolve.
void config_check(const struct check *c);
void config_resolve(const struct check *c, struct config *out);
// simulation.event_time_scale on all event times.
void config_scale_event_times(struct config *out);
// Check of the resolved definition: the vessel's integrator against everything it has to integrate.
void config_check_integrator(const struct check *c, const struct config *out);
void dp_check(const struct check *c);
void dp_resolve(const struct check *c, struct dp_config *out);

// A pipe section with the properties that it takes over from the pipe; index from 0.
struct pipe_type config_pipe_section(const struct check *c, int index);

// The steel of a pipe section with what it takes over from pipe.steel, and its outer diameter; index -1: of
// the pipe. config_check_steel reports what is wrong with it; 0: it is wrong or was not read.
struct check_steel config_steel(const struct check *c, int index);
int config_check_steel(const struct check *c, int index);

// The uppermost part of the mesh, of which pay-out makes further elements.
struct top_part {
  int elements; // of the whole pipe
  int equal;    // of this part
  double element_m;
};
struct top_part top_part_of(const struct check *c);
// Whether the mesh was read without an error.
int is_mesh_readable(const struct check *c);
// Largest speed of the pipe at which the shortest element lasts some steps, m/s; shortest_m: its length.
double fastest_payout(const struct check *c, const struct top_part *top, double *shortest_m);
// Length paid out, negative, down to which the uppermost part of the mesh keeps two elements, m.
double least_payout(const struct top_part *top);

// Report a set-point that the tensioner cannot hold, and a speed at which its shortest element lasts too few
// steps.
void check_tension_order(const struct check *c, const char *path, double tension_n);
void check_speed_order(const struct check *c, const char *path, double speed_mps, const struct top_part *top);

// A name in a list that is unique and made of characters that messages carry. first: of the first item,
// stride bytes apart.
void check_signal_name(const struct check *c, const char *list, int index, const char *first, size_t stride);

// Index of the bus of this name; -1: none.
int config_bus(const struct plant_def *plant, const char *name);

// Number of the section of that name, from 1; 0 for an empty name, -1 if there is none.
int config_section_number(const struct config_draft *draft, const char *name);

// pipe.feed: whether it was read without an error; its length, INFINITY without end; its shortest element or
// top_m if that is shorter; and the elements that a length paid out makes above those of the mesh, where a
// new one begins longer_share of its length after the one before has ended.
int is_feed_readable(const struct check *c);
double feed_length(const struct check *c);
double feed_shortest(const struct check *c, double top_m);
int feed_elements(const struct check *c, double top_m, double paid_m, double longer_share);

// Names of what faults may act on, in the order of the draft or of the definition.
void config_hil_names(const struct config *c, struct hil_names *names);
// Whether all keys of an item of a list were read without an error.
int is_item_readable(const struct check *c, const char *list, int index);
// Errors of a condition's or verdict's quantity that this case does not have.
void check_quantity(const struct check *c, const char *path, int quantity);
// Index of the event of that name among the first count, -1 if there is none.
int find_event(const struct config_draft *draft, const char *name, int count);
