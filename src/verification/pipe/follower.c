// A load that follows: a cantilever whose tip is a vessel without a mass worth mentioning, pushed in its own
// frame.
//
// Across the tip, at rest: in the tip's frame the force is F e2 whatever the shape. From the tip inwards,
// with phi the angle to the tip's tangent, (x, y)' = -(cos phi, sin phi), phi' = F x/EI: an initial value
// problem, integrated here by Runge and Kutta's rule of order 4 and turned so that the foot lies along the
// beam.
//
// Along the tip's tangent, pushing (M. Beck, 1952): with p = P L^2/EI, w = omega L^2 sqrt(m/EI),
// a^2, b^2 = sqrt(p^2/4 + w^2) +- p/2, small motion has
//   D(w) = p^2 + 2 w^2 (1 + cos a cosh b) + p w sin a sinh b = 0.
// Up to p = 20.0509 all roots are real; beyond, two of them are a complex pair: flutter, although no
// equilibrium but the straight one exists. The load's work is not a change of a potential: the port `loads`
// feeds it.
#include "verification/harness/harness.h"

#include "sagbend/base/base.h"
#include "sagbend/math/math.h"

#include <complex.h>
#include <math.h>

#define J ((double complex)I)
enum { SAMPLED = 4 };
static const double LENGTH = 10, EI = 1e6, MASS = 100, CRITICAL = 20.05095; // sqrt(EI/m)/L^2 = 1/s

static struct sim *column(int elements, double along_n, double across_n, double ramp_s, double damping_s,
                          double step_s, struct verify_result *r) {
  const struct scene_section section = {.ea = 4e9, .ga = 2e9, .gj = EI, .ei = EI, MASS, 0.02, 0.01};
  struct sim_def def = scene_beam(elements, LENGTH, &section);
  def.step_s = step_s;
  def.pipe.structural_damping_s = damping_s;
  for (int i = 0; i < 6; i++)
    def.vessel.inertia[i][i] = 1e-3;
  def.env.load_count = 1;
  def.env.loads[0] = (struct load_def){LOAD_BODY, {along_n, across_n}, {.ramp_s = ramp_s}};
  struct sim *s = scene_create(&def, r);
  if (!s)
    return NULL;
  s->state.mesh.pipe.top_attached = 1; // it was free, so that the start is straight
  s->model->hangoff_b_m = (vec3){0, 0, 0};
  s->state.mesh.hangoff_q_bt = (quat){1, 0, 0, 0};
  s->state.vessel = (struct vessel_state){.x_n = pipe_get3(s->state.pipe.r_n, elements),
                                          .q_nb = pipe_quat(&s->state.pipe, elements)};
  model_set_top_clamped(&s->state, &s->work, 1);
  model_attach_top(s->model, &s->state);
  model_place_top(s->model, &s->state);
  scene_restart(s);
  return s;
}

struct at {
  double x, y, phi;
};

static struct at inward(struct at a, double f) {
  return (struct at){-cos(a.phi), -sin(a.phi), f * a.x};
}
static struct at moved(struct at a, double h, struct at d) {
  return (struct at){a.x + h * d.x, a.y + h * d.y, a.phi + h * d.phi};
}

// The tip in the foot's frame and its angle, for f = F L^2/EI and L = 1.
static struct at follower_elastica(double f) {
  enum { CELLS = 2000 };
  const double h = 1.0 / CELLS;
  struct at a = {0, 0, 0};
  for (int i = 0; i < CELLS; i++) {
    struct at k1 = inward(a, f), k2 = inward(moved(a, h / 2, k1), f), k3 = inward(moved(a, h / 2, k2), f),
              k4 = inward(moved(a, h, k3), f);
    a = moved(moved(moved(moved(a, h / 6, k1), h / 3, k2), h / 3, k3), h / 6, k4);
  }
  double c = cos(a.phi), s = sin(a.phi);
  return (struct at){-(c * a.x + s * a.y), -(-s * a.x + c * a.y), -a.phi};
}

static struct at settled(double f, int elements, struct verify_series *line, struct verify_result *r) {
  const double step_s = 0.04;
  struct sim *s = column(elements, 0, f * EI / (LENGTH * LENGTH), 10, 0.3, step_s, r);
  if (!s)
    return (struct at){(double)NAN, (double)NAN, (double)NAN};
  for (int k = 0; k < (int)steps_nearest_to(40, step_s); k++)
    sim_step(s, NULL);
  vec3 at = pipe_get3(s->state.pipe.r_n, elements), axis = pipe_axis(&s->state.pipe, elements);
  for (int i = 0; i <= elements; i++)
    verify_point(r, line, s->state.pipe.r_n[0][i] / LENGTH, s->state.pipe.r_n[1][i] / LENGTH);
  scene_free(s);
  return (struct at){at.x / LENGTH, at.y / LENGTH, atan2(axis.y, axis.x)};
}

static double complex determinant(double p, double complex w) {
  double complex root = csqrt(p * p / 4 + w * w), a = csqrt(root + p / 2), b = csqrt(root - p / 2);
  return p * p + 2 * w * w * (1 + ccos(a) * ccosh(b)) + p * w * csin(a) * csinh(b);
}

static double complex flutter_root(double p) { // near the one where two roots meet, 11.016
  double complex w = 11.016 - 0.8 * J * sqrt(p - CRITICAL);
  for (int k = 0; k < 60; k++) {
    double complex d = determinant(p, w),
                   slope = (determinant(p, w + 1e-6) - determinant(p, w - 1e-6)) / 2e-6;
    w -= d / slope;
  }
  return w;
}

enum { ROWS = 1000 };
struct history {
  int rows;
  double every_s, y[ROWS][SAMPLED]; // across, at the tip and three places below it
};

static double size_of(const struct history *x, int row) {
  double square = 0;
  for (int j = 0; j < SAMPLED; j++)
    square += x->y[row][j] * x->y[row][j];
  return sqrt(square);
}

// The column pushed by p, from a touch of speed_mps, until it moves by 0.1 m or to end_s.
static int pushed(double p, int elements, double step_s, double speed_mps, double end_s, struct history *x,
                  struct verify_series *line, struct verify_result *r) {
  const int every = (int)steps_nearest_to(x->every_s, step_s);
  struct sim *s = column(elements, -p * EI / (LENGTH * LENGTH), 0, 1, 0, step_s, r);
  if (!s)
    return 0;
  for (int i = 1; i < elements; i++)
    s->state.pipe.v_n[1][i] = speed_mps * pow((double)i / elements, 2);
  scene_restart(s);
  x->rows = 0;
  for (int k = 0; k * step_s <= end_s && x->rows < ROWS; k++) {
    if (k % every == 0) {
      for (int j = 0; j < SAMPLED; j++)
        x->y[x->rows][j] = s->state.pipe.r_n[1][elements - j * elements / SAMPLED];
      if (k * step_s > 0.5)
        verify_point(r, line, k * step_s, size_of(x, x->rows));
      if (size_of(x, x->rows++) > 0.1)
        break;
    }
    sim_step(s, NULL);
  }
  verify_add(r, VERIFY_ABSOLUTE, "", ledger_closure_rel(&s->run.ledger), 0, 1e-9,
             "p = %g, %d elements: ledger closure", p, elements);
  scene_free(s);
  return 1;
}

// omega - i sigma of y(t + d) = a y(t) - b y(t - d), b = e^(2 sigma d), a = 2 e^(sigma d) cos(omega d): by
// least squares over nodes and time, each time weighing the same, from the time when the growing mode has
// left the others behind.
static double complex growing(const struct history *x) {
  double aa = 0, ab = 0, bb = 0, ay = 0, by = 0, d = x->every_s;
  for (int k = 1; k < x->rows - 1; k++) {
    double size = size_of(x, k);
    for (int j = 0; j < SAMPLED && size > 1e-6 && k * d > 2; j++) {
      double u = x->y[k][j] / size, v = -x->y[k - 1][j] / size, z = x->y[k + 1][j] / size;
      aa += u * u, ab += u * v, bb += v * v, ay += u * z, by += v * z;
    }
  }
  double det = aa * bb - ab * ab, a = (ay * bb - by * ab) / det, b = (by * aa - ay * ab) / det;
  return acos(a / (2 * sqrt(b))) / d - J * log(b) / (2 * d);
}

static void flutters(double p, struct verify_plot *plot, struct verify_result *r) {
  static struct history x = {.every_s = 0.04};
  double complex want = flutter_root(p), got[2];
  struct verify_series *line = verify_series(r, plot, VERIFY_LINE, "p = %g", p),
                       *closed =
                           verify_series(r, plot, VERIFY_DASHED, "p = %g, growth rate of the closed form", p);
  for (int k = 0; k < 2; k++) {
    if (!pushed(p, 24 << k, 0.004, 1e-9, 30, &x, k ? line : NULL, r))
      return;
    got[k] = growing(&x);
  }
  double end_s = x.rows * x.every_s, size = size_of(&x, x.rows - 1);
  for (int k = 0; k <= 10; k++)
    verify_point(r, closed, end_s - 0.3 * k, size * exp(0.3 * k * cimag(want)));
  double complex limit = (4 * got[1] - got[0]) / 3;
  verify_add(r, VERIFY_RELATIVE, "", creal(limit), creal(want), 1e-3,
             "p = %g: angular frequency of the flutter", p);
  verify_add(r, VERIFY_RELATIVE, "", -cimag(limit), -cimag(want), 2e-3, "p = %g: growth rate of the flutter",
             p);
}

// Below the critical load the motion stays what it is: how much more there is from 10 to 20 s than from 2
// to 12.
static void stays(double p, struct verify_plot *plot, struct verify_result *r) {
  static struct history x = {.every_s = 0.04};
  double first = 0, second = 0;
  if (!pushed(p, 48, 0.004, 1e-4, 20, &x, verify_series(r, plot, VERIFY_LINE, "p = %g", p), r))
    return;
  for (int k = 0; k < x.rows; k++) {
    double t = k * x.every_s, size = size_of(&x, k);
    if (t > 2 && t < 12)
      first = fmax(first, size);
    if (t > 10)
      second = fmax(second, size);
  }
  verify_add(r, VERIFY_ABSOLUTE, "1/s", log(second / first) / 8, 0, 5e-3, "p = %g: growth rate", p);
}

static void across(struct verify_plot *plot, struct verify_result *r) {
  static const double f[] = {2, 10};
  for (int k = 0; k < 2; k++) {
    struct at want = follower_elastica(f[k]), a = settled(f[k], 24, NULL, r),
              b = settled(f[k], 48, verify_series(r, plot, VERIFY_LINE, "F L^2/EI = %g", f[k]), r);
    verify_point(r, verify_series(r, plot, VERIFY_POINTS, "tip by the elastica, %g", f[k]), want.x, want.y);
    verify_add(r, VERIFY_ABSOLUTE, "", (4 * b.x - a.x) / 3, want.x, 2e-4,
               "F L^2/EI = %g: tip position along the beam, over L", f[k]);
    verify_add(r, VERIFY_ABSOLUTE, "", (4 * b.y - a.y) / 3, want.y, 2e-5,
               "F L^2/EI = %g: transverse tip position over L", f[k]);
    verify_add(r, VERIFY_ABSOLUTE, "rad", (4 * b.phi - a.phi) / 3, want.phi, 2e-5,
               "F L^2/EI = %g: angle at the tip", f[k]);
  }
}

void verify_follower(const struct verify_setup *setup, struct verify_result *r) {
  (void)setup;
  verify_run_with(r, "24 and 48 elements, extrapolated in the mesh; at rest after 40 s of steps of 40 ms; "
                     "flutter with steps of 4 ms");
  across(verify_plot(r, "Transverse follower force", "along, over L", "across, over L"), r);
  struct verify_plot *plot =
      verify_plot(r, "Axial follower force: motion of the tip", "time, s", "displacement, m");
  if (plot)
    plot->log_axes = 1;
  stays(19, plot, r);
  flutters(21, plot, r);
  flutters(24, plot, r);
}
