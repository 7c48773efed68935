// Water floods a pipe: where it hangs afterwards, how it sinks meanwhile, and what tension its wall then has.
#include "verification/harness/harness.h"
#include "verification/pipe/pipe.h"

#include "sagbend/math/math.h"
#include "sagbend/pipe/pipe.h"

#include <math.h>

static const double BORE_M = 0.7, CONTENT_KGPM3 = 120;

static double circle(double diameter_m) {
  return 0.25 * TRIG_PI * diameter_m * diameter_m;
}

// Mass of a metre of the dry pipe with its content, and what the water adds to it where the pipe is full.
static double dry_kgpm(const struct sim_def *def) {
  return def->pipe.line.mass_kgpm + CONTENT_KGPM3 * circle(BORE_M);
}
static double flood_kgpm(const struct sim_def *def) {
  return (def->env.water_density_kgpm3 - CONTENT_KGPM3) * circle(BORE_M);
}
static double displaced_kgpm(const struct sim_def *def) {
  return def->env.water_density_kgpm3 * circle(def->pipe.line.outer_diameter_m);
}

static int flooded_def(const struct verify_setup *setup, int elements, double length_m, struct sim_def *def,
                       struct verify_result *r) {
  if (!scene_load(setup, "jlay-circle", 0, NULL, def, r))
    return 0;
  struct pipe_def *p = &def->pipe;
  def->env.seabed = SEABED_NONE;
  p->length_m = length_m;
  p->elements = elements;
  p->line.inner_diameter_m = BORE_M;
  p->content_density_kgpm3 = CONTENT_KGPM3;
  return 1;
}

// ---- Hanging ----

// Tension in the wall: outside the water, inside the content's column of its pressure, or the water.
static double wall_tension(const struct sim_def *def, double effective_n, double depth_m, int is_full) {
  const double g = def->env.gravity_mps2, outside = def->env.water_density_kgpm3 * g * depth_m;
  const double inside = is_full ? outside : def->pipe.content_pressure_pa + CONTENT_KGPM3 * g * depth_m;
  return effective_n - outside * circle(def->pipe.line.outer_diameter_m) + inside * circle(BORE_M);
}

// A pipe without bending stiffness between two points fills from 410 m up in 20 s and comes to rest. The
// elements whose middle lies above the place fill, but not the uppermost two.
static void hanging(const struct verify_setup *setup, struct verify_result *r) {
  enum { ELEMENTS = 115, FIRST = 41, STEPS = 6000 };
  const double length = 1150, each = length / ELEMENTS;
  struct sim_def def;
  if (!flooded_def(setup, ELEMENTS, length, &def, r))
    return;
  def.pipe.lower = LOWER_ANCHORED;
  def.pipe.line.bending_stiffness_nm2[0] = def.pipe.line.bending_stiffness_nm2[1] = 1e4;
  def.pipe.line.axial_stiffness_n = 1e9;
  def.pipe.line.drag_axial = 1; // so that it comes to rest
  def.pipe.content_pressure_pa = 2e6;
  def.pipe.structural_damping_s = 0.5;
  def.pipe.motion.radius_m = 0;
  def.step_s = 0.1;
  struct sim *s = scene_create(&def, r);
  if (!s)
    return;
  const struct sim_input water = {.flooding = {.flows = 1, .from_m = 406, .fill_s = 20}};
  for (int k = 0; k < STEPS; k++)
    sim_step(s, &water);

  const double g = def.env.gravity_mps2, ea = def.pipe.line.axial_stiffness_n,
               dry = g * (dry_kgpm(&def) - displaced_kgpm(&def)), full = dry + g * flood_kgpm(&def);
  const double top = PIPE_DRY_ELEMENTS * each;
  const struct catenary_part parts[3] = {
      {FIRST * each, dry, ea}, {length - FIRST * each - top, full, ea}, {top, dry, ea}};
  double *const *at = s->state.pipe.r_n;
  const struct catenary c =
      catenary_between(parts, 3, at[2][0] - at[2][ELEMENTS], at[0][ELEMENTS] - at[0][0]);
  // In the middles of elements, on both sides of the ends of the water.
  static const int elements[] = {20, FIRST - 1, FIRST, 80, ELEMENTS - PIPE_DRY_ELEMENTS - 1, ELEMENTS - 1};
  for (int k = 0; k < 6; k++) {
    const int e = elements[k], is_full = e >= FIRST && e < ELEMENTS - PIPE_DRY_ELEMENTS;
    const double arc = (e + 0.5) * each, wet = fmin(fmax(arc - parts[0].length_m, 0), parts[1].length_m);
    const struct section_forces f = sim_element_forces(s, e);
    verify_add(r, VERIFY_RELATIVE, "N", f.effective_tension_n,
               hypot(c.horizontal_n, c.lower_n + dry * arc + (full - dry) * wet), 5e-4,
               "hanging, flooded from 406 m up: effective tension at %g m", arc);
    if (k == 0 || k == 3)
      verify_add(r, VERIFY_RELATIVE, "N", f.wall_tension_n,
                 wall_tension(&def, f.effective_tension_n, 0.5 * (at[2][e] + at[2][e + 1]), is_full), 1e-9,
                 "hanging: tension in the wall from the effective tension, %s part",
                 is_full ? "flooded" : "dry");
  }
  static const char *const places[] = {"the lower end", "the lower end of the water",
                                       "the upper end of the water", "the upper end"};
  static const int nodes[] = {0, FIRST, ELEMENTS - PIPE_DRY_ELEMENTS, ELEMENTS};
  for (int k = 0; k < 4; k++)
    verify_add(r, VERIFY_RELATIVE, "N", sim_node_forces(s, nodes[k]).effective_tension_n, c.tension_n[k],
               5e-4, "hanging: effective tension at the node of %s", places[k]);
  verify_add(r, VERIFY_RELATIVE, "kg", pipe_flood_mass(&s->state.mesh.pipe),
             flood_kgpm(&def) * (ELEMENTS - FIRST - PIPE_DRY_ELEMENTS) * each, 1e-9,
             "hanging: mass of the water");
  verify_add(r, VERIFY_ABSOLUTE, "", ledger_closure_rel(&s->run.ledger), 0, 1e-12, "hanging: ledger closure");
  scene_free(s);
}

// ---- Sinking ----

// A level pipe, free at both ends, sinks without drag while it fills in fill_s. With m0 the mass of a metre
// and of the water that moves with it, w0 its weight, q = f/fill_s what it takes on, the water enters at its
// velocity:
//   (m0 + q t) dv/dt = w0 + g q t,  v = g t + (w0 - g m0)/q ln(1 + q t/m0).
// The water brings its kinetic energy and its height along: the work of the port is the integral of
// q (v^2/2 + g (D - z)) dt, D the depth of the seabed. The dry upper end stays behind; with hardly any
// bending and shear stiffness the rest does not feel it.
struct sinking {
  double m0, w0, q, g;
};

static double speed_at(const struct sinking *x, double t) {
  return x->g * t + (x->w0 - x->g * x->m0) / x->q * log1p(x->q * t / x->m0);
}

static void sink(const struct verify_setup *setup, struct verify_result *r) {
  enum { ELEMENTS = 80, STEPS = 800, NODE = 10, QUADRATURE = 4000 };
  const double length = 100, fill_s = 8, start_m = 200;
  struct sim_def def;
  if (!flooded_def(setup, ELEMENTS, length, &def, r))
    return;
  const double g = def.env.gravity_mps2, weight = g * (dry_kgpm(&def) - displaced_kgpm(&def));
  struct pipe_type *line = &def.pipe.line;
  def.env.gravity_mps2 = 0; // a straight start; the weight comes on with the release
  def.pipe.lower = LOWER_CLAMPED, def.pipe.hangoff = HANGOFF_FREE;
  line->drag_transverse = line->drag_axial = 0;
  line->bending_stiffness_nm2[0] = line->bending_stiffness_nm2[1] = 1e3;
  line->shear_stiffness_n[0] = line->shear_stiffness_n[1] = 1e3;
  def.step_s = 0.01;
  struct sim *s = scene_create(&def, r);
  if (!s)
    return;
  struct pipe_mesh *p = &s->state.mesh.pipe;
  scene_release_lower(s, 1, 1);
  s->model->pipe.gravity_mps2 = g,
  s->model->pipe.kind[0].metre.weight_n = s->model->pipe.kind[0].weight_npm = weight;
  for (int i = 0; i <= ELEMENTS; i++) {
    pipe_set3(s->state.pipe.r_n, i, (vec3){length / ELEMENTS * i, 0, start_m});
    pipe_fill_node(p, i);
  }
  scene_restart(s);

  const struct sinking x = {dry_kgpm(&def) + displaced_kgpm(&def), weight, flood_kgpm(&def) / fill_s, g};
  const struct sim_input water = {.flooding = {.flows = 1, .from_m = 0, .fill_s = fill_s}};
  double worst = 0, depth = start_m, work = 0;
  for (int k = 1; k <= STEPS; k++) {
    sim_step(s, &water);
    worst = fmax(worst, fabs(s->state.pipe.v_n[2][NODE] - speed_at(&x, k * def.step_s)));
  }
  for (int k = 0; k < QUADRATURE; k++) { // midpoint rule
    const double dt = STEPS * def.step_s / QUADRATURE, v = speed_at(&x, (k + 0.5) * dt);
    depth += 0.5 * dt * v;
    work += x.q * dt * (0.5 * v * v + g * (p->pipe->depth_m - depth));
    depth += 0.5 * dt * v;
  }
  verify_add(r, VERIFY_ABSOLUTE, "", worst / speed_at(&x, STEPS * def.step_s), 0, 1e-5,
             "sinking while it fills: speed, largest error over the speed at the end");
  verify_add(r, VERIFY_ABSOLUTE, "m", s->state.pipe.r_n[2][NODE], depth, 1e-3,
             "sinking: depth when it is full");
  verify_add(r, VERIFY_RELATIVE, "J", s->run.ledger.total_work_j[PORT_FLOODING],
             work * (length - PIPE_DRY_ELEMENTS * length / ELEMENTS), 1e-3,
             "sinking: work of the water that enters");
  verify_add(r, VERIFY_ABSOLUTE, "", ledger_closure_rel(&s->run.ledger), 0, 1e-12, "sinking: ledger closure");
  s->run.events &= ~(UINT64_C(1) << EVENT_ELEMENT_FOLDED); // the end that stays behind, on purpose
  scene_free(s);
}

void verify_flooding(const struct verify_setup *setup, struct verify_result *r) {
  verify_run_with(r,
                  "1150 m of pipe in 900 m of water, 115 elements, steps of 100 ms, 600 s; 100 m of pipe, 80 "
                  "elements, steps of 10 ms, 8 s");
  hanging(setup, r);
  sink(setup, r);
}
