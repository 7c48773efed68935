// Friction. A pipe that is laid reaches the seabed piece by piece with the tension of the touchdown, and the
// ground then carries its weight where it landed. Therefore the statics lays it on a ground whose reaction is
// vertical: no force acts along the pipe, and its tension stays constant. Then friction takes over: each
// friction spring gets the elongation that holds its piece of pipe, up to mu N. Where that is not enough the
// pipe slides until it holds. The dynamics start from these elongations. The current of time 0 is applied
// last, in steps, and friction resists it.
#include "sagbend/model/model_internal.h"

#include <math.h>

enum { CURRENT_STEPS = 5, MOST_CURRENT_STEPS = 320 };

static int is_level(const struct pipe_mesh *p) {
  return p->pipe->ground.north_nodes == 0 && p->pipe->ground.normal_n.x == 0 &&
         p->pipe->ground.normal_n.y == 0;
}

int load_stages_have_friction(const struct equilibrium *eq, const struct statics_def *def) {
  return eq->m->pipe.has_friction && def->friction == FRICTION_LAID;
}

void load_stages_begin(const struct equilibrium *eq, const struct statics_def *def) {
  eq->report->with_friction = load_stages_have_friction(eq, def);
  eq->w->has_static_loads = load_stages_have_friction(eq, def) && !is_level(&eq->s->mesh.pipe);
  eq->w->static_loads =
      (struct pipe_static_loads){.ground = eq->w->has_static_loads ? GROUND_BEARING : GROUND_SMOOTH};
}

// The current of time 0, or none if the statics leaves it out or no water moves.
static struct current_turn initial_current(const struct equilibrium *eq, const struct statics_def *def) {
  const struct current *c = &eq->m->current;
  int flows = 0;
  for (int i = 0; i < c->count; i++)
    flows |= c->v_n[i].x != 0 || c->v_n[i].y != 0;
  return flows && def->current == CURRENT_INITIAL ? current_turn_at(&eq->m->env.current, 0)
                                                  : (struct current_turn){0, 0};
}

void load_stages_start_friction(const struct equilibrium *eq) {
  model_begin(eq->m, eq->s, eq->w, 0);
  model_residual(eq->m, eq->s, eq->w);
  pipe_static_start_friction(&eq->s->mesh.pipe, &eq->s->pipe, &eq->w->pipe);
  eq->w->static_loads.ground = GROUND_FRICTION;
  eq->w->has_static_loads = 1;
}

// The drag grows with the square of the velocity: equal steps of the drag, a quarter of that where one is too
// long, as for pipe that slides.
static enum status apply_current(const struct equilibrium *eq, struct current_turn turn, struct reason *why) {
  int steps = CURRENT_STEPS, k = 1;
  while (k <= steps) {
    double share = sqrt((double)k / steps);
    eq->w->has_static_loads = 1;
    eq->w->static_loads.current = &eq->m->current;
    eq->w->static_loads.turn = (struct current_turn){share * turn.along, share * turn.across};
    enum status status = relax_or_stiffen(eq, 1, "current, see statics.current", why);
    if (status == STATUS_OK) {
      k++;
    } else if (status == STATUS_NOT_CONVERGED && steps < MOST_CURRENT_STEPS) {
      model_state_copy(eq->m, eq->s, &eq->w->saved); // of relax_or_stiffen
      k = 4 * (k - 1) + 1;
      steps *= 4;
    } else {
      return status;
    }
  }
  return STATUS_OK;
}

enum status load_stages_apply(const struct equilibrium *eq, const struct statics_def *def,
                              struct reason *why) {
  struct current_turn turn = initial_current(eq, def);
  int flows = turn.along != 0 || turn.across != 0, carried = eq->w->has_static_loads;
  eq->report->with_current = flows;
  if (!flows && !carried)
    return STATUS_OK;

  if (load_stages_have_friction(eq, def))
    load_stages_start_friction(eq);
  enum status status = carried ? relax(eq, 1e-2, "friction", why) : STATUS_OK;

  if (flows) // the vessel keeps the position of still water
    eq->w->held |= HOLD_X | HOLD_Y;
  return flows && status == STATUS_OK ? apply_current(eq, turn, why) : status;
}

void load_stages_end(const struct equilibrium *eq) {
  eq->w->has_static_loads = 0;
  eq->w->static_loads = (struct pipe_static_loads){.ground = GROUND_SMOOTH};
}
