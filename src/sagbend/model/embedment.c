// The touchdown presses a pipe into the soil with more than its weight; the pipe that has passed it lies as
// deep as that force and is unloaded to its weight. The statics of virgin soil shows which nodes have passed:
// those below which the ground carries, and above whose next node too.
#include "sagbend/model/embedment.h"

#include "sagbend/pipe/section_forces.h"

#include <math.h>

// Of node i, for the tension at the lower end. The formula holds for a tension above (3 sqrt(EI) w)^(2/3).
static double factor_of(const struct model *m, const struct pipe_def *pipe, const struct model_state *s,
                        int i, double weight_npm, double tension_n) {
  const struct soil_def *soil = &m->env.soil;
  const struct pipe_mesh *p = &s->mesh.pipe;
  const int type = p->type[i < p->elements ? i : i - 1];
  const struct pipe_type *line = pipe_type_of(pipe, type);
  const double least = cbrt(9 * line->bending_stiffness_nm2[0] * weight_npm * weight_npm);
  double factor = soil->lay_factor;
  if (!(factor > 0))
    factor = soil_lay_factor(soil, line->outer_diameter_m, weight_npm, line->bending_stiffness_nm2[0],
                             fmax(tension_n, least));
  return factor * soil->dynamic_factor;
}

static void embed_node(const struct equilibrium *eq, const struct pipe_def *pipe, int i, double tension_n) {
  const struct pipe_mesh *p = &eq->s->mesh.pipe;
  const struct soil_bed *bed = &p->pipe->bed[p->type[i < p->elements ? i : i - 1]];
  double *const deepest = &eq->s->pipe.soil_m[SOIL_LAYERS][i];
  vec3 normal, r = pipe_get3(eq->s->pipe.r_n, i);
  const double z = surface_penetration(&p->pipe->ground, p->contact_offset_m[i], r, &normal);
  const double weight = p->weight_n[i] / p->contact_length_m[i] * normal.z;
  const double rest = soil_resting(bed, weight, factor_of(eq->m, pipe, eq->s, i, weight, tension_n), deepest);
  const int is_end = i == 0 && p->held_position;
  if (*deepest <= z || (is_end && pipe->lower_height != HEIGHT_RESTING)) {
    *deepest = 0;
    return;
  }
  pipe_set3(eq->s->pipe.r_n, i, vec3_axpy(rest - z, normal, r));
}

enum status embed_laid(const struct equilibrium *eq, const struct pipe_def *pipe, struct reason *why) {
  const struct pipe_mesh *p = &eq->s->mesh.pipe;
  struct model_work *w = eq->w;
  if (!p->pipe->has_soil)
    return STATUS_OK;
  model_begin(eq->m, eq->s, w, 0);
  model_residual(eq->m, eq->s, w);
  const double tension = pipe_element_section_forces(p, &eq->s->pipe, &w->pipe, 0).effective_tension_n;
  for (int i = 0; i + 1 < p->nodes; i++)
    if (p->contact_length_m[i] > 0 && w->pipe.penetration_m[i] > 0 && w->pipe.penetration_m[i + 1] > 0)
      embed_node(eq, pipe, i, tension);
  w->pipe.is_laid_out = 0;
  return relax(eq, 1e-2, "embedment of laid pipe", why);
}
