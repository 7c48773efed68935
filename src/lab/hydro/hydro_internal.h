// Reads the numeric files of WAMIT 6 and 7 (one body): .1 (added mass, damping), .2 or .3 (wave force), .4
// (motions), .8 or .9 (mean drift), .hst (restoring), .frc (mass), .gdf (length
// unit, gravity), .pot (depth, body origin). Its axes are x forward, y to port, z up; a heading is the
// direction of travel, anticlockwise from x; a period of -1 is the frequency zero, 0 the infinite one.
// Numbers have no unit: with density rho, gravity g and length unit L added mass is rho L^k, damping rho
// omega L^k, force rho g L^m, and so on.
#pragma once

#include "sagbend/hydro/first_column.h"
#include "sagbend/hydro/hydro_raw.h"
#include "sagbend/hydro/hydro_report.h"

struct wamit_units {
  double length_m, water_density_kgpm3, gravity_mps2;
  enum first_column column; // IPEROUT
  double depth_m;           // of the water, for a column of wavenumbers; 0: deep
};

// Frequency in rad/s of a number above 0 of the first column.
double wamit_omega(const struct wamit_units *units, double number);
// Hull of a .gdf of flat panels, about the body's axes moved up so that z = 0 is the water; WAMIT's axes.
struct wamit_hull {
  double volume_m3; // 0: unknown, as of a geometry without flat panels
  double centre_m[3];
};
// Form 1 of a .frc.
struct wamit_gyration {
  int is_given;
  double height_m;       // of the centre of gravity above the body's origin
  double radius_m[3][3]; // of gyration about that origin; a moment of inertia is m r |r|
};
// .gdf: length unit and gravity, and the hull. body_height_m: of the body's origin above the water.
enum status wamit_read_gdf(const char *path, double body_height_m, struct wamit_units *units,
                           struct wamit_hull *hull, struct hydro_report *report, struct reason *why);
// .pot: depth of the water into raw (0: deep) and where the body's origin lies from the point to whose
// surface the phases refer (XBODY).
enum status wamit_read_pot(const char *path, struct hydro_raw *raw, struct hydro_report *report,
                           struct reason *why);
// .frc: of form 2 density, mass, external damping and restoring; of form 1 radii of gyration. In units of its
// own.
enum status wamit_read_frc(const char *path, struct wamit_units *units, struct hydro_raw *raw,
                           struct wamit_gyration *gyration, struct hydro_report *report, struct reason *why);
// Mass matrix of radii of gyration, with the mass of the displaced water: that of the hull, or the one that
// the longest waves move.
enum status wamit_take_gyration(const char *path, const struct wamit_gyration *gyration,
                                const struct wamit_hull *hull, struct hydro_raw *raw,
                                struct hydro_report *report, struct reason *why);
enum status wamit_read_1(const char *path, const struct wamit_units *units, struct hydro_raw *raw,
                         struct hydro_report *report, struct reason *why);
enum status wamit_read_hst(const char *path, const struct wamit_units *units, struct hydro_raw *raw,
                           struct hydro_report *report, struct reason *why);
// .2 or .3, then .4; the periods must be those of .1, the headings of .4 those of the forces.
enum status wamit_read_force(const char *path, const struct wamit_units *units, struct hydro_raw *raw,
                             struct hydro_report *report, struct reason *why);
enum status wamit_read_motion(const char *path, const struct wamit_units *units, struct hydro_raw *raw,
                              struct hydro_report *report, struct reason *why);
// .12d: compared with Newman's approximation in the report; the simulator does not use it.
enum status wamit_read_difference(const char *path, struct hydro_report *report, struct reason *why);
// .8 (momentum) or .9 (pressure): of the pairs of headings those with twice the same heading; the yaw moment
// of mode -6, about the body's own origin, where the file has it. The table replaces an earlier one.
enum status wamit_read_drift(const char *path, const struct wamit_units *units, struct hydro_raw *raw,
                             struct hydro_report *report, struct reason *why);
