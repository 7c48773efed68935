// A J-lay with so little tension that its sagbend yields, with the hardening of its steel: the law of
// bending, and the strain as the mesh becomes finer. Without hardening the strain doubles with every halving
// of the elements.
#include "verification/harness/case_functions.h"
#include "verification/harness/scenes.h"

#include <math.h>

// tests/reference/yielding_statics.py 3000 6000, extrapolated with order 2
static const double REFERENCE_STRAIN = 0.0027499938, REFERENCE_MOMENT = 6443710.8,
                    REFERENCE_TENSION = 1150255.5;
static const double REFERENCE_A = 0.05323243, REFERENCE_B = 13.721420;

enum { PLACES = 50 };
static const char *const STEEL =
    "pipe.steel={wall_thickness_m: 0.0328, yield_strength_pa: 450e6, tensile_strength_pa: 535e6}";

static struct sim *lay(const struct verify_setup *setup, int elements, const char *hardening,
                       struct verify_result *r) {
  const char *const sets[] = {"pipe.yield_moment_nm=5910701.887", "statics.horizontal_force_n=40e3", STEEL,
                              hardening};
  struct sim_def def;
  if (!scene_load(setup, "jlay-900m", sizeof sets / sizeof *sets, sets, &def, r))
    return NULL;
  def.pipe.elements = elements;
  return scene_create(&def, r);
}

static double strain_at(const struct sim *s, int place) {
  return sim_node_forces(s, place * s->state.mesh.pipe.elements / PLACES).max_strain;
}

// Root mean square of the differences at the places that all meshes share.
static double difference(const struct sim *a, const struct sim *b) {
  double sum = 0;
  for (int k = 0; k <= PLACES; k++) {
    const double gap = strain_at(a, k) - strain_at(b, k);
    sum += gap * gap / (PLACES + 1);
  }
  return sqrt(sum);
}

static void draw(const struct sim *s, struct verify_plot *plot, enum verify_style style, const char *label,
                 struct verify_result *r) {
  struct verify_series *series = verify_series(r, plot, style, "%s", label);
  const struct pipe_mesh *p = &s->state.mesh.pipe;
  for (int i = 0; i <= p->elements; i++)
    if (p->arc_m[i] >= 500 && p->arc_m[i] <= 700)
      verify_point(r, series, p->arc_m[i], 100 * sim_node_forces(s, i).max_strain);
}

void verify_yield_mesh(const struct verify_setup *setup, struct verify_result *r) {
  enum { MESHES = 4 };
  static const int ELEMENTS[MESHES] = {200, 400, 800, 1600};
  double width[MESHES], error[MESHES], largest[2] = {0};
  verify_run_with(r, "configs/jlay-900m.yaml under 40 kN, X65 of 762 x 32.8 mm, 200 to 3200 elements");
  struct verify_plot *plot =
      verify_plot(r, "Strain of the sagbend that yields", "arc length, m", "strain, %%");
  struct sim *fine = lay(setup, 3200, "pipe.ramberg_osgood=steel", r);
  if (!fine)
    return;
  const struct pipe_type *line = &fine->def.pipe.line;
  verify_add(r, VERIFY_RELATIVE, "", line->ramberg_osgood[0], REFERENCE_A, 2e-3, "law of the steel: A");
  verify_add(r, VERIFY_RELATIVE, "", line->ramberg_osgood[1], REFERENCE_B, 2e-4, "law of the steel: B");
  for (int m = 0; m < MESHES; m++) {
    struct sim *s = lay(setup, ELEMENTS[m], "pipe.ramberg_osgood=steel", r);
    if (!s)
      break;
    struct sim_output o;
    sim_get_output(s, &o);
    width[m] = 1500.0 / ELEMENTS[m], error[m] = difference(s, fine);
    verify_add(r, VERIFY_RELATIVE, "", o.max_strain, REFERENCE_STRAIN, 3e-3, "largest strain, %d elements",
               ELEMENTS[m]);
    if (m == MESHES - 1) {
      verify_add(r, VERIFY_RELATIVE, "N m", o.max_moment_nm, REFERENCE_MOMENT, 3e-5,
                 "largest moment, 1600 elements");
      verify_add(r, VERIFY_RELATIVE, "N", o.hangoff_tension_n, REFERENCE_TENSION, 3e-6,
                 "hang-off tension, 1600 elements");
      draw(s, plot, VERIFY_LINE, "hardening of the steel, 1600 elements", r);
    }
    scene_free(s);
  }
  if (!*r->failure)
    verify_order(r, "Strain beyond yield as the mesh becomes finer", "element length, m",
                 "strain at 51 places", width, error, MESHES, 2, 0.25);
  for (int m = 0; m < 2; m++) {
    struct sim *s = lay(setup, ELEMENTS[m], "pipe.ramberg_osgood=perfect", r);
    if (!s)
      break;
    struct sim_output o;
    sim_get_output(s, &o);
    largest[m] = o.max_strain;
    draw(s, plot, VERIFY_DASHED, m ? "perfectly plastic, 400 elements" : "perfectly plastic, 200 elements",
         r);
    scene_free(s);
  }
  if (!*r->failure)
    verify_add_range(
        r, "", largest[1] / largest[0], 1.6, 2.4, 0,
        "perfectly plastic: largest strain of 400 over that of 200 elements; it does not converge");
  scene_free(fine);
}
