// Pipe at and above the water: a rod that floats and jumps, a pipe that hangs in water and air, pay-out from
// above the water.
#include "verification/harness/harness.h"

#include "sagbend/math/math.h"

#include <math.h>

// ---- A floating rod ----

static const double LIGHTNESS = 0.35; // its mass over that of the water in its volume

// Share of a circle below a level u radii above its centre.
static double wet_area(double u) {
  return u >= 1 ? 1 : u <= -1 ? 0 : (acos(-u) + u * sqrt(1 - u * u)) / TRIG_PI;
}

// Depth of the centre at which the rod floats, in radii.
static double floating_depth(void) {
  double low = -1, high = 1;
  for (int k = 0; k < 100; k++) {
    double middle = 0.5 * (low + high);
    *(wet_area(middle) < LIGHTNESS ? &low : &high) = middle;
  }
  return 0.5 * (low + high);
}

// Potential of weight and buoyancy per length, over (weight of the displaced water) times radius, with the
// centre u radii deep; the buoyancy is the integral of wet_area from -1 to u, by parts.
static double floating_energy(double u) {
  double lift = u >= 1 ? u : 0;
  if (u > -1 && u < 1) {
    double c = sqrt(1 - u * u);
    lift = (u * acos(-u) + c - c * c * c / 3) / TRIG_PI;
  }
  return lift - LIGHTNESS * u;
}

static struct sim *rod(const struct verify_setup *setup, double step_s, double depth_m,
                       struct verify_result *r) {
  const char *const sets[] = {"pipe.buoyancy=depth",     "pipe.elements=10",  "pipe.length_m=100",
                              "environment.depth_m=100", "pipe.drag_axial=0", "pipe.drag_transverse=0"};
  struct sim_def def;
  if (!scene_load(setup, "jlay-circle", 6, sets, &def, r))
    return NULL;
  struct pipe_type *line = &def.pipe.line;
  line->mass_kgpm = LIGHTNESS * def.env.water_density_kgpm3 * 0.25 * TRIG_PI * line->outer_diameter_m *
                    line->outer_diameter_m;
  line->added_mass_transverse = line->added_mass_axial = 0;
  def.pipe.content_density_kgpm3 = 0;
  def.env.seabed = SEABED_NONE;
  def.pipe.lower = LOWER_FREE, def.pipe.hangoff = HANGOFF_FREE;
  def.step_s = step_s;
  struct sim *s = scene_create(&def, r);
  if (!s)
    return NULL;
  for (int i = 0; i < s->state.mesh.pipe.nodes; i++) {
    pipe_set3(s->state.pipe.r_n, i, (vec3){10.0 * i, 0, depth_m});
    pipe_set_quat(&s->state.pipe, i, (quat){1, 0, 0, 0});
  }
  scene_restart(s);
  return s;
}

// At rest, and on small waves of its own: w^2 = rho g (width of the water plane)/(mass per length).
static void floats(const struct verify_setup *setup, struct verify_result *r) {
  enum { CROSSINGS = 20 };
  const double u = floating_depth(), small = 1e-3;
  struct sim *s = rod(setup, 0.002, 0, r);
  if (!s)
    return;
  const struct pipe_mesh *p = &s->state.mesh.pipe;
  const double radius = p->outer_radius_m[0], level = u * radius;
  double farthest = 0;
  for (int i = 0; i < p->nodes; i++)
    s->state.pipe.r_n[2][i] = level;
  scene_restart(s);
  for (int k = 0; k < 5000; k++) {
    sim_step(s, NULL);
    farthest = fmax(farthest, fabs(s->state.pipe.r_n[2][5] - level));
  }
  verify_add(r, VERIFY_ABSOLUTE, "m", farthest, 0, 1e-9,
             "a floating rod, %.4f m of freeboard: way in 10 s at rest", radius - level);

  for (int i = 0; i < p->nodes; i++)
    s->state.pipe.r_n[2][i] = level + small;
  scene_restart(s);
  double before = small, begin = 0, end = 0;
  for (int crossings = 0; crossings <= CROSSINGS && s->run.step < 100000;) {
    double from = sim_time_s(s);
    sim_step(s, NULL);
    double now = s->state.pipe.r_n[2][5] - level;
    if (now * before < 0) {
      end = from + s->def->step_s * before / (before - now);
      begin = crossings == 0 ? end : begin;
      crossings++;
    }
    before = now;
  }
  double mass = LIGHTNESS * TRIG_PI * radius, stiffness = 2 * sqrt(1 - u * u); // over rho R, over rho g
  verify_add(r, VERIFY_RELATIVE, "s", (end - begin) / CROSSINGS * 2,
             2 * TRIG_PI * sqrt(mass / (stiffness * s->def->env.gravity_mps2)), 3e-5,
             "period of its small motion up and down");
  scene_free(s);
}

// Dropped from 2 radii above the water.
static struct sim *dropped(const struct verify_setup *setup, double step_s, double end_s, double *drift,
                           struct verify_result *r) {
  struct sim *s = rod(setup, step_s, 0, r);
  if (!s)
    return NULL;
  const struct pipe_mesh *p = &s->state.mesh.pipe;
  const double radius = p->outer_radius_m[0], gravity = s->def->env.gravity_mps2;
  for (int i = 0; i < p->nodes; i++)
    s->state.pipe.r_n[2][i] = -2 * radius;
  scene_restart(s);
  *drift = 0;
  const double whole = floating_energy(-2), least = floating_energy(floating_depth());
  while (scene_is_before(s, end_s - 0.5 * step_s)) {
    sim_step(s, NULL);
    double v = s->state.pipe.v_n[2][5], u = s->state.pipe.r_n[2][5] / radius;
    double energy = floating_energy(u) + 0.5 * LIGHTNESS * v * v / (gravity * radius);
    *drift = fmax(*drift, fabs(energy - whole) / (whole - least));
  }
  return s;
}

static void jumps(const struct verify_setup *setup, struct verify_result *r) {
  enum { STEPS = 4 };
  const double end_s = 6;
  double z[STEPS], fine, drift = 0;
  for (int k = 0; k <= STEPS; k++) {
    struct sim *s = dropped(setup, k < STEPS ? 0.08 / (1 << k) : 0.0005, end_s, &drift, r);
    if (!s)
      return;
    *(k < STEPS ? &z[k] : &fine) = s->state.pipe.r_n[2][5];
    if (k == 0)
      verify_add(r, VERIFY_ABSOLUTE, "", drift, 0, 1e-11,
                 "dropped from above the water, steps of 80 ms: energy against the closed form");
    scene_free(s);
  }
  for (int k = 0; k < STEPS; k++)
    verify_show(r, "m", z[k], fine, "depth after %g s, steps of %g ms", end_s, 80.0 / (1 << k));
  verify_add(r, VERIFY_ABSOLUTE, "", log2(fabs((z[1] - fine) / (z[STEPS - 1] - fine))) / (STEPS - 2), 2, 0.3,
             "order in time");
}

// ---- A pipe that hangs in water and air ----

static const double TOP_M = 60; // above the water

// An elastic catenary whose weight per length changes at the water: as in sections.c.
struct hanging {
  double h, ea, weight[2], depth, length;
};
struct hung {
  double height, reach, top_n;
};

static double rise(const struct hanging *c, double weight, double v, double length) {
  double up = v + weight * length;
  return (hypot(c->h, up) - hypot(c->h, v)) / weight + (up * up - v * v) / (2 * weight * c->ea);
}

static double advance(const struct hanging *c, double weight, double v, double length) {
  double up = v + weight * length;
  return c->h / weight * (asinh(up / c->h) - asinh(v / c->h)) + c->h * length / c->ea;
}

// v: vertical force at the lower end.
static struct hung hung_of(const struct hanging *c, double v) {
  double low = 0, high = c->length;
  for (int k = 0; k < 100; k++) {
    double middle = 0.5 * (low + high);
    *(rise(c, c->weight[0], v, middle) < c->depth ? &low : &high) = middle;
  }
  double wet = low, out = c->length - wet, up = v + c->weight[0] * wet;
  return (struct hung){rise(c, c->weight[0], v, wet) + rise(c, c->weight[1], up, out),
                       advance(c, c->weight[0], v, wet) + advance(c, c->weight[1], up, out),
                       hypot(c->h, up + c->weight[1] * out)};
}

static void hangs(const struct verify_setup *setup, struct verify_result *r) {
  const char *const sets[] = {"vessel.hangoff_b_m=[0, 0, -60]", "pipe.buoyancy=depth"};
  struct sim_def def;
  if (!scene_load(setup, "jlay-circle", 2, sets, &def, r))
    return;
  struct pipe_def *p = &def.pipe;
  def.env.seabed = SEABED_NONE;
  p->hangoff = HANGOFF_PINNED, p->lower = LOWER_ANCHORED;
  p->length_m = 1150, p->elements = 800, p->mesh_segment_count = 0;
  p->line.axial_stiffness_n = 1e9;
  p->line.bending_stiffness_nm2[0] = p->line.bending_stiffness_nm2[1] = 1e4;
  def.statics.horizontal_force_n = 400e3;
  struct sim *s = scene_create(&def, r);
  if (!s)
    return;
  const double *z = s->state.pipe.r_n[2], *x = s->state.pipe.r_n[0];
  const int n = s->state.mesh.pipe.elements;
  double wet = pipe_type_weight(p, &p->line, &def.env);
  struct hanging c = {400e3,
                      p->line.axial_stiffness_n,
                      {wet, pipe_type_mass(p, &p->line) * def.env.gravity_mps2},
                      z[0],
                      p->length_m};
  double low = 0, high = 1e7;
  for (int k = 0; k < 200; k++) {
    double middle = 0.5 * (low + high);
    *(hung_of(&c, middle).height < z[0] - z[n] ? &low : &high) = middle;
  }
  struct hung hung = hung_of(&c, low);
  verify_add(r, VERIFY_RELATIVE, "N", sim_node_forces(s, 0).effective_tension_n, hypot(c.h, low), 2e-5,
             "hang-off %g m above the water, effective tension, lower end", TOP_M);
  verify_add(r, VERIFY_RELATIVE, "N", sim_node_forces(s, n).effective_tension_n, hung.top_n, 2e-5,
             "the same, top");
  verify_add(r, VERIFY_ABSOLUTE, "m", x[n] - x[0], hung.reach, 1e-2, "the same, reach");
  struct sim_output o;
  sim_get_output(s, &o);
  verify_show(r, "N", o.hangoff_tension_n, hung.top_n - c.weight[1] * TOP_M + wet * TOP_M,
              "the same; reference: about that with buoyancy in air");
  scene_free(s);
}

// ---- Pay-out from above the water ----

static void pays_out(const struct verify_setup *setup, struct verify_result *r) {
  const char *const sets[] = {"vessel.hangoff_b_m=[0, 0, -12]", "pipe.buoyancy=depth"};
  struct sim_def def;
  if (!scene_load(setup, "jlay-900m-payout", 2, sets, &def, r))
    return;
  def.step_s = 0.05;
  def.pipe.line.added_mass_transverse = 1;
  def.pipe.payout =
      (struct payout_def){.row_count = 2,
                          .row = {{.start_s = 5, .length_m = 60, .speed_mps = 0.5, .ramp_s = 10},
                                  {.start_s = 150, .length_m = -40, .speed_mps = 0.5, .ramp_s = 10}},
                          .elements_max = 150};
  def.vessel.velocity_b[2] = 1;
  struct sim *s = scene_create(&def, r);
  if (!s)
    return;
  while (scene_is_before(s, 260))
    sim_step(s, NULL);
  const struct ledger *l = &s->run.ledger;
  verify_add(r, VERIFY_ABSOLUTE, "", ledger_closure_rel(l), 0, 1e-12,
             "60 m out and 40 m back from 12 m above the water, heaving vessel: ledger closure");
  verify_add(r, VERIFY_ABSOLUTE, "", l->total_work_j[PORT_REMESH] / l->total_work_j[PORT_TENSIONER], 0, 1e-5,
             "work of the port remesh over that of tensioner");
  verify_add(r, VERIFY_ABSOLUTE, "", (double)(s->state.payout.splits + s->state.payout.merges), 6, 0,
             "splits and merges");
  scene_free(s);
}

void verify_surface(const struct verify_setup *setup, struct verify_result *r) {
  verify_run_with(
      r, "rod of 100 m and 0.35 of the density of water; 1,150 m in 800 elements, EI = 1e4 N m2, H = "
         "400 kN; J-lay with elements of 15 m");
  floats(setup, r);
  if (!*r->failure)
    jumps(setup, r);
  if (!*r->failure)
    hangs(setup, r);
  if (!*r->failure)
    pays_out(setup, r);
}
