// What the parts of the reader of OrcaFlex share. Within it only.
#pragma once

#include "lab/hydro/orcaflex.h"
#include "lab/hydro/yaml_data.h"
#include "sagbend/hydro/hydro_axes.h"

enum orcaflex_waves { ORCAFLEX_PERIOD, ORCAFLEX_RADPS, ORCAFLEX_HZ };

// The conventions of a vessel type.
struct orcaflex_conventions {
  double sign[6];            // of our axes in the data's
  int waves;                 // enum orcaflex_waves
  double angle, phase;       // radians of a unit of rotations, of phases
  double lag;                // 1: positive phases are lags; -1: leads
  double crest_rad;          // lag behind the crest of what phases refer to
  int are_angles_per_metre;  // of wave amplitude
  int is_fore_aft_symmetric; // directions of one quarter
};

struct orcaflex {
  struct yaml_data yaml;
  const yaml_node_t *draught;
  struct orcaflex_conventions conventions;
};

enum status orcaflex_read_conventions(struct orcaflex *file, const yaml_node_t *vessel_type,
                                      struct reason *why);

// A point, or key absent: zero, in our axes from the origin of the vessel axes.
enum status orcaflex_read_point(const struct orcaflex *file, const yaml_node_t *map, const char *key,
                                double point_m[3], struct reason *why);

// The frequency of a period or frequency as the file gives it: 0, or HUGE_VAL for the infinite one.
double orcaflex_omega(const struct orcaflex *file, double number);

// Load RAOs, displacement RAOs if there are any, wave drift if there is any. The frequencies of raw are
// known.
enum status orcaflex_read_tables(const struct orcaflex *file, struct hydro_raw *raw,
                                 struct hydro_report *report, struct reason *why);
