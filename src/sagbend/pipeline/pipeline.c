// Weights of pipe types, the plan of the tally, and the law of a tensioner.
#include "sagbend/pipeline/pipeline.h"

#include <math.h>

int pipe_plan_elements(const struct pipe_def *def) {
  int sum = def->elements;
  if (def->tally.part_count == 0 || def->tally.is_endless)
    return 1 << 30;
  for (int k = 0; k < def->tally.part_count; k++)
    sum += def->tally.part[k].elements;
  return sum;
}

double pipe_tally_shortest(const struct pipe_def *def) {
  const int mesh = pipe_stretch_count(def) - def->tally.part_count;
  double shortest = 0;
  for (int k = mesh - 1; k < pipe_stretch_count(def); k++) {
    const struct mesh_segment part = pipe_stretch_of(def, k);
    const double element = part.length_m / part.elements;
    shortest = k < mesh || element < shortest ? element : shortest;
  }
  return shortest;
}

int pipe_tally_elements_min(const struct pipe_def *def) {
  int segment = def->mesh_segment_count - 1;
  int equal = segment < 0 ? def->elements : def->mesh[segment].elements;
  return def->elements - equal + 2;
}

double pipe_type_mass(const struct pipe_def *def, const struct pipe_type *type) {
  return type->mass_kgpm + def->content_density_kgpm3 * pipe_circle_area(type->inner_diameter_m);
}

double pipe_type_weight(const struct pipe_def *def, const struct pipe_type *type, const struct env_def *env) {
  return (pipe_type_mass(def, type) - env->water_density_kgpm3 * pipe_outer_area(type)) * env->gravity_mps2;
}

double pipe_mean_weight(const struct pipe_def *def, const struct env_def *env) {
  double sum = 0;
  int varies = 0;
  for (int k = 0; k < def->mesh_segment_count; k++) {
    int type = def->mesh[k].type;
    varies |= type;
    sum += pipe_type_weight(def, pipe_type_of(def, type), env) * def->mesh[k].length_m;
  }

  return varies ? sum / def->length_m : pipe_type_weight(def, &def->line, env);
}

// ------------------------------------------------------------
// The spring of the grip over the step: its mean over the way at constant speed, so that the part of the step
// before it reaches the bound counts as such. A bound that has shrunk below the stretch at the start releases
// the spring before the pipe moves; the energy that it loses is a loss.
struct spring {
  double end_m, mean_n, slope_npm, loss_j;
};

static struct spring spring_of(const struct tensioner_step *x, double length_m) {
  const double k = x->stiffness_npm, most = x->bound_n / k, way = length_m - x->travel_m;
  const double start = fmax(fmin(x->stretch_m, most), -most), free = start + way;
  const double released = 0.5 * k * (x->stretch_m - start) * (x->stretch_m + start);
  if (free >= -most && free <= most)
    return (struct spring){free, 0.5 * k * (start + free), 0.5 * k, released};
  // Elastic over end - start, the rest is slip: the mean is end - (end - start)^2/(2 way).
  const double end = free > 0 ? most : -most, elastic = end - start, share = elastic / way;
  return (struct spring){end, k * (end - 0.5 * elastic * share), 0.5 * k * share * share,
                         released + k * end * (free - end)};
}

// The set-point within the power of the motor at the speed at the start. With the speed over the step the
// force would fall as the pipe runs faster, and several lengths could solve the step, or none near by.
static double limited_set(const struct tensioner_step *x) {
  if (!(x->power_w > 0) || !(fabs(x->set_n * x->speed_mps) > x->power_w))
    return x->set_n;
  return copysign(x->power_w / fabs(x->speed_mps), x->set_n);
}

struct tensioner_force tensioner_force_of(const struct tensioner_step *x, double length_m) {
  const double h = x->step_s, speed = length_m / h, beyond = fabs(speed) - x->stop_speed_mps;
  const double slip = length_m - x->travel_m, damper = x->damping_nspm * slip / h;
  const int stops = x->stop_nspm > 0 && beyond > 0;
  const double stop = stops ? copysign(x->stop_nspm * beyond, speed) : 0;
  const double set = limited_set(x);
  struct spring spring = spring_of(x, length_m);
  struct tensioner_force f = {.end_stretch_m = spring.end_m, .end_speed_mps = 2 * speed - x->speed_mps};
  f.holding_n = set + spring.mean_n + damper + stop;
  f.force_n = f.holding_n + 2 * x->mass_kg * (speed - x->speed_mps) / h;
  f.slope_npm = spring.slope_npm + (x->damping_nspm + (stops ? x->stop_nspm : 0) + 2 * x->mass_kg / h) / h;
  f.work_j = -set * length_m - (spring.mean_n + damper) * x->travel_m;
  f.loss_j = spring.loss_j + damper * slip + stop * length_m;
  return f;
}

double tensioner_energy(double mass_kg, double stiffness_npm, double speed_mps, double stretch_m) {
  return 0.5 * (mass_kg * speed_mps * speed_mps + stiffness_npm * stretch_m * stretch_m);
}
