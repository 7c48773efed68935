#include "hil/old_names.h"

#include <stddef.h>

enum { JSON = OLD_IN_STATICS | OLD_IN_SUMMARY };

static const struct old_name NAMES[] = {
    {"x_vessel_m", QUANTITY_NORTH, OLD_IN_STATICS},
    {"y_vessel_m", QUANTITY_EAST, OLD_IN_STATICS},
    {"z_vessel_m", QUANTITY_DOWN, OLD_IN_STATICS},
    {"yaw_rad", QUANTITY_HEADING, OLD_IN_RECORD},
    {"yaw_rate_radps", QUANTITY_HEADING_RATE, OLD_IN_RECORD},
    {"position_error_m", QUANTITY_OFFSET, OLD_IN_RECORD},
    {"top_tension_n", QUANTITY_HANGOFF_TENSION, OLD_IN_FIND | OLD_IN_STATICS},
    {"x_top_m", QUANTITY_HANGOFF_NORTH, OLD_IN_STATICS},
    {"y_top_m", QUANTITY_HANGOFF_EAST, OLD_IN_STATICS},
    {"z_top_m", QUANTITY_HANGOFF_DOWN, OLD_IN_STATICS},
    {"x_touchdown_m", QUANTITY_TOUCHDOWN_NORTH, OLD_IN_STATICS},
    {"y_touchdown_m", QUANTITY_TOUCHDOWN_EAST, OLD_IN_STATICS},
    {"touchdown_s_m", QUANTITY_TOUCHDOWN_ARC_LENGTH, JSON | OLD_IN_RECORD},
    {"max_curvature_s_m", QUANTITY_CURVATURE_ARC_LENGTH, JSON | OLD_IN_RECORD},
    {"max_moment_s_m", QUANTITY_MOMENT_ARC_LENGTH, JSON | OLD_IN_RECORD},
    {"max_tension_s_m", QUANTITY_MAX_TENSION_ARC_LENGTH, JSON | OLD_IN_RECORD},
    {"min_tension_s_m", QUANTITY_MIN_TENSION_ARC_LENGTH, JSON | OLD_IN_RECORD},
    {"max_wall_tension_s_m", QUANTITY_MAX_WALL_TENSION_ARC_LENGTH, JSON | OLD_IN_RECORD},
    {"min_wall_tension_s_m", QUANTITY_MIN_WALL_TENSION_ARC_LENGTH, JSON | OLD_IN_RECORD},
    {"max_shear_s_m", QUANTITY_MAX_SHEAR_ARC_LENGTH, JSON | OLD_IN_RECORD},
    {"max_torsion_s_m", QUANTITY_MAX_TORSION_ARC_LENGTH, JSON | OLD_IN_RECORD},
    {"max_strain_s_m", QUANTITY_STRAIN_ARC_LENGTH, JSON | OLD_IN_RECORD},
    {"min_strain_s_m", QUANTITY_MIN_STRAIN_ARC_LENGTH, JSON | OLD_IN_RECORD},
};

const struct old_name *old_name_in(unsigned place, int i) {
  for (size_t k = 0; k < sizeof NAMES / sizeof *NAMES; k++)
    if ((NAMES[k].places & place) && i-- == 0)
      return &NAMES[k];
  return NULL;
}
