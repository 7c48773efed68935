// The error of a mesh at the touchdown: lines whose tops heave, the wire of beams and of wires, with equal
// elements and with those that a case gets that gives their number alone.
#include "sagbend/model/model.h"
#include "verification/harness/harness.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct heaved_line {
  const char *name, *kind; // of elements
  double depth_m, length_m, reach_m, diameter_m, mass_kgpm, ea_n, ei_nm2, gj_nm2, inertia_kgm[2];
  double heave_m, period_s;
  double limit_percent[2]; // of the tension with 50 and 100 elements
  double other_percent[2]; // of the largest moment and the seabed's force with 100 elements
};
#define WIRE_LINE(kind) kind, 400, 650, 389, 0.1143, 57, 4.5e8, 3e3, 3e5, {0.09, 0.045}
static const struct heaved_line LINES[] = {
    {"flexible", "beam", 120, 220, 150, 0.30, 160, 4e8, 4e4, 4e4, {3.6, 1.8}, 1, 8, {3.8, 1.2}, {3, 1.6}},
    {"wire of beams", WIRE_LINE("beam"), 2, 9, {2.6, 0.8}, {4.2, 1.8}},
    {"wire", WIRE_LINE("wire"), 2, 9, {2.6, 0.8}, {2.8, 1.7}},
    {"24-inch",
     "beam",
     500,
     1100,
     876,
     0.6096,
     366,
     9.65e9,
     4.1245e8,
     3.17e8,
     {31, 15.5},
     1,
     10,
     {0.7, 0.21},
     {1.7, 4.5}},
};

enum { FINE = 400, FIRST_S = 20, LAST_S = 60, SAMPLES = 10 * (LAST_S - FIRST_S) };
static const double STEP_S = 0.05, FINE_STEP_S = 0.02;
enum { MESHES = 3 };
static const int ELEMENTS[MESHES] = {50, 70, 100};

// The top heaves from rest, ramped over 10 s.
static void heave(struct motion_def *motion, const struct heaved_line *line) {
  motion->rows = 10 * LAST_S + 41; // the spline ends after the last sample
  for (int i = 0; i < motion->rows; i++) {
    const double t = 0.1 * i, x = fmin(1, t / 10), ramp = x * x * x * (10 + x * (6 * x - 15));
    motion->table[i] = (struct table_row){
        .time_s = t, .value = {0, 0, -line->heave_m * ramp * sin(2 * acos(-1) * t / line->period_s)}};
  }
}

static int load_line(const struct verify_setup *setup, const struct heaved_line *l, struct sim_def *def,
                     struct verify_result *r) {
  char pipe[700], statics[160], depth[64];
  snprintf(pipe, sizeof pipe,
           "pipe={length_m: %g, elements: 10, spacing: equal, element_kind: %s, outer_diameter_m: %g, "
           "mass_kgpm: %g, inertia_kgm: "
           "[%g, %g, %g], axial_stiffness_n: %g, shear_stiffness_n: %g, torsion_stiffness_nm2: %g, "
           "bending_stiffness_nm2: %g, drag_transverse: 1.2, drag_axial: 0, added_mass_transverse: 1, "
           "rotational_damping_ns: 0, structural_damping_s: 3e-4, strain_limit: 0, buoyancy: submerged, "
           "lower_end: {kind: anchored, position_m: [0, 0], azimuth_deg: 0}, hangoff: {kind: moved, motion: "
           "{radius_m: 1, period_s: 10}}}",
           l->length_m, l->kind, l->diameter_m, l->mass_kgpm, l->inertia_kgm[0], l->inertia_kgm[1],
           l->inertia_kgm[1], l->ea_n, l->ea_n / 3, l->gj_nm2, l->ei_nm2);
  snprintf(statics, sizeof statics,
           "statics={hangoff_position_m: [%g, 0], weight_compensation: pipe, current: none}", l->reach_m);
  snprintf(depth, sizeof depth, "environment.depth_m=%g", l->depth_m);
  const char *const sets[] = {"environment.gravity_mps2=9.80665",
                              "environment.seabed=linear",
                              "environment.seabed_stiffness_npm3=1e5",
                              "environment.seabed_damping_nspm3=1e4",
                              "environment.seabed_contact=axis",
                              "environment.seabed_suction=true",
                              "environment.seabed_friction_axial=0",
                              "environment.seabed_friction_lateral=0",
                              "vessel.position_n_m=[0, 0, 0]",
                              "vessel.attitude_rad=[0, 0, 0]",
                              "vessel.hangoff_b_m=[0, 0, 10]",
                              "controller={kind: none}",
                              depth,
                              pipe,
                              statics};
  if (!scene_load(setup, "vessel-only", (int)(sizeof sets / sizeof *sets), sets, def, r))
    return 0;
  heave(&def->pipe.motion, l);
  return 1;
}

static double top_force_n(const struct sim_output *o) {
  const double *f = o->hangoff_force_n_n;
  return sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
}

// Mean force of the seabed on the whole line over the last step.
static double seabed_force_n(const struct sim *s) {
  double sum = 0;
  for (int i = 0; i < s->state.mesh.pipe.nodes; i++)
    sum += s->work.pipe.normal_force_n[i] + s->work.pipe.damper_force_n[i];
  return sum;
}

// Ten times a second: tension at the top, largest moment, mean force of the seabed since the last time; and
// the range of the touchdown.
enum quantity { TENSION, MOMENT, SEABED, QUANTITIES };
static const char *const QUANTITY_NAMES[QUANTITIES] = {"tension", "largest moment", "seabed's force"};
static const char *const QUANTITY_LABELS[QUANTITIES] = {
    "error of the tension, %", "error of the largest moment, %", "error of the seabed's force, %"};
struct recorded {
  double of[QUANTITIES][SAMPLES];
  double touchdown_range_m;
};

// The lowest node is held, and what its half of an element weighs is no matter of contact.
static void without_mean(double x[SAMPLES]) {
  double mean = 0;
  for (int i = 0; i < SAMPLES; i++)
    mean += x[i] / SAMPLES;
  for (int i = 0; i < SAMPLES; i++)
    x[i] -= mean;
}

static double range_of(const double x[SAMPLES]) {
  double low = x[0], high = x[0];
  for (int i = 1; i < SAMPLES; i++)
    low = fmin(low, x[i]), high = fmax(high, x[i]);
  return high - low;
}

static int record(struct sim_def def, int elements, double step_s, enum pipe_spacing spacing,
                  struct recorded *out, struct verify_result *r) {
  double touchdown[2] = {(double)INFINITY, 0}, pressed = 0;
  def.pipe.elements = elements;
  def.pipe.spacing = spacing;
  def.step_s = step_s;
  graded_mesh(&def.pipe, &def.env, &def.statics, def.vessel.hangoff_b_m[2]);
  struct sim *s = scene_create(&def, r);
  if (!s)
    return 0;
  const int each = (int)lround(0.1 / step_s);
  for (int k = 0, n = 0; n < SAMPLES; k++) {
    struct sim_output o;
    if (k % each == 0 && k >= FIRST_S * 10 * each) {
      sim_get_output(s, &o);
      out->of[TENSION][n] = top_force_n(&o), out->of[MOMENT][n] = o.max_moment_nm;
      out->of[SEABED][n++] = pressed / each;
      touchdown[0] = fmin(touchdown[0], o.touchdown_arc_length_m);
      touchdown[1] = fmax(touchdown[1], o.touchdown_arc_length_m);
    }
    sim_step(s, NULL);
    pressed = k % each == 0 ? seabed_force_n(s) : pressed + seabed_force_n(s);
  }
  without_mean(out->of[SEABED]);
  out->touchdown_range_m = touchdown[1] - touchdown[0];
  scene_free(s);
  return 1;
}

// Amplitude of the first harmonic over whole periods.
static double first_harmonic(const double tension_n[SAMPLES], double period_s) {
  const int n = (int)(floor((LAST_S - FIRST_S) / period_s) * period_s * 10 + 0.5);
  double c = 0, d = 0;
  for (int i = SAMPLES - n; i < SAMPLES; i++) {
    const double phase = 2 * acos(-1) * 0.1 * i / period_s;
    c += tension_n[i] * cos(phase);
    d += tension_n[i] * sin(phase);
  }
  return 2 * sqrt(c * c + d * d) / n;
}

static double difference_of(const double a[SAMPLES], const double b[SAMPLES]) {
  double sum = 0;
  for (int i = 0; i < SAMPLES; i++)
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(sum / SAMPLES);
}

static void draw(struct verify_result *r, struct verify_series *series, const struct recorded *x) {
  for (int i = 0; i < SAMPLES; i++)
    verify_point(r, series, FIRST_S + 0.1 * i, x->of[TENSION][i] / 1e3);
}

// Ranges of the 24-inch pipe with 100 elements.
static void judge_ranges(const struct recorded *x, const struct recorded *fine, const char *name,
                         const char *mesh, double limit, struct verify_result *r) {
  verify_add(r, VERIFY_RELATIVE, "N m", range_of(x->of[MOMENT]), range_of(fine->of[MOMENT]), limit,
             "%s: range of the largest moment, 100 %s", name, mesh);
  verify_add(r, VERIFY_RELATIVE, "m", x->touchdown_range_m, fine->touchdown_range_m, limit,
             "%s: way of the touchdown, 100 %s", name, mesh);
}

// Errors of a mesh, root of the mean square: of the tension over the amplitude of its first harmonic, of the
// others over half of their range; %.
static void errors_of(const struct recorded *x, const struct recorded *fine, double period_s,
                      double error[QUANTITIES]) {
  for (int q = 0; q < QUANTITIES; q++) {
    const double scale = q == TENSION ? first_harmonic(fine->of[q], period_s) : 0.5 * range_of(fine->of[q]);
    error[q] = 100 * difference_of(x->of[q], fine->of[q]) / scale;
  }
}

// The seabed acts on nodes: its force on the line changes as one node after the other touches, with order 1.
// The tension feels little of that.
static const double ORDERS[QUANTITIES] = {2, 1.5, 1}, SLACK[QUANTITIES] = {1, 0.8, 0.6};

// The order of each quantity by the meshes whose elements follow the touchdown.
static void judge_orders(const struct heaved_line *l, const double width[MESHES],
                         double error[MESHES][QUANTITIES], struct verify_plot *const plots[QUANTITIES],
                         struct verify_result *r) {
  for (int q = 0; q < QUANTITIES; q++) {
    double of[MESHES];
    char name[64];
    for (int n = 0; n < MESHES; n++)
      of[n] = error[n][q];
    if (q != TENSION)
      verify_add(r, VERIFY_ABSOLUTE, "%", of[MESHES - 1], 0, l->other_percent[q - MOMENT],
                 "%s: error of the %s, 100 elements, lengths by the touchdown", l->name, QUANTITY_NAMES[q]);
    snprintf(name, sizeof name, "%s, %s", l->name, QUANTITY_NAMES[q]);
    verify_order_in(r, plots[q], name, width, of, MESHES, ORDERS[q], SLACK[q]);
  }
}

// A line on all meshes against the fine one.
static int judge_line(const struct heaved_line *l, const struct sim_def *def, const struct recorded *fine,
                      struct verify_plot *plot, double width[MESHES], double error[MESHES][QUANTITIES],
                      struct verify_result *r) {
  static struct recorded mesh;
  const int is_pipe = l == &LINES[sizeof LINES / sizeof *LINES - 1];
  for (int n = 0; n < MESHES; n++)
    for (enum pipe_spacing spacing = SPACING_EQUAL; spacing <= SPACING_AUTO; spacing++) { // auto last
      const int is_auto = spacing == SPACING_AUTO;
      const char *const what = is_auto ? "elements, lengths by the touchdown" : "equal elements";
      if (n == 1 && !is_auto)
        continue;
      if (!record(*def, ELEMENTS[n], STEP_S, spacing, &mesh, r))
        return 0;
      width[n] = l->length_m / ELEMENTS[n];
      errors_of(&mesh, fine, l->period_s, error[n]);
      verify_add(r, VERIFY_ABSOLUTE, "%", error[n][TENSION], 0,
                 is_auto && n != 1 ? l->limit_percent[n > 0] : (double)INFINITY,
                 "%s: error of the tension, %d %s", l->name, ELEMENTS[n], what);
      if (n == 0)
        draw(r,
             verify_series(r, plot, VERIFY_POINTS, "50 elements, %s", is_auto ? "by the touchdown" : "equal"),
             &mesh);
      if (n == 2 && is_pipe)
        judge_ranges(&mesh, fine, l->name, what, is_auto ? 0.005 : (double)INFINITY, r);
    }
  draw(r, verify_series(r, plot, VERIFY_LINE, "%d elements", FINE), fine);
  return 1;
}

void verify_touchdown_mesh(const struct verify_setup *setup, struct verify_result *r) {
  static struct recorded fine;
  struct sim_def def;
  struct verify_plot *orders[QUANTITIES] = {NULL};
  verify_run_with(r, "50, 70 and 100 elements, steps of 50 ms; %d elements, steps of 20 ms; 20 to 60 s",
                  FINE);
  for (size_t k = 0; k < sizeof LINES / sizeof *LINES; k++) {
    const struct heaved_line *l = &LINES[k];
    double width[MESHES], error[MESHES][QUANTITIES];
    if (!load_line(setup, l, &def, r) || !record(def, FINE, FINE_STEP_S, SPACING_AUTO, &fine, r) ||
        !judge_line(l, &def, &fine, verify_plot(r, l->name, "time, s", "tension at the top, kN"), width,
                    error, r))
      return;
    for (int q = 0; q < QUANTITIES && k == 0; q++)
      orders[q] = verify_plot(r, "Convergence in the mesh by the touchdown", "mean length of an element, m",
                              QUANTITY_LABELS[q]);
    judge_orders(l, width, error, orders, r);
  }
}

// The wire with a heave so hard that it becomes slack and snaps: mean of the largest tensions of four
// periods. A coarse mesh has no room for the loops, some (EI/w)^(1/3) = 1.9 m, in which the slack wire lies
// down at the touchdown, and finds too much, with order 1. By this mesh at steps of 20 ms: 511, 474, 446,
// 439, 457 kN with 50, 100, 200, 400, 800 elements; it scatters by 2 % about the mean of the last two.
static const struct heaved_line SNAPPING = {"wire", WIRE_LINE("wire"), 3, 6, {0, 0}, {0, 0}};
static const double FINE_PEAK_N = 448e3;

static double mean_peak(struct sim_def def, int elements, double step_s, struct verify_result *r) {
  const int per_period = (int)lround(SNAPPING.period_s / step_s);
  double sum = 0, peak = 0;
  def.pipe.elements = elements;
  def.pipe.spacing = SPACING_AUTO;
  def.step_s = step_s;
  graded_mesh(&def.pipe, &def.env, &def.statics, def.vessel.hangoff_b_m[2]);
  struct sim *s = scene_create(&def, r);
  if (!s)
    return (double)NAN;
  for (int k = 1; k <= 8 * per_period; k++) {
    struct sim_output o;
    sim_step(s, NULL);
    sim_get_output(s, &o);
    peak = fmax(peak, top_force_n(&o));
    if (k % per_period == 0) {
      sum += k > 4 * per_period ? peak : 0;
      peak = 0;
    }
  }
  scene_free(s);
  return sum / 4;
}

void verify_snap_heave(const struct verify_setup *setup, struct verify_result *r) {
  static const int elements[] = {50, 100};
  static const double limits[] = {0.2, 0.12};
  struct sim_def def;
  double peak[2] = {0}, width[2], error[2];
  verify_run_with(r, "50 and 100 elements by the touchdown, wires, steps of 20 ms; 100 at 10 ms; 24 to 48 s");
  if (!load_line(setup, &SNAPPING, &def, r))
    return;
  for (int i = 0; i < 2; i++) {
    peak[i] = mean_peak(def, elements[i], 0.02, r);
    width[i] = SNAPPING.length_m / elements[i];
    error[i] = peak[i] / FINE_PEAK_N - 1;
    verify_add(r, VERIFY_RELATIVE, "N", peak[i], FINE_PEAK_N, limits[i],
               "%d elements: mean of the largest tensions of four periods", elements[i]);
  }
  verify_order(r, "Convergence of the peak", "mean length of an element, m", "the peak", width, error, 2, 1,
               0.5);
  verify_add(r, VERIFY_RELATIVE, "N", mean_peak(def, 100, 0.01, r), peak[1], 0.05,
             "100 elements, steps of 10 ms against 20 ms");
}
