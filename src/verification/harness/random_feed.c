#include "verification/harness/random_feed.h"

#include <math.h>

struct tensioner_def scene_tensioner(void) {
  return (struct tensioner_def){.order_count = 1,
                                .order = {{.mode = TENSIONER_BRAKE}},
                                .mass_kg = 5e4,
                                .grip_n = 4e6,
                                .brake_n = 4e6,
                                .stiffness_npm = 1e8,
                                .damping_nspm = 1e5,
                                .dead_band_n = 2e5,
                                .speed_max_mps = 1.5,
                                .motor_n = 3e6,
                                .motor_w = 4e6,
                                .ramp_nps = 1e5,
                                .acceleration_mps2 = 0.1};
}

static double draw(uint64_t *seed, double low, double high) {
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return low + (high - low) * (double)(*seed >> 11) * 0x1p-53;
}

static void random_orders(struct tensioner_def *t, double fastest, uint64_t *seed) {
  double time_s = 0;
  t->grip_n = draw(seed, 1e5, 4e6), t->brake_n = draw(seed, 0, 3e6);
  t->motor_n = draw(seed, 5e5, 4e6), t->motor_w = pow(10, draw(seed, 4, 7));
  t->stiffness_npm = pow(10, draw(seed, 6, 9)), t->mass_kg = pow(10, draw(seed, 3, 6));
  t->damping_nspm = draw(seed, 0, 3e5), t->dead_band_n = draw(seed, 0, 4e5);
  t->speed_max_mps = fastest, t->ramp_nps = pow(10, draw(seed, 4, 7));
  t->acceleration_mps2 = draw(seed, 0.05, 2);
  for (t->order_count = 0; t->order_count < 8; t->order_count++) {
    t->order[t->order_count] =
        (struct tensioner_order){time_s, (enum tensioner_mode)draw(seed, 0, TENSIONER_MODE_COUNT),
                                 draw(seed, 2e5, 2.5e6), draw(seed, -fastest, fastest)};
    time_s += draw(seed, 0.1, 6);
  }
}

// A feed of heavier pipe, softer pipe and the line pipe; returns its shortest element, m.
static double random_plan(struct pipe_def *pipe, uint64_t *seed) {
  double shortest = 10;
  pipe->type_count = 2;
  for (int k = 0; k < 2; k++) {
    struct pipe_type *type = &pipe->types[k];
    const double times = k == 0 ? draw(seed, 1.5, 4) : draw(seed, 0.05, 0.5);
    *type = pipe->line;
    type->outer_diameter_m *= k == 0 ? 1.2 : 0.4;
    type->mass_kgpm *= k == 0 ? 1.5 * times : 0.3;
    type->axial_stiffness_n *= times;
    type->added_mass_axial = pipe->line.added_mass_axial + 0.1 * k;
    for (int i = 0; i < 2; i++) {
      type->bending_stiffness_nm2[i] *= k == 0 ? times : 0.1 * times;
      type->shear_stiffness_n[i] *= times;
    }
  }
  for (pipe->feed.part_count = 0; pipe->feed.part_count < 8; pipe->feed.part_count++) {
    const double length = draw(seed, 3, 12);
    pipe->feed.part[pipe->feed.part_count] = (struct mesh_segment){length, 1, (int)draw(seed, 0, 3)};
    shortest = fmin(shortest, length);
  }
  pipe->feed.is_endless = draw(seed, 0, 1) < 0.5;
  return shortest;
}

void scene_random_feed(struct sim_def *def, uint64_t seed) {
  const double top_m = 120, shortest = 0.05;
  uint64_t plan = seed * 31 + 5;
  const double element_m = draw(&plan, 0, 1) < 0.5 ? random_plan(&def->pipe, &plan) : 10;
  const double kind = draw(&seed, 0, 3), fastest = fmin(shortest * element_m / (3 * def->step_s), 3);
  if (kind > 2)
    return;
  def->pipe.mesh_segment_count = 2;
  def->pipe.mesh[0] = (struct mesh_segment){def->pipe.length_m - top_m, def->pipe.elements - 6, 0};
  def->pipe.mesh[1] = (struct mesh_segment){top_m, 12, 0};
  def->pipe.elements += 6;
  def->pipe.payout.elements_max = def->pipe.elements + 8;
  if (kind > 1) {
    def->pipe.tensioner = scene_tensioner();
    random_orders(&def->pipe.tensioner, fastest, &seed);
    return;
  }
  double start_s = 0;
  for (int i = 0; i < 4; i++) {
    double speed = draw(&seed, 0.2, 1) * fastest, ramp = draw(&seed, 0.2, 2);
    double length = speed * ramp * draw(&seed, 1, 4) + draw(&seed, 0, 10);
    struct payout_row *row = &def->pipe.payout.row[i];
    *row = (struct payout_row){start_s, draw(&seed, 0, 1) < 0.5 ? length : -length, speed, ramp};
    start_s += payout_duration(row) + draw(&seed, 0, 2);
  }
  def->pipe.payout.row_count = 4;
}
