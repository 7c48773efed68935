// Operations of a lay, one after the other, and the flooding of the pipe.
#include "sagbend/lay/lay.h"
#include "sagbend/lay/lay_internal.h"

#include "sagbend/math/math.h"
#include "sagbend/pipe/pipe.h"
#include "sagbend/pipeline/pipeline.h"

// The brake engages where the pipe is slower, or drags the drive although the tracks stand. Its spring takes
// over the force at this moment.
static const double REST_MPS = 0.02;

static int is_on(const struct model *m, const struct model_state *s) {
  return s->operations.current < (uint64_t)m->operations.count;
}

static const struct operation *present(const struct model *m, const struct model_state *s) {
  return &m->operations.operation[s->operations.current];
}

// The target of a move is a length since the operation began, so that errors of single moves do not add up.
static void start_move(const struct model *m, struct model_state *s) {
  struct operations_state *o = &s->operations;
  const struct operation *op = present(m, s);
  o->resting = 0, o->rest_s = 0;
  o->left_m = o->from_m + (double)(o->moved + 1) * op->length_m - s->payout.paid_m;
}

static void begin(const struct model *m, struct model_state *s) {
  struct operations_state *o = &s->operations;
  o->moved = o->overdue = o->resting = 0;
  o->since_s = o->rest_s = o->left_m = 0;
  o->from_m = s->payout.paid_m, o->from_n = s->tensioner.holding_n, o->from_way_m = o->way_m;
  if (is_on(m, s) && present(m, s)->order == OPERATION_MOVE)
    start_move(m, s);
}

void operations_start(const struct model *m, struct model_state *s) {
  s->operations = (struct operations_state){.count = (uint64_t)m->operations.count};
  if (m->operations.count > 0)
    begin(m, s);
}

int operations_is_valid(const struct model *m, const struct model_state *s, struct reason *why) {
  const struct operations_state *o = &s->operations;
  const uint64_t count = (uint64_t)m->operations.count;
  const double number[] = {o->since_s,    o->rest_s, o->from_m, o->from_n,
                           o->from_way_m, o->way_m,  o->left_m, o->turned_rad};
  if (!valid_whole(o->count, count, count, "count", why) ||
      !valid_whole(o->current, 0, count, "current", why) || !valid_whole(o->held, 0, 1, "held", why) ||
      !valid_whole(o->overdue, 0, 1, "overdue", why) || !valid_whole(o->resting, 0, 1, "resting", why) ||
      !valid_whole(o->limited, 0, 1, "limited", why))
    return 0;
  const struct operation *op = o->current < count ? &m->operations.operation[o->current] : NULL;
  const uint64_t moves = op && op->order == OPERATION_MOVE ? (uint64_t)op->moves : 0;
  return valid_whole(o->moved, 0, moves, "moved", why) &&
         valid_finite(number, sizeof number / sizeof *number, "number", why);
}

void operations_latch(const struct model *m, struct model_state *s, double way_m) {
  if (m->operations.count > 0 && isfinite(way_m))
    s->operations.way_m = way_m;
}

// Whether x has passed the value, from the side on which it began.
static int has_passed(double x, double from, double value) {
  return from <= value ? x >= value : x <= value;
}

// Type of the pipe at the hang-off: of what comes above the top element, once this has its own length.
static int type_at_top(const struct model_state *s) {
  const struct pipe_top *top = &s->mesh.pipe.top;
  return top->next && s->payout.top_m > top->own->element_m ? top->next->type : top->own->type;
}

static int has_ended(const struct model *m, const struct model_state *s, double step_s) {
  const struct operations_state *o = &s->operations;
  const struct operation *op = present(m, s);
  if (op->turns && o->since_s < op->turn_s - 1e-6 * step_s)
    return 0;
  if (op->order == OPERATION_MOVE)
    return o->moved >= (uint64_t)op->moves;
  switch (op->end) {
  case OPERATION_TIME:
    return o->since_s >= op->end_value - 0.5 * step_s;
  case OPERATION_PAID_OUT:
    return has_passed(s->payout.paid_m, o->from_m, op->end_value);
  case OPERATION_SECTION:
    return type_at_top(s) == op->end_type;
  case OPERATION_FORCE:
    return has_passed(s->tensioner.holding_n, o->from_n, op->end_value);
  case OPERATION_WAY:
    return o->way_m >= op->end_value;
  default:
    return op->turns;
  }
}

static struct tensioner_setpoint speed_order(double speed_mps) {
  return (struct tensioner_setpoint){1, TENSIONER_SPEED, 0, speed_mps};
}

static struct tensioner_setpoint rest_order(const struct model_state *s, int is_dragged) {
  const struct tensioner_state *t = &s->tensioner;
  const int rests = t->track_mps == 0 && (fabs(s->payout.speed_mps) < REST_MPS || is_dragged);
  if (t->ordered == TENSIONER_BRAKE || (t->mode == TENSIONER_SPEED && rests))
    return (struct tensioner_setpoint){1, TENSIONER_BRAKE, 0, 0};
  return speed_order(0);
}

static struct tensioner_setpoint order_of(const struct model *m, const struct model_state *s,
                                          int is_dragged) {
  const struct operation *op = present(m, s);
  switch (op->order) {
  case OPERATION_TENSION:
    return (struct tensioner_setpoint){1, TENSIONER_TENSION, op->tension_n, 0};
  case OPERATION_SPEED:
    return speed_order(op->speed_mps);
  case OPERATION_MOVE:
    return s->operations.resting ? rest_order(s, is_dragged)
                                 : speed_order(copysign(op->speed_mps, s->operations.left_m));
  default:
    return rest_order(s, is_dragged);
  }
}

// A move ends where no way is left, and the rest after it by time.
static void advance_moves(const struct model *m, struct model_state *s, double step_s) {
  struct operations_state *o = &s->operations;
  const struct operation *op = present(m, s);
  if (op->order != OPERATION_MOVE || o->moved >= (uint64_t)op->moves)
    return;
  if (!o->resting && o->left_m == 0)
    o->resting = 1, o->rest_s = 0;
  if (!o->resting || o->rest_s < op->pause_s - 0.5 * step_s)
    return;
  o->moved++;
  if (o->moved < (uint64_t)op->moves)
    start_move(m, s);
}

static void advance(const struct model *m, struct model_state *s, double step_s) {
  struct operations_state *o = &s->operations;
  while (is_on(m, s)) {
    advance_moves(m, s, step_s);
    if (!has_ended(m, s, step_s))
      return;
    o->turned_rad = operations_tower_turn(m, s, 0);
    o->current++;
    begin(m, s);
  }
}

struct tensioner_setpoint operations_advance(const struct model *m, struct model_state *s, double step_s,
                                             int is_dragged) {
  struct operations_state *o = &s->operations;
  const struct tensioner_setpoint none = {0, TENSIONER_BRAKE, 0, 0};
  if (m->operations.count == 0)
    return none;
  const uint64_t was_held = o->held;
  o->held = s->tensioner.source > TENSIONER_BY_PROGRAMME;
  o->limited = 0;
  if (o->held)
    return none;
  if (was_held && is_on(m, s) && present(m, s)->order == OPERATION_MOVE && !o->resting)
    start_move(m, s);
  advance(m, s, step_s);
  if (!is_on(m, s))
    return rest_order(s, is_dragged);
  o->limited = present(m, s)->order == OPERATION_MOVE && !o->resting;
  return order_of(m, s, is_dragged);
}

// Turn of the tower since the statics, ahead_s after the beginning of the step, rad.
double operations_tower_turn(const struct model *m, const struct model_state *s, double ahead_s) {
  const struct operations_state *o = &s->operations;
  const struct operation *op = is_on(m, s) ? present(m, s) : NULL;
  if (!op || !op->turns)
    return o->turned_rad;
  const double share = fmin(1, (o->since_s + (o->held ? 0 : ahead_s)) / op->turn_s);
  return o->turned_rad + (op->turn_rad - o->turned_rad) * 0.5 * (1 - trig_cos(TRIG_PI * share));
}

// The largest speed v1 at the end of the step from which the tracks come to rest within the way that is left:
// v1^2/(2 a) + (v0 + v1) h/2 = left. Where there is none and they are slow, they land in this step.
void operations_land(const struct model *m, const struct model_state *s, double step_s,
                     struct track_step *tracks) {
  const struct operations_state *o = &s->operations;
  const double a = m->tensioner.acceleration_mps2, h = step_s, sense = copysign(1, o->left_m);
  const double left = fabs(o->left_m), start = sense * s->tensioner.track_mps;
  if (!o->limited || s->tensioner.runs_away || s->payout.stopped)
    return;
  if (left == 0 && start == 0) {
    *tracks = (struct track_step){0, 0};
    return;
  }
  const double rest = left - 0.5 * start * h;
  const double most = rest > 0 ? a * (sqrt(0.25 * h * h + 2 * rest / a) - 0.5 * h) : 0;
  const double end = fmax(fmin(sense * tracks->end_mps, most), start - a * h);
  if (start < 0 || end > 0) {
    tracks->end_mps = sense * end;
    tracks->way_m = 0.5 * h * sense * (start + end);
  } else {
    *tracks = (struct track_step){0, o->left_m};
  }
}

void operations_have_moved(const struct model *m, struct model_state *s, double way_m) {
  if (m->operations.count > 0 && s->operations.limited)
    s->operations.left_m -= way_m;
}

void operations_count(const struct model *m, struct model_state *s, double step_s) {
  struct operations_state *o = &s->operations;
  if (m->operations.count == 0 || o->held || !is_on(m, s))
    return;
  o->since_s += step_s;
  if (o->resting && s->tensioner.ordered == TENSIONER_BRAKE)
    o->rest_s += step_s;
  const double limit_s = present(m, s)->limit_s;
  const int is_late = limit_s > 0 && o->since_s > limit_s + 0.5 * step_s;
  if (is_late || (s->payout.stopped && present(m, s)->order != OPERATION_BRAKE)) // no pipe moves any more
    o->overdue = 1;
}

// Of what passes from one value to another.
static double share_of(double x, double from, double to) {
  return to != from ? fmax(0, fmin(1, (x - from) / (to - from))) : 1;
}

double operations_progress(const struct model *m, const struct model_state *s) {
  const struct operations_state *o = &s->operations;
  if (m->operations.count == 0)
    return 0;
  if (!is_on(m, s))
    return 1;
  const struct operation *op = present(m, s);
  if (op->order == OPERATION_MOVE) {
    const double whole = op->moves, part = o->resting ? 1 : 1 - fmin(1, fabs(o->left_m / op->length_m));
    return fmin(1, ((double)o->moved + part) / whole);
  }
  switch (op->end) {
  case OPERATION_TIME:
    return share_of(o->since_s, 0, op->end_value);
  case OPERATION_PAID_OUT:
    return share_of(s->payout.paid_m, o->from_m, op->end_value);
  case OPERATION_FORCE:
    return share_of(s->tensioner.holding_n, o->from_n, op->end_value);
  case OPERATION_WAY:
    return share_of(o->way_m, o->from_way_m, op->end_value);
  default:
    return op->turns ? share_of(o->since_s, 0, op->turn_s) : 0;
  }
}

// ------------------------------------------------------------
// Number of the first element above `from_m`, or of the highest one that can fill. Where the place is below
// node 0, laid pipe that has retired and returns is full as well.
static int first_of(const struct pipe_mesh *p, int end, double from_m) {
  int e = 0;
  if (from_m <= p->arc_m[0])
    return 0;
  while (e < end - p->first - 1 && 0.5 * (p->arc_m[e] + p->arc_m[e + 1]) < from_m)
    e++;
  return p->first + e;
}

// The number above the highest element that is in the water.
static int end_of(const struct pipe_mesh *p, const struct pipe_state *s) {
  int end = p->elements - PIPE_DRY_ELEMENTS;
  while (end > 0 && s->r_n[2][end] <= 0)
    end--;
  return p->first + (end > 0 ? end : 0);
}

void flooding_latch(struct model_state *s, const struct flooding_input *input) {
  struct flooding_state *f = &s->flooding;
  f->rate_per_s = input->flows && s->mesh.pipe.nodes > 0 ? 1 / input->fill_s : 0;
  if (f->begun || !(f->rate_per_s > 0))
    return;
  const int end = end_of(&s->mesh.pipe, &s->pipe);
  f->begun = 1;
  f->end = (uint64_t)end;
  f->first = (uint64_t)first_of(&s->mesh.pipe, end, input->from_m);
}

static struct pipe_flood flood_of(const struct flooding_state *f) {
  return (struct pipe_flood){(int)f->first, (int)f->end, f->applied};
}

double flooding_advance(struct model_state *s, double step_s) {
  struct flooding_state *f = &s->flooding;
  if (!f->begun)
    return 0;
  const int highest = s->mesh.pipe.first + s->mesh.pipe.elements - PIPE_DRY_ELEMENTS,
            most = highest > 0 ? highest : 0;
  f->end = f->end > (uint64_t)most ? (uint64_t)most : f->end;
  const double before = f->share, after = fmin(1, before + f->rate_per_s * step_s);
  f->share = after;
  f->applied = 0.5 * (before + after);
  return pipe_set_flood(&s->mesh.pipe, &s->pipe, flood_of(f));
}

void flooding_follow(struct model_state *s) {
  if (s->mesh.pipe.nodes == 0)
    return;
  pipe_set_flood(&s->mesh.pipe, &s->pipe, flood_of(&s->flooding));
  pipe_refill_flood(&s->mesh.pipe);
}

int flooding_is_valid(const struct model *m, const struct model_state *s, struct reason *why) {
  const struct flooding_state *f = &s->flooding;
  (void)m;
  return valid_whole(f->begun, 0, 1, "begun", why) && valid_whole(f->first, 0, INT32_MAX, "first", why) &&
         valid_whole(f->end, 0, INT32_MAX, "end", why) && valid_range(f->share, 0, 1, "share", why) &&
         valid_range(f->applied, 0, 1, "applied", why) && valid_finite(&f->rate_per_s, 1, "rate_per_s", why);
}
