#include "verification/harness/planar_lay.h"

#include <math.h>
#include <string.h>

enum { BAND = 5, ROWS = 2 * PLANAR_LAY_NODES, ITERATIONS = 60, COLOURS = 5 };
static const double NUDGE_M = 1e-6, SOLVED_M = 1e-8;

// A step: what is known, and its length; h = 0: at rest.
struct task {
  const struct planar_lay *x;
  const struct planar_lay_top *top;
  double h;
};

static double spacing(const struct task *t) {
  return t->top->length_m / t->x->def.elements;
}

// Rate at the end of the step from a value there and the two before; the first step has one.
static double backward(const struct task *t, double end, double now, double before) {
  return t->x->steps ? (3 * end - 4 * now + before) / (2 * t->h) : (end - now) / t->h;
}

// The nodes move up through the material, the more the higher.
static double through(const struct task *t, int i) {
  return t->top->speed_mps * i / t->x->def.elements;
}

static void material_velocities(const struct task *t, planar_nodes r, planar_nodes v) {
  const struct planar_lay *x = t->x;
  const int n = x->def.elements;
  const double ds = spacing(t);
  for (int c = 0; c < 2; c++) {
    v[0][c] = 0;
    for (int i = 1; i < n; i++)
      v[i][c] = backward(t, r[i][c], x->place[0][i][c], x->place[1][i][c]) -
                through(t, i) * (r[i + 1][c] - r[i - 1][c]) / (2 * ds);
    v[n][c] = t->top->velocity_mps[c] -
              t->top->speed_mps * (3 * r[n][c] - 4 * r[n - 1][c] + r[n - 2][c]) / (2 * ds);
  }
}

// Tension of an element, and its direction.
static double element_tension(const struct planar_lay_def *def, double ds, const double from[2],
                              const double to[2], double axis[2]) {
  const double dx = to[0] - from[0], dz = to[1] - from[1], length = hypot(dx, dz);
  axis[0] = dx / length, axis[1] = dz / length;
  return def->axial_n * (length / ds - 1);
}

static double contact(const struct planar_lay_def *def, double z) {
  const double k = z - def->ground_m;
  if (k <= 0)
    return 0;
  return def->slope_npm2 * (k <= def->break_m ? k * k / (2 * def->break_m) : k - 0.5 * def->break_m);
}

static void second_derivatives(const struct task *t, planar_nodes r, planar_nodes k) {
  const int n = t->x->def.elements;
  const double ds = spacing(t);
  for (int c = 0; c < 2; c++) {
    k[0][c] = 2 * (r[1][c] - r[0][c] - (c ? 0 : ds)) / (ds * ds);
    for (int i = 1; i < n; i++)
      k[i][c] = (r[i + 1][c] - 2 * r[i][c] + r[i - 1][c]) / (ds * ds);
    k[n][c] = 0;
  }
}

// Takes drag and inertia of node i from the balance of a metre.
static void take_motion(const struct task *t, planar_nodes r, planar_nodes v, int i, double q[2]) {
  const struct planar_lay *x = t->x;
  const double dx = r[i + 1][0] - r[i - 1][0], dz = r[i + 1][1] - r[i - 1][1], length = hypot(dx, dz),
               axis[2] = {dx / length, dz / length}, along = v[i][0] * axis[0] + v[i][1] * axis[1],
               across[2] = {v[i][0] - along * axis[0], v[i][1] - along * axis[1]},
               speed = hypot(across[0], across[1]);
  for (int c = 0; c < 2; c++) {
    const double acceleration = backward(t, v[i][c], x->velocity[0][i][c], x->velocity[1][i][c]) -
                                through(t, i) * (v[i + 1][c] - v[i - 1][c]) / (2 * spacing(t));
    q[c] -= x->def.drag_along * fabs(along) * along * axis[c] + x->def.drag_across * speed * across[c] +
            x->def.mass_kgpm * acceleration;
  }
}

// The balance of forces of a metre at each node but the ends.
static void balance(const struct task *t, planar_nodes r, planar_nodes q) {
  static planar_nodes v, k;
  const struct planar_lay_def *def = &t->x->def;
  const double ds = spacing(t);
  double lower[2], upper[2], below = element_tension(def, ds, r[0], r[1], lower);
  if (t->h > 0)
    material_velocities(t, r, v);
  second_derivatives(t, r, k);
  for (int i = 1; i < def->elements; i++) {
    const double above = element_tension(def, ds, r[i], r[i + 1], upper);
    for (int c = 0; c < 2; c++)
      q[i][c] = (above * upper[c] - below * lower[c]) / ds -
                def->bending_nm2 * (k[i + 1][c] - 2 * k[i][c] + k[i - 1][c]) / (ds * ds);
    q[i][1] += def->weight_npm - contact(def, r[i][1]);
    if (t->h > 0)
      take_motion(t, r, v, i, q[i]);
    below = above;
    memcpy(lower, upper, sizeof lower);
  }
}

// Its derivative by differences: nodes five apart do not meet.
static void derivative(const struct task *t, planar_nodes r, planar_nodes q, double a[ROWS][2 * BAND + 1]) {
  static planar_nodes changed;
  const int n = t->x->def.elements;
  memset(a, 0, ROWS * sizeof *a);
  for (int colour = 0; colour < 2 * COLOURS; colour++) {
    const int first = 1 + colour / 2, c = colour % 2;
    for (int i = first; i < n; i += COLOURS)
      r[i][c] += NUDGE_M;
    balance(t, r, changed);
    for (int i = first; i < n; i += COLOURS) {
      r[i][c] -= NUDGE_M;
      for (int k = i < 3 ? 1 : i - 2; k <= i + 2 && k < n; k++)
        for (int d = 0; d < 2; d++)
          a[2 * (k - 1) + d][2 * (i - k) + c - d + BAND] = (changed[k][d] - q[k][d]) / NUDGE_M;
    }
  }
}

static void solve(double a[ROWS][2 * BAND + 1], double *y, int rows) {
  for (int k = 0; k < rows; k++)
    for (int i = k + 1; i < rows && i <= k + BAND; i++) {
      const double factor = a[i][k - i + BAND] / a[k][BAND];
      for (int j = k; j < rows && j <= k + BAND; j++)
        a[i][j - i + BAND] -= factor * a[k][j - k + BAND];
      y[i] -= factor * y[k];
    }
  for (int k = rows - 1; k >= 0; k--) {
    for (int j = k + 1; j < rows && j <= k + BAND; j++)
      y[k] -= a[k][j - k + BAND] * y[j];
    y[k] /= a[k][BAND];
  }
}

// Newton's method with increments of most_m at most.
static int find(const struct task *t, planar_nodes r, double most_m) {
  static planar_nodes q;
  static double a[ROWS][2 * BAND + 1], y[ROWS];
  const int rows = 2 * (t->x->def.elements - 1);
  for (int iteration = 0; iteration < ITERATIONS; iteration++) {
    double largest = 0;
    balance(t, r, q);
    derivative(t, r, q, a);
    for (int k = 0; k < rows; k++)
      y[k] = q[1 + k / 2][k % 2];
    solve(a, y, rows);
    for (int k = 0; k < rows; k++)
      largest = fmax(largest, fabs(y[k]));
    if (!isfinite(largest))
      return 0;
    for (int k = 0; k < rows; k++)
      r[1 + k / 2][k % 2] -= y[k] * (largest > most_m ? most_m / largest : 1);
    if (largest < SOLVED_M)
      return 1;
  }
  return 0;
}

int planar_lay_rest(struct planar_lay *x, const struct planar_lay_top *top) {
  const struct task t = {x, top, 0};
  x->top = *top;
  x->steps = 0;
  memset(x->velocity, 0, sizeof x->velocity);
  return find(&t, x->place[0], 1);
}

int planar_lay_step(struct planar_lay *x, const struct planar_lay_top *top, double h) {
  static planar_nodes r, v;
  const struct task t = {x, top, h};
  const int n = x->def.elements;
  for (int i = 0; i <= n; i++)
    for (int c = 0; c < 2; c++) {
      const double way = x->steps ? x->place[0][i][c] - x->place[1][i][c] : 0;
      r[i][c] = i == n ? top->place_m[c] : i == 0 ? x->place[0][0][c] : x->place[0][i][c] + way;
    }
  if (!find(&t, r, 5))
    return 0;
  material_velocities(&t, r, v);
  memcpy(x->place[1], x->place[0], sizeof r), memcpy(x->place[0], r, sizeof r);
  memcpy(x->velocity[1], x->velocity[0], sizeof v), memcpy(x->velocity[0], v, sizeof v);
  x->top = *top;
  x->steps++;
  return 1;
}

double planar_lay_tension(const struct planar_lay *x) {
  const int n = x->def.elements;
  const double ds = x->top.length_m / n, *top = x->place[0][n], *below = x->place[0][n - 1];
  double axis[2];
  return 1.5 * element_tension(&x->def, ds, below, top, axis) -
         0.5 * element_tension(&x->def, ds, x->place[0][n - 2], below, axis);
}

void planar_lay_place(const struct planar_lay *x, double arc_m, double place_m[2]) {
  const double at = arc_m * x->def.elements / x->top.length_m;
  const int i = (int)at;
  for (int c = 0; c < 2; c++)
    place_m[c] = x->place[0][i][c] + (at - i) * (x->place[0][i + 1][c] - x->place[0][i][c]);
}
