// The surroundings of vessel and pipe: seabed, current, wind and waves.
#pragma once

#include "sagbend/base/base.h"
#include "sagbend/ground/ground.h"
#include "sagbend/math/math.h"

// ------------------------------------------------------------
// Up to three values given at times, joined by straight lines or a cubic spline, constant before the first
// row and after the last.

enum { TABLE_COLUMNS = 3, TABLE_ROWS_MAX = 1024 };
enum table_kind { TABLE_LINEAR, TABLE_SPLINE };

struct table_row {
  double time_s; // increases from row to row
  double value[TABLE_COLUMNS];
  double slope[TABLE_COLUMNS]; // of the spline, per s; filled by table_prepare
};

// Fills the slopes of the spline that is twice continuously differentiable between the first and the last row
// and has zero slope in both, so that it joins the constants outside with a continuous slope. count <=
// TABLE_ROWS_MAX.
void table_prepare(struct table_row *rows, int count);

// All columns at a time; count >= 1.
void table_at(const struct table_row *rows, int count, enum table_kind kind, double time_s,
              double value[TABLE_COLUMNS]) NONBLOCKING;

// ------------------------------------------------------------
// Variation of a load, the current, wind or waves in time: a factor that is off, follows a smooth ramp and is
// then constant or oscillates; or a table.

enum { MAX_PROFILE_ROWS = 64 };

struct time_profile {
  double start_s;   // the factor is 0 before
  double stop_s;    // the factor is 0 from here on; 0: never
  double ramp_s;    // length of the ramps after start_s and before stop_s; 0: jumps
  double variation; // amplitude of an oscillation about 1
  double period_s;  // of the oscillation; 0: none
  int rows;         // > 0: the table replaces all of the above
  enum table_kind kind;
  struct table_row
      table[MAX_PROFILE_ROWS]; // value[0]: factor; value[1]: turn about the vertical, rad (current only)
};

// The factor at a time: ramp(t) (1 + variation sin(2 pi (t - start) / period)) with a twice continuously
// differentiable ramp; or the table's.
double time_profile_at(const struct time_profile *profile, double time_s) NONBLOCKING;

// The largest size of the factor at any time.
double time_profile_largest(const struct time_profile *profile);

// The table's turn about the vertical at a time, rad; 0 without a table.
double time_profile_turn(const struct time_profile *profile, double time_s) NONBLOCKING;

// ------------------------------------------------------------
// Long- or short-crested waves as a sum of sinusoids with seeded phases: a function of place and time alone.
// docs/weather.md gives formulas and sources.

enum waves_spectrum { WAVES_JONSWAP, WAVES_REGULAR };
enum { MAX_WAVES = 256 };

// The motion of the water between trough and crest.
enum waves_stretching { STRETCH_WHEELER, STRETCH_CONSTANT };

struct waves_def {
  int present; // 0: no waves
  enum waves_spectrum spectrum;
  double height_m;      // significant wave height; of a regular wave from trough to crest
  double period_s;      // of the spectral peak; of the regular wave
  double gamma;         // peak enhancement factor
  double direction_rad; // from which the waves come, clockwise from north
  double spreading;     // s in cos^2s(angle/2); 0: all waves from one direction
  int components;       // of an irregular sea
  int seed;             // of phases, frequencies and directions
  int on_pipe;          // 1: they act on the pipe as well
  enum waves_stretching stretching;
  struct time_profile profile; // factor of the amplitude in time
};

// Component k raises the surface by amplitude cos 2 pi (frequency t - k_north x - k_east y + phase). Arrays
// of count; elements beyond the components have amplitude 0.
struct sea {
  int count; // components, rounded up to a multiple of LANES; 0: no waves
  double *amplitude_m, *frequency_hz;
  double *phase;                        // turns
  double *k_north, *k_east;             // wave number, turns per metre
  double *omega_radps, *wavenumber_1pm; // frequency and wave number of each component, rad/s and rad/m
  double *direction_rad;                // in which the component travels, clockwise from north
  struct time_profile profile;
};

// Takes memory and realises the sea in water of this depth; only measures with an arena that measures.
void sea_create(struct sea *sea, const struct waves_def *def, double gravity_mps2, double depth_m,
                struct arena *memory);

// Amplitude times cosine and sine of the phase of every component at a place and time, m, with the profile;
// arrays of count. The elevation is the sum of the cosines.
void sea_phasors(const struct sea *sea, double time_s, double x_n_m, double y_n_m, double cosine[],
                 double sine[]) NONBLOCKING;

// The same of the first components only, rounded up to a multiple of LANES, with this factor instead of the
// profile.
void sea_some_phasors(const struct sea *sea, int components, double factor, double time_s, double x_n_m,
                      double y_n_m, double cosine[], double sine[]) NONBLOCKING;

// Elevation of the surface at a place and time, m, upwards.
double sea_elevation(const struct sea *sea, double time_s, double x_n_m, double y_n_m) NONBLOCKING;

// Wave number in water of this depth, rad/m: k tanh(k d) = omega^2/g.
double waves_wavenumber(double omega_radps, double gravity_mps2, double depth_m);

// Range of the spectrum as multiples of the peak frequency.
static const double WAVES_LOWEST = 0.4, WAVES_HIGHEST = 12;

// ------------------------------------------------------------
// Wind over the sea: a mean speed that grows with height, gusts as a sum of sinusoids with seeded phases, and
// a slow oscillation of the direction. A function of time alone. docs/weather.md gives formulas and sources.

enum wind_gusts { GUSTS_NONE, GUSTS_NORSOK, GUSTS_API };
enum { WIND_GUSTS = 96 };

struct wind_def {
  int present;          // 0: no wind
  double speed_mps;     // mean over an hour at 10 m height
  double direction_rad; // from which the wind comes, clockwise from north
  double turn_rad;      // amplitude of the sinusoidal change of direction
  double turn_period_s; // of that change
  enum wind_gusts gusts;
  double gust_height_m; // height above the sea at which the gusts are realised; they act at every height
  int seed;             // of the gusts
  double air_density_kgpm3;
  struct time_profile profile; // factor of mean and gusts in time
};

// Wind with its gusts realised.
struct wind {
  struct wind_def def;
  double amplitude_mps[WIND_GUSTS], frequency_hz[WIND_GUSTS];
  double phase[WIND_GUSTS]; // turns
};

struct wind wind_of(const struct wind_def *def);

// The wind at a time, for any height.
struct wind_sample {
  double factor;        // of the profile; gust_mps contains it
  double gust_mps;      // along the mean wind
  double direction_rad; // from which the wind comes, clockwise from north
  vec3 towards_n;       // unit vector in which the air moves
};

struct wind_sample wind_at(const struct wind *wind, double time_s) NONBLOCKING;

// Mean speed at a height above the mean sea surface, m/s, without profile and gusts.
double wind_mean(const struct wind *wind, double height_m) NONBLOCKING;

// Velocity of the air at a height above the mean sea surface, m/s in n.
vec3 wind_velocity(const struct wind *wind, const struct wind_sample *sample, double height_m) NONBLOCKING;

// Spectral density of the gusts at gust_height_m, one-sided, (m/s)^2/Hz.
double wind_density(const struct wind_def *def, double frequency_hz);

// Range of frequencies of the gusts.
static const double WIND_LOWEST_HZ = 1.0 / 2400, WIND_HIGHEST_HZ = 0.5;

// ------------------------------------------------------------
// The surroundings of vessel and pipe: water, current, wind, waves, seabed, and external loads on the vessel.
// World frame n: x north, y east, z down from the mean sea surface.

enum seabed_kind {
  SEABED_NONE,
  SEABED_SPRING, // parabola and line from the pipe's weight and diameter
  SEABED_LINEAR, // seabed_stiffness_npm3
  SEABED_SOIL    // soil: layers that remember (sagbend/ground/ground.h)
};
enum seabed_contact { CONTACT_UNDERSIDE, CONTACT_AXIS }; // what of the pipe meets the ground
enum load_frame { LOAD_WORLD, LOAD_BODY };
enum { MAX_LOADS = 16, MAX_CURRENT_POINTS = 32 };

struct current_point {
  double depth_m; // below the mean sea surface
  double speed_mps;
  double direction_rad; // in which it flows, clockwise from north
};

// A current as configured. The velocity varies linearly between the points and is constant above the first
// and below the last. Without points it falls linearly from surface_mps at z = 0 to zero at the seabed.
struct current_def {
  double surface_mps;                              // without points: speed at the surface
  double direction_rad;                            // without points: in which it flows, clockwise from north
  struct current_point points[MAX_CURRENT_POINTS]; // by increasing depth
  int point_count;
  struct time_profile profile; // in time: a factor, and in a table a turn
};

// A plane seabed, env_def.depth_m below the surface at a reference point.
struct seabed_slope_def {
  double angle_rad;      // of inclination; 0: level
  double direction_rad;  // in which it descends, clockwise from north
  double reference_m[2]; // the reference point: north, east
};

// Level of the seabed at the nodes of a rectangular grid, instead of a plane.
struct bathymetry_def {
  int north_nodes, east_nodes; // 0: no grid; otherwise at least 2 each
  double north_m, east_m;      // position of the south-western node
  double spacing_m;            // between nodes, both ways
  const double *z_m; // [north][east], z of the seabed; borrowed until the simulator has been created
  // [north][east], borrowed likewise: 1 where z_m is not of the survey but that of the nearest node with
  // data. NULL: all are of the survey.
  const unsigned char *is_missing;
};

// A force and moment on the vessel at its reference point.
struct load_def {
  enum load_frame frame;       // of the wrench: world n or body b
  double wrench[6];            // force in N, moment in N m
  struct time_profile profile; // factor in time
};

struct env_def {
  double gravity_mps2;
  double water_density_kgpm3;
  double
      depth_m; // z of the seabed; of a slope at its reference point; with bathymetry a level near the ground
  struct seabed_slope_def slope;
  struct bathymetry_def bathymetry;
  enum seabed_kind seabed;
  double seabed_stiffness_npm3; // SEABED_LINEAR: per length and diameter of pipe
  double seabed_damping_nspm3;  // normal damper in contact, per length and diameter of pipe
  int seabed_suction;           // 1: the damper also resists a pipe that leaves the ground
  struct friction_def friction;
  enum seabed_contact seabed_contact;
  struct soil_def soil; // SEABED_SOIL
  struct current_def current;
  struct wind_def wind;
  struct waves_def waves;
  struct load_def loads[MAX_LOADS];
  int load_count;
};

// Whether water ever moves with it.
static inline int current_is_configured(const struct current_def *def) {
  return def->point_count > 0 || def->surface_mps != 0;
}

// The current as velocities by depth, ready for look-up.
struct current {
  int count;                      // of points, at least 2
  double z_m[MAX_CURRENT_POINTS]; // increasing
  vec3 v_n[MAX_CURRENT_POINTS];   // m/s, without the profile in time
};

// Prepares the look-up. depth_m: where a current without points ends.
struct current current_of(const struct current_def *def, double depth_m);

// How time scales and turns the current, the same at all depths: u(z, t) = along v(z) + across e3 x v(z).
struct current_turn {
  double along, across;
};

struct current_turn current_turn_at(const struct current_def *def, double time_s) NONBLOCKING;

// The current over an interval: its turn in the middle, and the change of the turn from start to end. The
// change omits the jumps where the profile switches the current on or off. It is the exact integral of the
// water's local acceleration.
struct current_span {
  struct current_turn middle, change;
};

struct current_span current_over(const struct current_def *def, double middle_s,
                                 double duration_s) NONBLOCKING;

// Velocity of the water at depth z, m/s in n; with a change of turn, the change of velocity.
static inline vec3 current_at(const struct current *current, struct current_turn turn, double z_m) {
  int i = 1;
  while (i < current->count - 1 && current->z_m[i] < z_m)
    i++;

  double share = (z_m - current->z_m[i - 1]) / (current->z_m[i] - current->z_m[i - 1]);
  share = share < 0 ? 0 : share > 1 ? 1 : share;
  vec3 v = vec3_axpy(share, vec3_sub(current->v_n[i], current->v_n[i - 1]), current->v_n[i - 1]);
  return (vec3){turn.along * v.x - turn.across * v.y, turn.along * v.y + turn.across * v.x, turn.along * v.z};
}

// Sum of the loads at a time about the vessel's reference point: force (N) and moment (N m) in b. attitude:
// R, body to world.
void loads_at(const struct env_def *env, double time_s, const mat3 *attitude, double wrench_b[6]) NONBLOCKING;

// ------------------------------------------------------------
// How the water moves under a sea: linear waves in water of finite depth, continued to the moving surface. A
// function of place and time alone. docs/model-sea.md.
//
// With Z = -z the height above the mean surface, eta the elevation and d the depth, the motion of linear
// theory is taken at Z':
//   STRETCH_WHEELER   Z' = (Z - eta) d/(d + eta)   (Wheeler 1970)
//   STRETCH_CONSTANT  Z' = min(Z, 0)
// between -d and 0: above the crest the motion is that of the surface, below the bed that of the bed.

struct sea_field {
  struct sea sea;       // components by increasing wave number; padding has the last one and amplitude 0
  double *north, *east; // direction in which each travels
  double *decay;        // e^{-2kd}
  double *norm;         // 1/(1 - e^{-2kd})
  int shallow;          // components before this one feel the bed
  enum waves_stretching stretching;
  double depth_m;
  double height_m;      // significant height, or height of the regular wave, at the largest factor in time
  double depth_limit_m; // below it the water hardly moves
};

// No crest is higher than this share of height_m, but for one wave in 10^7.
static const double SEA_CREST_SHARE = 1.5;

// The motion at a place and time: sums over the components, all without the profile in time, which enters
// through Z' only.
struct sea_column {
  double velocity[3];    // m/s, n
  double rate[3];        // local time derivative of the stretched motion, m/s^2
  double gradient[3][3]; // d velocity[i] / d x[j], 1/s
  double surface;        // elevation, m, upwards
  double surface_rate;   // m/s
  double slope[2];       // of the surface towards north and east
};
enum { SEA_COLUMN = sizeof(struct sea_column) / sizeof(double) };

// Takes memory and sorts the components of a sea in water of this depth; only measures with an arena that
// measures. Without waves on the pipe it stays empty.
void sea_field_create(struct sea_field *field, const struct waves_def *def, const struct sea *sea,
                      double depth_m, struct arena *memory);

// Factor of all motion at a time.
double sea_field_factor(const struct sea_field *field, double time_s) NONBLOCKING;

// The motion at r_n, m. Components whose motion has decayed by e^-8 are left out; with constant stretching
// from the elevation, too.
struct sea_column sea_column_at(const struct sea_field *field, double time_s, vec3 r_n) NONBLOCKING;

// ------------------------------------------------------------
// Whether a sea can exist: its steepness and its height against the depth.
//
// Irregular seas, DNV-RP-C205 (2019), 3.5.4: the significant steepness Sp = 2 pi Hs / (g Tp^2) of sea states
// is at most 1/15 up to Tp = 8 s and 1/25 from 15 s on, linear between. Beyond it a sea is named; beyond
// 1/10, or with Hs beyond 0.6 of the depth, all of its waves would break: it is refused. Regular waves, Miche
// (1944), as in DNV-RP-C205, 3.4.6: they break at H = 0.142 L tanh(k d). From 0.8 of that on a linear wave is
// named; beyond it is refused.

enum sea_limit { SEA_EXISTS, SEA_IS_STEEP, SEA_BREAKS };

// Judges the sea at the largest factor of its profile. why: the reason, unless it exists. No waves exist.
enum sea_limit sea_limit_of(const struct waves_def *def, double gravity_mps2, double depth_m,
                            struct reason *why);

// Largest steepness of irregular seas with this peak period.
double sea_steepness_limit(double peak_period_s);

// Height at which a regular wave breaks, m.
double sea_breaking_height(double period_s, double gravity_mps2, double depth_m);

// ------------------------------------------------------------
// The seabed's normal spring (Saefstroem 2009, eq. 5.38): a parabola, then a line, continuously
// differentiable. The pipe's submerged weight rests at a penetration of an eighth of its diameter. Forces and
// energies are per length of pipe; penetrations are positive into the ground. A discrete gradient makes the
// work over a step equal to the change of energy.

struct seabed_spring {
  double slope_npm2; // stiffness of the line, N/m per m of penetration: weight / (d_o/8 - d_o/40)
  double break_m;    // penetration at which parabola and line meet, d_o/20
};

// The spring for a pipe of this submerged weight (either sign) and outer diameter d_o.
struct seabed_spring seabed_spring_of(double submerged_weight_npm, double outer_diameter_m);

// A linear spring without parabola.
struct seabed_spring seabed_linear(double stiffness_npm2);

double seabed_energy(const struct seabed_spring *spring, double penetration_m) NONBLOCKING; // J/m
double seabed_force(const struct seabed_spring *spring, double penetration_m) NONBLOCKING;  // N/m, >= 0
double seabed_stiffness(const struct seabed_spring *spring,
                        double penetration_m) NONBLOCKING; // derivative of the force, N/m2

// The penetration at which the spring exerts a force, m; 0 for forces <= 0.
double seabed_penetration(const struct seabed_spring *spring, double force_npm);

// Mean force over a step from penetration k0 to k1, N/m: (V1 - V0) / (k1 - k0) without cancellation.
// derivative: of the mean force with respect to k1, N/m2.
double seabed_mean_force(const struct seabed_spring *spring, double k0, double k1,
                         double *derivative) NONBLOCKING;

// ------------------------------------------------------------
// Surface of the seabed, z = H(x, y) in n: a plane, level or sloping, or bathymetry on a grid. Through the
// grid's nodes runs a bicubic spline, twice continuously differentiable and with natural ends, so that its
// linear continuation beyond the edges is as smooth.
//
// Penetration of a pipe whose axis passes through r, along the normal of the surface (exact for a plane, to
// first order for a grid):
//   kappa(r) = (z - H) c + offset,   c = 1 / sqrt(1 + |grad H|^2),
// where offset_m is half a diameter if the pipe's underside meets the ground and 0 if its axis does.

struct seabed_surface {
  double depth_m; // level that heights are stored relative to, so that differences keep their digits
  vec3 normal_n;  // plane: unit normal into the ground, the gradient of kappa
  vec3 point_n;   // plane: a point of it
  int north_nodes, east_nodes; // of the grid; 0: a plane
  double north_m, east_m;      // of the south-western node
  double spacing_m;
  double *coefficient_m; // of the B-splines, z relative to depth_m: [1 + north][1 + east], one more node all
                         // around
  unsigned char *is_missing; // [north][east], 1: without data; NULL: all have data
  double top_z_m;            // grid: all ground lies below this level
  double steepest;           // grid: upper bound of 1/c
};

// Takes memory and computes the spline; only measures with an arena that measures.
void surface_create(struct seabed_surface *surface, const struct env_def *env, struct arena *memory);

// H: z of the ground, m.
double surface_level(const struct seabed_surface *surface, double north_m, double east_m);

// slope = (dH/dx, dH/dy).
void surface_slope(const struct seabed_surface *surface, double north_m, double east_m, double slope[2]);

// Whether a point lies in a cell of the grid whose four nodes have data; always 1 for a plane.
int surface_is_mapped(const struct seabed_surface *surface, double north_m, double east_m);

// kappa, m, negative above the ground. normal_n: unit normal of the surface under r, into the ground; may be
// NULL.
double surface_penetration(const struct seabed_surface *surface, double offset_m, vec3 r_n,
                           vec3 *normal_n) NONBLOCKING;

// Whether r lies above all ground of the grid, so that there is no penetration; needs no evaluation of the
// spline. Always 0 for a plane.
int surface_is_clear(const struct seabed_surface *surface, double offset_m, vec3 r_n) NONBLOCKING;

// A step of a node from r to r + dr.
struct surface_pass {
  double before_m, after_m; // kappa at both ends
  vec3 gradient;            // discrete gradient of kappa (Gonzalez 1996): gradient . dr = after - before
};

// For a grid; callers use surface_pass_of.
struct surface_pass surface_pass_grid(const struct seabed_surface *surface, double offset_m, double before_m,
                                      vec3 r_n, vec3 dr_n) NONBLOCKING;

// The step's penetrations and gradient. before_m: surface_penetration at r, or any negative number where r is
// clear. Where neither end touches, after_m may equal before_m.
static inline struct surface_pass surface_pass_of(const struct seabed_surface *surface, double offset_m,
                                                  double before_m, vec3 r_n, vec3 dr_n) {
  if (surface->north_nodes > 0)
    return surface_pass_grid(surface, offset_m, before_m, r_n, dr_n);
  return (struct surface_pass){before_m, before_m + vec3_dot(surface->normal_n, dr_n), surface->normal_n};
}

// Derivatives with respect to dr. end: of after_m, the gradient of kappa at the end. rate: of the discrete
// gradient; zero for a plane.
void surface_pass_rates(const struct seabed_surface *surface, const struct surface_pass *pass, vec3 r_n,
                        vec3 dr_n, vec3 *end, mat3 *rate) NONBLOCKING;
