#include "verification/rivals/rivals.h"

#include "sagbend/math/so3.h"

#include <math.h>

double hamiltonian_rod_lump_m(int elements, double element_m, int node) {
  return node == 0 || node == elements ? 0.5 * element_m : element_m;
}

#define NUMBER    double
#define NAME(x)   hamiltonian_rod_##x
#define NAME_ROOT sqrt
#define ROD       hamiltonian_rod
#define NODE      hamiltonian_rod_node
#define SLOPE     hamiltonian_rod_slope
#include "verification/rivals/rod_scheme.h"
#undef NUMBER
#undef NAME
#undef NAME_ROOT
#undef ROD
#undef NODE
#undef SLOPE

#define NUMBER    double complex
#define NAME(x)   varied_rod_##x
#define NAME_ROOT csqrt
#define ROD       varied_rod
#define NODE      varied_rod_node
#define SLOPE     varied_rod_slope

void hamiltonian_rod_step(struct hamiltonian_rod *r, double h) {
  hamiltonian_rod_kick(r, 0.5 * h);
  hamiltonian_rod_drift(r, h);
  hamiltonian_rod_kick(r, 0.5 * h);
}

struct hamiltonian_rod_totals hamiltonian_rod_totals(const struct hamiltonian_rod *r) {
  struct hamiltonian_rod_totals t = {0};
  struct hamiltonian_rod_slope unused;
  vec3 linear = {0}, angular = {0};
  for (int i = 0; i <= r->elements; i++) {
    const struct hamiltonian_rod_node *node = &r->node[i];
    double lump = hamiltonian_rod_lump_m(r->elements, r->element_m, i), body[3];
    mat3 frame = quat_matrix((quat){node->q[0], node->q[1], node->q[2], node->q[3]});
    vec3 p = vec3_of(node->p_ns), pi = vec3_of(node->pi_nms);
    vec3_to(mat3_tmul(&frame, pi), body);
    t.kinetic_j += 0.5 * vec3_dot(p, p) / (lump * r->section.mass_kgpm);
    for (int k = 0; k < 3; k++)
      t.kinetic_j += 0.5 * body[k] * body[k] / (lump * r->section.inertia_kgm[k]);
    linear = vec3_add(linear, p);
    angular = vec3_add(angular, vec3_add(vec3_cross(vec3_of(node->x_m), p), pi));
  }
  for (int e = 0; e < r->elements; e++)
    t.potential_j += hamiltonian_rod_element(r, e, &unused);
  vec3_to(linear, t.linear_ns);
  vec3_to(angular, t.angular_nms);
  return t;
}
