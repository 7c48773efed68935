// A pipe of two kinds: an elastic catenary of two parts, and the forces in the sections of a cantilever.
#include "verification/pipe/pipe.h"

#include "sagbend/math/math.h"
#include "verification/harness/harness.h"

#include <math.h>

static struct sim *two_part_pipe(const struct verify_setup *setup, int elements, double force_n,
                                 struct catenary_part parts[2], struct verify_result *r) {
  struct sim_def def;
  if (!scene_load(setup, "jlay-circle", 0, NULL, &def, r))
    return NULL;
  struct pipe_def *p = &def.pipe;
  def.env.seabed = SEABED_NONE;
  p->buoyancy = BUOYANCY_SUBMERGED; // the top is at the surface
  p->hangoff = HANGOFF_PINNED;
  p->lower = LOWER_ANCHORED;
  p->length_m = 1150;
  p->elements = elements;
  p->mesh_segment_count = 2;
  p->mesh[0] = (struct mesh_segment){690, elements * 3 / 5, 0};
  p->mesh[1] = (struct mesh_segment){460, elements * 2 / 5, 1};
  p->line.axial_stiffness_n = 1e9; // a tenth of the pipe's and less, so that the stretch is seen
  p->line.bending_stiffness_nm2[0] = p->line.bending_stiffness_nm2[1] = 1e4;
  p->type_count = 1;
  p->types[0] = p->line;
  p->types[0].mass_kgpm = 800;
  p->types[0].axial_stiffness_n = 3e9;
  def.statics.horizontal_force_n = force_n;
  parts[0] = (struct catenary_part){690, pipe_type_weight(p, &p->line, &def.env), p->line.axial_stiffness_n};
  parts[1] =
      (struct catenary_part){460, pipe_type_weight(p, &p->types[0], &def.env), p->types[0].axial_stiffness_n};
  return scene_create(&def, r);
}

static double chords(const struct sim *s) {
  double sum = 0;
  for (int i = 0; i < s->state.mesh.pipe.elements; i++)
    sum += vec3_norm(vec3_sub(pipe_get3(s->state.pipe.r_n, i + 1), pipe_get3(s->state.pipe.r_n, i)));
  return sum;
}

void verify_two_catenaries(const struct verify_setup *setup, struct verify_result *r) {
  enum { ELEMENTS = 800 };
  static const char *const places[] = {"lower end", "junction", "top"};
  const double h = 400e3;
  verify_run_with(
      r, "%d elements on 690 m of 1 GN and 460 m of 3 GN and a half more weight, EI = 1e4 N m2, H = 400 kN",
      ELEMENTS);
  struct catenary_part parts[2];
  struct sim *s = two_part_pipe(setup, ELEMENTS, h, parts, r);
  if (!s)
    return;
  int n = ELEMENTS, at[3] = {0, n * 3 / 5, n};
  double height = s->state.pipe.r_n[2][0] - s->state.pipe.r_n[2][n];
  struct catenary c = catenary_of(parts, 2, h, catenary_lower_force(parts, 2, h, height));
  for (int k = 0; k < 3; k++)
    verify_add(r, VERIFY_RELATIVE, "N", sim_node_forces(s, at[k]).effective_tension_n, c.tension_n[k], 1e-5,
               "effective tension, %s", places[k]);
  verify_add(r, VERIFY_ABSOLUTE, "m", s->state.pipe.r_n[0][n] - s->state.pipe.r_n[0][0], c.reach_m, 5e-3,
             "reach");
  verify_add(r, VERIFY_RELATIVE, "m", chords(s) - 1150, c.elongation_m, 5e-3, "elongation");
  struct verify_plot *plot =
      verify_plot(r, "Effective tension along a pipe of two sections", "arc length S, m", "tension, kN");
  struct verify_series *line = verify_series(r, plot, VERIFY_LINE, "at the nodes");
  struct verify_series *closed = verify_series(r, plot, VERIFY_POINTS, "catenary");
  double v = sqrt(c.tension_n[0] * c.tension_n[0] - h * h), arc = 0;
  for (int i = 0; i <= n; i++) {
    if (i % 8 == 0)
      verify_point(r, line, arc, sim_node_forces(s, i).effective_tension_n / 1e3);
    if (i % 40 == 0)
      verify_point(r, closed, arc, hypot(h, v) / 1e3);
    if (i < n)
      arc += s->state.mesh.pipe.length_m[i],
          v += s->state.mesh.pipe.length_m[i] * parts[i >= at[1]].weight_npm;
  }
  scene_free(s);
}

// Small deflections of a cantilever of two kinds under its weight w and an end force F: over the rest of its
// length the shear is F + W, the moment F (L - x) plus that of the weight; the curvature M/EI jumps at the
// junction.
struct reference {
  double shear, moment, curvature;
};

static struct reference cantilever_at(double x, double force, const double weight[2], const double ei[2]) {
  double w0 = x < 5 ? 5 - x : 0, w1 = x < 5 ? 5 : 10 - x, out = x < 5 ? 5 - x : 0;
  double moment = force * (10 - x) + weight[0] * w0 * w0 / 2 + weight[1] * w1 * (out + w1 / 2);
  double softer = ei[0] < ei[1] ? ei[0] : ei[1];
  return (struct reference){force + weight[0] * w0 + weight[1] * w1, moment,
                            moment / (x == 5 ? softer : ei[x > 5])};
}

void verify_section_forces(const struct verify_setup *setup, struct verify_result *r) {
  static const struct scene_section section = {.ea = 1e9, .ga = 1e9, .gj = 1e6, .ei = 1e6, 5, 2, 1};
  enum { LEVELS = 4 };
  static const double at[] = {0, 2.5, 5, 7.5, 10};
  const double force = 20, weight[2] = {5, 15}, ei[2] = {1e6, 4e6};
  double width[LEVELS], error[LEVELS];
  (void)setup;
  verify_run_with(
      r,
      "length 10 m, the outer half four times as stiff and three times as heavy; 16 to 128 elements, 2 to 3");
  for (int k = 0; k < LEVELS; k++) {
    int n = 16 << k;
    struct sim_def def = scene_beam(n, 10, &section);
    struct pipe_def *p = &def.pipe;
    def.env.gravity_mps2 = 1;
    p->mesh_segment_count = 3;
    p->mesh[0] = (struct mesh_segment){5, n / 2, 0};
    p->mesh[1] = (struct mesh_segment){2.5, n / 8, 1};
    p->mesh[2] = (struct mesh_segment){2.5, n / 2 - n / 8, 1};
    p->type_count = 1;
    p->types[0] = p->line;
    p->types[0].mass_kgpm = 15;
    p->types[0].bending_stiffness_nm2[0] = p->types[0].bending_stiffness_nm2[1] = ei[1];
    p->end_force_n[2] = force;
    struct sim *s = scene_create(&def, r);
    if (!s)
      return;
    const int nodes[] = {0, n / 4, n / 2, n / 2 + n / 8, n};
    width[k] = 10.0 / n, error[k] = 0;
    for (int i = 0; i < 5; i++) {
      struct section_forces f = sim_node_forces(s, nodes[i]);
      struct reference c = cantilever_at(at[i], force, weight, ei);
      error[k] = fmax(error[k], fabs(-f.bending_nm[0] - c.moment));
      if (k < LEVELS - 1)
        continue;
      verify_add(r, VERIFY_ABSOLUTE, "N", f.shear_n[1], c.shear, 0.01, "shear at %g m", at[i]);
      verify_add(r, VERIFY_ABSOLUTE, "N m", -f.bending_nm[0], c.moment, 0.1, "bending moment at %g m", at[i]);
      verify_add(r, VERIFY_ABSOLUTE, "1/m", hypot(f.curvature_1pm[0], f.curvature_1pm[1]), c.curvature, 1e-7,
                 "curvature at %g m%s", at[i], at[i] == 5 ? ", the softer side" : "");
    }
    scene_free(s);
  }
  verify_order(r, "Bending moments at the nodes", "mean element length, m", "the moments at five nodes",
               width, error, LEVELS, 2, 0.15);
}

// ------------------------------------------------------------
// tests/reference/clamped_pipe.py 1000 2000 4000, its finest grid; the moments of its grids agree within
// 2e-6.
const struct small_pipe_row SMALL_PIPE_CLAMPED[SMALL_PIPE_ROWS] = {
    {"largest bending moment", "N m", 229592.47, 191267.96, 1e-2},
    {"largest curvature", "1/m", 7.370405e-3, 6.1401068e-3, 1e-2},
    {"largest shear force", "N", 11407.246, (double)NAN, 3e-4},
    {"largest strain", "", 1.2299725e-3, (double)NAN, 1e-2},
    {"smallest strain", "", -1.1569331e-3, (double)NAN, 1e-2},
    {"hang-off tension", "N", 93847.161, 93668.010, 5e-5},
    {"largest wall tension", "N", 93847.161, (double)NAN, 5e-5},
    {"smallest wall tension", "N", -239803.37, (double)NAN, 3e-5},
    {"reach", "m", 660.23206, (double)NAN, 3e-5}};

int small_pipe(const struct verify_setup *setup, struct sim_def *def, struct verify_result *r) {
  const double outer = 0.32385, inner = 0.29845, steel = TRIG_PI / 4 * (outer * outer - inner * inner);
  if (!scene_load(setup, "jlay-900m", 0, NULL, def, r))
    return 0;
  struct pipe_type *x = &def->pipe.line;
  def->env.depth_m = 350;
  def->env.seabed = SEABED_LINEAR;
  def->env.seabed_contact = CONTACT_AXIS;
  def->env.seabed_stiffness_npm3 = 1e5;
  def->vessel.gm_longitudinal_m = 1e6;     // no pitch under the moment of the clamp
  def->pipe.buoyancy = BUOYANCY_SUBMERGED; // the reference has no surface
  def->pipe.length_m = 800;
  def->statics.horizontal_force_n = 50e3;
  x->outer_diameter_m = outer;
  x->mass_kgpm = 7850 * steel;
  x->axial_stiffness_n = 2.07e11 * steel;
  x->shear_stiffness_n[0] = x->shear_stiffness_n[1] = 0.5 * x->axial_stiffness_n / 2.6;
  x->bending_stiffness_nm2[0] = x->bending_stiffness_nm2[1] =
      2.07e11 * TRIG_PI / 64 * (pow(outer, 4) - pow(inner, 4));
  x->torsion_stiffness_nm2 = x->bending_stiffness_nm2[0] / 1.3;
  return 1;
}

void small_pipe_values(const struct sim *s, double values[SMALL_PIPE_ROWS]) {
  struct sim_output o;
  sim_get_output(s, &o);
  const double all[SMALL_PIPE_ROWS] = {o.max_moment_nm,      o.max_curvature_1pm,  o.max_shear_n,
                                       o.max_strain,         o.min_strain,         o.hangoff_tension_n,
                                       o.max_wall_tension_n, o.min_wall_tension_n, o.hangoff_position_n_m[0]};
  for (int k = 0; k < SMALL_PIPE_ROWS; k++)
    values[k] = all[k];
}
