// What a configuration says of the pipe. S = 0 at the anchored lower end, S = L at the hang-off.
#pragma once

#include "core/env/profile.h"

enum lower_end { LOWER_CLAMPED, LOWER_ANCHORED, LOWER_FREE }; // anchored: position held, rotation free
enum lower_height {
  HEIGHT_GIVEN,
  HEIGHT_RESTING,
  HEIGHT_GROUND
}; // resting: where the laid pipe comes to rest
// moved: pinned to a point that follows an imposed path instead of the vessel
enum hangoff_kind { HANGOFF_PINNED, HANGOFF_CLAMPED, HANGOFF_FREE, HANGOFF_MOVED };

// Imposed motion of the top about where the statics leaves it: a horizontal circle, the radius ramped in and
// out by half cosines, offset r A(t) (cos, sin)(2 pi (t - start)/period) in (x, y); or a table of offsets,
// which begins with 0.
struct motion_def {
  double radius_m, period_s;
  double start_s, stop_s; // stop_s 0: never
  double ramp_s;
  int rows;                               // > 0: the table's spline stands for all of the above
  struct table_row table[TABLE_ROWS_MAX]; // offset in n, m
};

// What a stretch of pipe is made of: line pipe, a buckle arrestor, coated pipe.
struct pipe_section {
  double outer_diameter_m;     // of what displaces water, meets it and the seabed
  double inner_diameter_m;     // of what the content fills; 0: none
  double steel_diameter_m;     // outer, of the steel: its strain counts; 0: the outer diameter
  double mass_kgpm;            // in air; with content if its density is not given
  double inertia_kgm[3];       // J_rho per length: axial, transverse 2 and 3
  double axial_stiffness_n;    // EA
  double shear_stiffness_n[2]; // GA2, GA3
  double torsion_stiffness_nm2;
  double bending_stiffness_nm2[2]; // EI2, EI3
  double curvature_1pm[2];         // unstressed, about t2 and t3
  double drag_transverse;          // Morison coefficients on the outer diameter
  double drag_axial;
  double added_mass_transverse; // coefficients on the displaced water
  double added_mass_axial;
  double rotational_damping_ns[3]; // D_R, N m per metre per rad/s
};

// A stretch of equal elements; the mesh is a list of them from the lower end up.
enum { MAX_MESH_PARTS = 128, MAX_SECTIONS = 16 };
struct mesh_part {
  double length_m;
  int elements;
  int section; // 0: the line pipe; k: sections[k - 1]
};

// What moves with a pipe that turns in water at rest (docs/model.md): the momentum of an ideal fluid, or the
// added mass on the acceleration along and across the section, as in the industry's codes.
enum added_mass_form { ADDED_MASS_KIRCHHOFF, ADDED_MASS_MORISON };

struct pipe_def {
  int elements;                          // 0: no pipe
  struct mesh_part mesh[MAX_MESH_PARTS]; // lengths sum to length_m, elements to elements
  int mesh_parts;                        // 0: equal elements
  double length_m;
  struct pipe_section line;                   // where the mesh names no other
  struct pipe_section sections[MAX_SECTIONS]; // complete, nothing is inherited here
  int section_count;
  double content_density_kgpm3; // its mass comes on top of mass_kgpm
  double content_pressure_pa;   // at the level of the mean sea surface, above the atmosphere's
  int water_inertia;            // accelerating water pushes the pipe
  enum added_mass_form added_mass_form;
  double structural_damping_s; // eta of Kelvin-Voigt, stress += eta C d(strain)/dt
  double strain_limit;         // a larger strain of the steel raises an event; 0: none
  enum lower_end lower;
  double anchor_n_m[2];           // x, y of the lower end
  enum lower_height lower_height; // of its axis above the seabed, along the seabed's normal
  double lower_height_m;          // given
  double lay_azimuth_rad;         // of the pipe's axis at the lower end, from the anchor towards the vessel
  enum hangoff_kind hangoff;
  struct motion_def motion; // moved
  double end_force_n[3];    // free: dead load on the top, world frame
  double end_moment_nm[3];
  struct time_profile end_profile; // of both, in time; the statics takes them whole
  int hangoff_angle_auto;          // clamped: take the angle the pinned pipe would have
  double hangoff_angle_rad;        // clamped: inclination of t1 above the vessel's x axis, in its x-z plane
};

// The mesh part that an element lies in; -1: there are no parts.
static inline int pipe_part_of(const struct pipe_def *def, int element) {
  int part = 0;
  if (def->mesh_parts == 0)
    return -1;
  while (part < def->mesh_parts - 1 && element >= def->mesh[part].elements)
    element -= def->mesh[part++].elements;
  return part;
}

// Unstretched length of an element, from the lower end up.
static inline double pipe_element_length(const struct pipe_def *def, int element) {
  int part = pipe_part_of(def, element);
  return part < 0 ? def->length_m / def->elements : def->mesh[part].length_m / def->mesh[part].elements;
}

static inline const struct pipe_section *pipe_element_section(const struct pipe_def *def, int element) {
  int part = pipe_part_of(def, element), section = part < 0 ? 0 : def->mesh[part].section;
  return section == 0 ? &def->line : &def->sections[section - 1];
}
