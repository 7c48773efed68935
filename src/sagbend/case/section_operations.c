// The section pipe.operations: what a lay does, one after the other.
#include "sagbend/case/case_internal.h"

#include "sagbend/base/base.h"

#include <math.h>
#include <string.h>

static const char LIST[] = "pipe.operations";

#define OPERATION(member) IN(operation_draft, member)

static const struct key_def KEYS[] = {
    {"pipe.operations", AS_ITEMS, .size = MAX_OPERATIONS, .optional = 1,
     ITEMS_IN(config_draft, operations, operation_draft, out.sim.pipe.operations.count),
     .doc = "Operations of the lay, one after the other, in place of pipe.tensioner.orders. The next one "
            "begins where the one before ends. After the last one the pipe comes to rest in the brake."},
    {"pipe.operations[].name", AS_TEXT, .size = OPERATION_NAME, OPERATION(def.name),
     .doc = "Name of the operation."},
    {"pipe.operations[].mode", AS_WORD, .words = {"brake", "tension", "speed", "move"},
     WORD_IN(operation_draft, def.order),
     .doc = "Order for the tensioner. brake: the tracks come to rest, then the brake engages. tension and "
            "speed: the modes of pipe.tensioner.orders. move: the tracks move length_m, come to rest at its "
            "end, and the brake engages for pause_s, as often as joints says."},
    {"pipe.operations[].tension_n", AS_NUMBER, .range = POSITIVE, .optional = 1, OPERATION(def.tension_n),
     .unit = "N", .doc = "Mode tension: set-point."},
    {"pipe.operations[].speed_mps", AS_NUMBER, .optional = 1, OPERATION(def.speed_mps), .unit = "m/s",
     .doc = "Mode speed: speed of the tracks; negative: recovery. Mode move: largest speed, positive."},
    {"pipe.operations[].length_m", AS_NUMBER, .optional = 1, OPERATION(def.length_m), .unit = "m",
     .doc = "Mode move: length of each move, as that of a joint; negative: recovery."},
    {"pipe.operations[].joints", AS_INTEGER, .range = LIMITED, .low = 1, .high = 100000, .optional = 1,
     OPERATION(def.moves), .doc = "Mode move: how many moves. Absent: 1."},
    {"pipe.operations[].pause_s", AS_NUMBER, .range = NOT_NEGATIVE, .optional = 1, OPERATION(def.pause_s),
     .unit = "s", .doc = "Mode move: time in the brake after each move, as for a weld. Absent: 0."},
    {"pipe.operations[].turn_deg", AS_NUMBER, .degrees = 1, .range = LIMITED, .low = -90, .high = 90,
     .optional = 1, OPERATION(def.turn_rad), .unit = "deg",
     .doc = "Turn of the J-lay tower since the static equilibrium, upwards, that the operation ends with. "
            "Needs a clamped hang-off. Absent: it stays."},
    {"pipe.operations[].turn_s", AS_NUMBER, .range = POSITIVE, .optional = 1, OPERATION(def.turn_s),
     .unit = "s", .doc = "Time in which the tower turns, from the beginning of the operation."},
    {"pipe.operations[].until_s", AS_NUMBER, .range = POSITIVE, .optional = 1, OPERATION(until_s),
     .unit = "s", .doc = "End: after this time."},
    {"pipe.operations[].until_paid_out_m", AS_NUMBER, .optional = 1, OPERATION(until_paid_out_m), .unit = "m",
     .doc = "End: where the length paid out since the start of the session passes this value."},
    {"pipe.operations[].until_section", AS_TEXT, .size = SECTION_NAME, .optional = 1, OPERATION(section),
     .doc = "End: where pipe of this section of pipe.sections comes to the hang-off. pipe: that of the "
            "properties given under pipe."},
    {"pipe.operations[].until_tension_n", AS_NUMBER, .range = POSITIVE, .optional = 1,
     OPERATION(until_tension_n), .unit = "N",
     .doc = "End: where the force of the tensioner passes this value."},
    {"pipe.operations[].until_distance_m", AS_NUMBER, .range = POSITIVE, .optional = 1,
     OPERATION(until_distance_m), .unit = "m",
     .doc = "End: where the vessel's point has this way along the route of controller.dp_file."},
    {"pipe.operations[].limit_s", AS_NUMBER, .range = POSITIVE, .optional = 1, OPERATION(def.limit_s),
     .unit = "s",
     .doc = "Time after which the event operation reports that it is overdue. It goes on. Absent: none."},
};

// Ends, in the order of enum operation_end from OPERATION_TIME on.
static const char *const UNTIL[] = {"until_s", "until_paid_out_m", "until_section", "until_tension_n",
                                    "until_distance_m"};
enum { UNTIL_COUNT = sizeof UNTIL / sizeof *UNTIL };
_Static_assert(UNTIL_COUNT == OPERATION_END_COUNT - 1, "a key for each end");
static const char *const MODES[OPERATION_ORDER_COUNT] = {"brake", "tension", "speed", "move"};

static struct key_path key_of(int i, const char *key) {
  return key_path("%s.%d.%s", LIST, i, key);
}

static int has(const struct check *c, int i, const char *key) {
  return given(c, key_of(i, key).text) != NULL;
}

static enum operation_end end_of(const struct check *c, int i) {
  for (int k = 0; k < UNTIL_COUNT; k++)
    if (has(c, i, UNTIL[k]))
      return (enum operation_end)(k + 1);
  return OPERATION_STAYS;
}

// A key that some modes need, and that no other has.
static void check_mode_key(const struct check *c, int i, const char *key, int is_of_mode, int is_needed) {
  const enum operation_order mode = c->draft->operations[i].def.order;
  if (is_of_mode && is_needed && !has(c, i, key))
    report(c, key_of(i, key).text, "a value expected: the mode %s needs it", MODES[mode]);
  if (!is_of_mode)
    check_allowed(c, key_of(i, key).text, 0,
                  !strcmp(key, "tension_n")   ? "needs the mode tension"
                  : !strcmp(key, "speed_mps") ? "needs the mode speed or move"
                                              : "needs the mode move");
}

static void check_mode(const struct check *c, int i) {
  const enum operation_order mode = c->draft->operations[i].def.order;
  const int moves = mode == OPERATION_MOVE;
  check_mode_key(c, i, "tension_n", mode == OPERATION_TENSION, 1);
  check_mode_key(c, i, "speed_mps", moves || mode == OPERATION_SPEED, 1);
  check_mode_key(c, i, "length_m", moves, 1);
  check_mode_key(c, i, "joints", moves, 0);
  check_mode_key(c, i, "pause_s", moves, 0);
}

// Against what the tensioner can do.
static void check_order(const struct check *c, int i, const struct top_part *top) {
  const struct tensioner_def *t = &c->draft->out.sim.pipe.tensioner;
  const struct operation *op = &c->draft->operations[i].def;
  if (op->order == OPERATION_TENSION && has(c, i, "tension_n"))
    check_tension_order(c, key_of(i, "tension_n").text, op->tension_n);
  if (has(c, i, "speed_mps"))
    check_speed_order(c, key_of(i, "speed_mps").text, op->speed_mps, top);
  if (op->order == OPERATION_MOVE && has(c, i, "speed_mps") && !(op->speed_mps > 0))
    report(c, key_of(i, "speed_mps").text,
           "a positive speed expected: in the mode move length_m has the sign");
  const double until_n = c->draft->operations[i].until_tension_n;
  if (op->order == OPERATION_TENSION && has(c, i, "until_tension_n") && has(c, i, "tension_n") &&
      fabs(until_n - op->tension_n) < 0.5 * t->dead_band_n)
    report(
        c, key_of(i, "until_tension_n").text,
        "a tension at least half of pipe.tensioner.dead_band_n, %s N, from tension_n expected: the tension "
        "need not come nearer",
        number_text(0.5 * t->dead_band_n).text);
  if (op->order == OPERATION_MOVE && has(c, i, "length_m") && op->length_m == 0)
    report(c, key_of(i, "length_m").text, "a length other than 0 expected");
}

static void check_turn(const struct check *c, int i) {
  const struct pipe_def *pipe = &c->draft->out.sim.pipe;
  const int turns = has(c, i, "turn_deg");
  const struct key_path angle = key_of(i, "turn_deg"), time = key_of(i, "turn_s");
  check_allowed(c, time.text, turns, "needs turn_deg");
  if (!turns)
    return;
  if (!has(c, i, "turn_s"))
    report(c, time.text, "a value expected: turn_deg needs it");
  if (is_given_well(c, "pipe.hangoff.kind"))
    check_allowed(c, angle.text, pipe->hangoff == HANGOFF_CLAMPED, "needs pipe.hangoff.kind clamped");
  check_allowed(c, angle.text, !given(c, "pipe.hangoff.tower"), "is not allowed with pipe.hangoff.tower");
  check_allowed(c, angle.text, !given(c, "pipe.stinger"), "is not allowed with pipe.stinger");
  if (pipe->line.yield_moment_nm > 0)
    report(c, angle.text, "is not allowed with a pipe.yield_moment_nm above 0");
}

// Whether pipe of a section can come to the hang-off: in the tally, or in the mesh where pipe is recovered.
static int is_section_there(const struct check *c, int number) {
  const struct pipe_def *pipe = &c->draft->out.sim.pipe;
  for (int k = 0; k < pipe->tally.part_count; k++)
    if (config_section_number(c->draft, c->draft->tally[k].section) == number)
      return 1;
  if (!given(c, "pipe.mesh"))
    return number == 0;
  return config_section_number(c->draft, c->draft->mesh[pipe->mesh_segment_count - 1].section) == number;
}

static int section_of(const struct check *c, int i) {
  const char *name = c->draft->operations[i].section;
  const int number = config_section_number(c->draft, name);
  return number > 0 || strcmp(name, "pipe") != 0 ? number : 0;
}

static void check_section_end(const struct check *c, int i) {
  const int number = section_of(c, i);
  const struct key_path path = key_of(i, "until_section");
  if (number < 0 || !*c->draft->operations[i].section)
    report(c, path.text, "the name of one of pipe.sections, or pipe, expected");
  else if (is_tally_readable(c) && is_mesh_readable(c) && !is_section_there(c, number))
    report(c, path.text,
           "a section of pipe.tally, or of the uppermost part of pipe.mesh, expected: no other "
           "comes to the hang-off");
}

static void check_end(const struct check *c, int i) {
  const struct operation_draft *draft = &c->draft->operations[i];
  const enum operation_order mode = draft->def.order;
  const enum operation_end end = end_of(c, i);
  const struct key_path item = key_path("%s.%d", LIST, i);
  int ends = 0;
  for (int k = 0; k < UNTIL_COUNT; k++) {
    const int is_there = has(c, i, UNTIL[k]);
    if (is_there && ends > 0)
      report(c, key_of(i, UNTIL[k]).text, "is not allowed with another end of the same operation");
    if (is_there && mode == OPERATION_MOVE)
      report(c, key_of(i, UNTIL[k]).text, "is not allowed in the mode move, which ends with its last move");
    ends += is_there;
  }
  if (ends == 0 && mode != OPERATION_MOVE && !has(c, i, "turn_deg") &&
      i + 1 < c->draft->out.sim.pipe.operations.count)
    report(c, item.text,
           "needs an end, such as until_s or until_paid_out_m: only the last operation has none");
  if (mode == OPERATION_BRAKE && (end == OPERATION_PAID_OUT || end == OPERATION_SECTION))
    report(c, key_of(i, UNTIL[end - 1]).text, "is not allowed in the mode brake: no pipe comes out");
  if (end == OPERATION_SECTION)
    check_section_end(c, i);
  if (end == OPERATION_WAY && !given(c, "controller.dp_file"))
    report(c, key_of(i, "until_distance_m").text, "needs a route in controller.dp_file");
  if (end == OPERATION_TIME && draft->def.limit_s > 0 && draft->until_s > draft->def.limit_s)
    report(c, key_of(i, "limit_s").text, "at least until_s, %s s, expected",
           number_text(draft->until_s).text);
}

// Length paid out at the end of an operation, from that at its beginning; NaN: unknown. What the list of
// pipe.tally does not hold, and what lies on the other side, cannot be reached.
static double check_length(const struct check *c, int i, double paid_m, const struct top_part *top) {
  const struct operation_draft *draft = &c->draft->operations[i];
  const struct operation *op = &draft->def;
  const double most = tally_length(c), speed = op->speed_mps;
  const double least = least_payout(top);
  const int is_move = op->order == OPERATION_MOVE;
  if (op->order == OPERATION_BRAKE)
    return paid_m;
  if (!is_move && end_of(c, i) != OPERATION_PAID_OUT)
    return (double)NAN;
  const double to =
      is_move ? paid_m + (op->moves > 0 ? op->moves : 1) * op->length_m : draft->until_paid_out_m;
  const struct key_path path = key_of(i, is_move ? "length_m" : "until_paid_out_m");
  if (to > most)
    report(c, path.text, "a length paid out of at most %s m, that of pipe.tally, expected",
           number_text(most).text);
  if (to <= least)
    report(c, path.text,
           "a length paid out of more than %s m expected: the part of the mesh at the hang-off, whose "
           "elements are %s m long, keeps at least two",
           number_text(least).text, number_text(top->element_m).text);
  if (op->order == OPERATION_SPEED && (to - paid_m) * speed <= 0)
    report(c, path.text, "a length %s %s m, which is paid out as the operation begins, expected",
           speed > 0 ? "above" : "below", number_text(paid_m).text);
  return to;
}

static int are_operations_readable(const struct check *c) {
  for (int i = 0; i < c->draft->out.sim.pipe.operations.count; i++)
    if (!is_item_readable(c, LIST, i))
      return 0;
  return is_given_well(c, LIST);
}

static void check_operations(const struct check *c) {
  const int count = c->draft->out.sim.pipe.operations.count;
  double paid_m = 0;
  if (!given(c, LIST))
    return;
  if (!given(c, "pipe.tensioner"))
    report(c, LIST, "needs pipe.tensioner");
  if (given(c, "pipe.tensioner.orders"))
    report(c, "pipe.tensioner.orders", "is not allowed with pipe.operations");
  if (count < 1)
    report(c, LIST, "at least one operation expected");
  if (!are_operations_readable(c))
    return;
  const int measured = is_mesh_readable(c) && is_tally_readable(c) && is_readable(c, "simulation.step_s") &&
                       is_given_well(c, "pipe.tensioner.motor_n") &&
                       is_given_well(c, "pipe.tensioner.grip_n") &&
                       is_readable(c, "pipe.tensioner.dead_band_n");
  for (int i = 0; i < count; i++) {
    check_unique(c, LIST, i, c->draft->operations[0].def.name, sizeof *c->draft->operations);
    check_mode(c, i);
    check_turn(c, i);
    check_end(c, i);
    if (measured) {
      const struct top_part top = top_part_of(c);
      check_order(c, i, &top);
      paid_m = check_length(c, i, paid_m, &top);
    }
  }
}

static void resolve_operations(const struct check *c, struct config *out) {
  struct pipe_def *pipe = &out->sim.pipe;
  double longest_m = 0;
  for (int i = 0; i < pipe->operations.count; i++) {
    const struct operation_draft *draft = &c->draft->operations[i];
    const double ends[] = {0, draft->until_s,         draft->until_paid_out_m,
                           0, draft->until_tension_n, draft->until_distance_m};
    struct operation *op = &pipe->operations.operation[i];
    *op = draft->def;
    op->moves = op->order == OPERATION_MOVE && op->moves == 0 ? 1 : op->moves;
    op->turns = has(c, i, "turn_deg");
    op->end = end_of(c, i);
    op->end_value = ends[op->end];
    if (op->end == OPERATION_WAY && op->end_value > longest_m) {
      longest_m = op->end_value;
      keep_place(c, key_of(i, "until_distance_m").text, out->way_at);
    }
    op->end_type = op->end == OPERATION_SECTION ? section_of(c, i) : 0;
  }
  if (pipe->operations.count > 0) { // the first of them gives its order at once
    pipe->tensioner.order_count = 1;
    pipe->tensioner.order[0] = (struct tensioner_order){.mode = TENSIONER_BRAKE};
  }
}

static const struct key_rows ROWS = KEY_ROWS(KEYS);
static const struct key_group GROUPS[] = {{.rows = &ROWS, .prefix = ""}};
const struct config_section OPERATIONS_SECTION = {GROUPS, 1, check_operations, resolve_operations, NULL};
