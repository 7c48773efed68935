// A bathymetry file in the ESRI ASCII grid format: ncols, nrows, xllcorner or xllcenter, yllcorner or
// yllcenter, cellsize (or dx and dy, which must be equal) and optionally NODATA_value, then the elevations
// (m, negative below the surface) row by row from north to south, in lines of any length. x is east, y is
// north. NODATA_value is a number or nan; without it -9999.
#pragma once

#include "sagbend/case/case.h"

#include "sagbend/base/base.h"
#include "sagbend/env/env.h"
#include "sagbend/yaml/yaml.h"

enum { BATHYMETRY_LARGEST_FILE = 16 << 20 }; // bytes

// Reads a grid. origin_m: northing and easting (the file's y and x) of the world origin. Allocates *z_m
// (depths, m, positive downwards), which out borrows. On failure errors are added and *z_m is NULL.
enum status bathymetry_read(const char *text, size_t size, const struct source *file,
                            const double origin_m[2], struct bathymetry_def *out, double **z_m,
                            struct error_list *errors);

// ------------------------------------------------------------
// The sections of a DP file.

extern const struct dp_section DP_CONTROL_SECTION, DP_ROUTE_SECTION, DP_NAVIGATION_SECTION,
    DP_TELEGRAMS_SECTION, DP_ALLOCATION_SECTION, DP_CONSEQUENCE_SECTION;

// ------------------------------------------------------------
// The sections of the pipe and of its lay, and what they need of each other.

extern const struct config_section FATIGUE_SECTION, PIPE_SECTION, CODE_CHECK_SECTION, PIPE_YIELD_SECTION,
    PIPE_ENDS_SECTION, TALLY_SECTION, PAYOUT_SECTION, TENSIONER_SECTION, OPERATIONS_SECTION, RETIRE_SECTION,
    STINGER_SECTION, STATICS_SECTION, PIPE_WIRE_SECTION;

// A pipe section with the properties that it takes over from the pipe; index from 0.
struct pipe_type config_pipe_section(const struct check *c, int index);

// Chooses beams or wires. After all sections: it needs the final mesh.
void config_resolve_wires(const struct check *c, struct config *out);

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

// Number of the section of that name, from 1; 0 for an empty name, -1 if there is none.
int config_section_number(const struct config_draft *draft, const char *name);

// pipe.tally: whether it was read without an error; its length, INFINITY without end; its shortest element or
// top_m if that is shorter; and the elements that a length paid out makes above those of the mesh, where a
// new one begins longer_share of its length after the one before has ended.
int is_tally_readable(const struct check *c);
double tally_length(const struct check *c);

// ------------------------------------------------------------
// The checks of the section vessel.power, and what its names resolve to.

// ------------------------------------------------------------
// Checks between keys, and one loading.

// Files and overrides -> record. The tree remains for the checks between keys. A failure, with errors added,
// means that there is nothing to check; errors in values are no failure.
enum status loading_read(struct loading *l, void *record);

// Files and overrides -> tree, for who only looks where keys stand: without a schema.
enum status loading_parse(struct loading *l);

// Passes on the errors and releases everything. STATUS_BAD_INPUT if there was any error.
enum status loading_finish(struct loading *l, const struct error_sink *errors);

// Continues a 64-bit FNV-1a hash with path and text of each of the files; without any it stays as it is.
uint64_t hash_files(uint64_t hash, const struct config_files *files);
// Hash of the main file's text, the overrides and the files beside it; model_only: without the overrides on
// which no step depends.
uint64_t loading_hash(const struct loading *l, int model_only);

// What a configuration refers to outside its text: the DP file, a bathymetry, coefficients of a hull, and
// what the sections of the program add. Reads or checks each of them and writes paths and grid to c, a copy
// of the draft's definition. Adds errors. A text from memory refers to nothing but the files of its record.
void config_take_references(struct loading *l, struct config *c);

// ------------------------------------------------------------
// Name of an instrument type, for keys with such a word.
const char *instrument_word(int kind);

// "needs kind azimuth or main": the kinds of thrusters of which is_of holds.
struct key_path kinds_where(int (*is_of)(const struct thruster_kind_row *kind));
int kind_turns(const struct thruster_kind_row *kind);

// "FILE:LINE:COLUMN" of a value, for a check that knows more than the file. place stays as it is where the
// value is absent.
void keep_place(const struct check *c, const char *path, char place[ROUTE_PLACE]);

// A name of another item of the list; names as for check_unique, of count items.
void check_other(const struct check *c, const char *path, const char *name, const char *list, int index,
                 const char *names, size_t stride, int count);

// ------------------------------------------------------------
struct dp_section {
  const struct key_group *groups;
  int group_count;
  void (*check)(const struct check *c);
  void (*resolve)(const struct check *c, struct dp_config *out);
};

// ------------------------------------------------------------
// simulation.event_time_scale on all event times.
void config_scale_event_times(struct config *out);
// Check of the resolved definition: the vessel's integrator against everything it has to integrate.
void config_check_integrator(const struct check *c, const struct config *out);

// A name in a list that is unique and made of characters that messages carry. first: of the first item,
// stride bytes apart.
void check_signal_name(const struct check *c, const char *list, int index, const char *first, size_t stride);

// Index of the bus of this name; -1: none.
int config_bus(const struct plant_def *plant, const char *name);
