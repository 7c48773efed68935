// The section pipe.tensioner: a tensioner whose force follows a law, and its orders.
#include "sagbend/case/case_internal.h"

#include "sagbend/base/base.h"

#include <math.h>

static const struct key_def KEYS[] = {
    {"pipe.tensioner", AS_SECTION, .optional = 1,
     .doc = "Tensioner on the vessel that brakes, holds a tension or moves the pipe at a speed, as ordered. "
            "Absent: the length of the pipe is constant, or follows pipe.payout."},
    {"pipe.tensioner.orders", AS_ITEMS, .size = MAX_TENSIONER_ORDERS, .optional = 1,
     ITEMS_IN(config_draft, out.sim.pipe.tensioner.order, tensioner_order,
              out.sim.pipe.tensioner.order_count),
     .doc = "Orders, one after the other. The first one acts from the start. In their place pipe.operations "
            "can stand."},
    {"pipe.tensioner.orders[].start_s", AS_NUMBER, .range = NOT_NEGATIVE, IN(tensioner_order, start_s),
     .unit = "s", .doc = "Simulated time of the order."},
    {"pipe.tensioner.orders[].mode", AS_WORD, .words = {"brake", "tension", "speed"},
     WORD_IN(tensioner_order, mode),
     .doc =
         "Mode of the tensioner. brake: it holds the pipe, which slips where brake or grip yield. tension: "
         "it pays out and takes back so that the tension stays near tension_n. speed: it moves the pipe at "
         "speed_mps."},
    {"pipe.tensioner.orders[].tension_n", AS_NUMBER, .range = POSITIVE, .optional = 1,
     IN(tensioner_order, tension_n), .unit = "N", .doc = "Set-point of the mode tension."},
    {"pipe.tensioner.orders[].speed_mps", AS_NUMBER, .optional = 1, IN(tensioner_order, speed_mps),
     .unit = "m/s", .doc = "Speed of the tracks in the mode speed; negative: recovery."},
    {"pipe.tensioner.accept", AS_WORD, .fallback = "all", .words = {"all", "controller", "operator", "none"},
     WORD_AT(out.net.tensioner_accept),
     .doc = "Senders that may give orders beside this list. An operator's order goes before a controller's, "
            "and this "
            "before those of the list. none: only the list."},
    {"pipe.tensioner.on_silence", AS_WORD, .fallback = "go_on", .words = {"go_on", "brake"},
     WORD_AT(out.net.tensioner_silence),
     .doc = "Reaction of the tensioner where the controller whose order it follows is silent for "
            "network.command_timeout_s. go_on: it follows the order. brake: it brakes, until a controller "
            "orders "
            "otherwise."},
    {"pipe.tensioner.elements_max", AS_INTEGER, .range = LIMITED, .low = 2, .high = 100000,
     AT(out.sim.pipe.payout.elements_max),
     .doc = "Elements for which there is memory. Where no more are left, the tensioner brakes."},
    {"pipe.tensioner.grip_n", AS_NUMBER, .range = POSITIVE, AT(out.sim.pipe.tensioner.grip_n), .unit = "N",
     .doc = "Force at which the pipe slips through the tracks."},
    {"pipe.tensioner.brake_n", AS_NUMBER, .range = NOT_NEGATIVE, AT(out.sim.pipe.tensioner.brake_n),
     .unit = "N", .doc = "Force that the brake holds."},
    {"pipe.tensioner.motor_n", AS_NUMBER, .range = POSITIVE, AT(out.sim.pipe.tensioner.motor_n), .unit = "N",
     .doc = "Largest force of the motor."},
    {"pipe.tensioner.motor_w", AS_NUMBER, .range = POSITIVE, AT(out.sim.pipe.tensioner.motor_w), .unit = "W",
     .doc = "Largest power of the motor, as it hauls and as it pays out."},
    {"pipe.tensioner.mass_kg", AS_NUMBER, .range = POSITIVE, .fallback = "5e4",
     AT(out.sim.pipe.tensioner.mass_kg), .unit = "kg",
     .doc = "Mass that moves with the pipe: tracks, drive, pipe in the firing line."},
    {"pipe.tensioner.stiffness_npm", AS_NUMBER, .range = POSITIVE, .fallback = "1e8",
     AT(out.sim.pipe.tensioner.stiffness_npm), .unit = "N/m", .doc = "Stiffness of the grip along the pipe."},
    {"pipe.tensioner.damping_nspm", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "1e5",
     AT(out.sim.pipe.tensioner.damping_nspm), .unit = "N s/m",
     .doc = "Damping of the drive in the mode tension."},
    {"pipe.tensioner.dead_band_n", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "2e5",
     AT(out.sim.pipe.tensioner.dead_band_n), .unit = "N",
     .doc = "Mode tension: band of the tension, lowest to highest, within which the pipe is held."},
    {"pipe.tensioner.speed_max_mps", AS_NUMBER, .range = POSITIVE, .fallback = "1",
     AT(out.sim.pipe.tensioner.speed_max_mps), .unit = "m/s",
     .doc = "Largest speed in the mode tension; a steep damper acts beyond it."},
    {"pipe.tensioner.ramp_nps", AS_NUMBER, .range = POSITIVE, .fallback = "1e5",
     AT(out.sim.pipe.tensioner.ramp_nps), .unit = "N/s",
     .doc = "Rate at which the set-point of the tension moves."},
    {"pipe.tensioner.acceleration_mps2", AS_NUMBER, .range = POSITIVE, .fallback = "0.1",
     AT(out.sim.pipe.tensioner.acceleration_mps2), .unit = "m/s2",
     .doc = "Acceleration of the tracks in the mode speed."},
};

static const char *const MODES[TENSIONER_MODE_COUNT] = {"brake", "tension", "speed"};

// A key that one mode needs and no other has.
static int check_mode_key(const struct check *c, int i, const char *key, enum tensioner_mode mode) {
  struct key_path path = key_path("pipe.tensioner.orders.%d.%s", i, key);
  const int needs = c->draft->out.sim.pipe.tensioner.order[i].mode == mode;
  if (needs && !given(c, path.text))
    report(c, path.text, "a value expected: the mode %s needs it", MODES[mode]);
  if (!needs && given(c, path.text))
    report(c, path.text, "needs the mode %s", MODES[mode]);
  return needs && given(c, path.text);
}

void check_tension_order(const struct check *c, const char *path, double tension_n) {
  const struct tensioner_def *t = &c->draft->out.sim.pipe.tensioner;
  const double least = tensioner_least_n(t), most = tensioner_most_n(t);
  if (most < least)
    report(c, "pipe.tensioner.dead_band_n",
           "at most the force of the grip, %s N, and twice that of the motor, %s N, expected",
           number_text(t->grip_n).text, number_text(t->motor_n).text);
  else if (tension_n < least)
    report(c, path, "at least %s N expected: half of the dead band", number_text(least).text);
  else if (tension_n > most)
    report(c, path,
           "at most %s N expected: the force of the motor, or that of the grip less half of the dead band",
           number_text(most).text);
}

void check_speed_order(const struct check *c, const char *path, double speed_mps,
                       const struct top_part *top) {
  double shortest, fastest = fastest_payout(c, top, &shortest);
  if (fabs(speed_mps) > fastest)
    report(c, path, "at most %s m/s out or back expected: the shortest element, %s m, lasts three steps",
           number_text(fastest).text, number_text(shortest).text);
}

static void check_orders(const struct check *c, const struct top_part *top) {
  const struct tensioner_def *t = &c->draft->out.sim.pipe.tensioner;
  if (t->order_count < 1 && !given(c, "pipe.operations"))
    report(c, "pipe.tensioner.orders", "at least one order, or pipe.operations in place of them, expected");
  for (int i = 0; i < t->order_count; i++) {
    struct key_path start = key_path("pipe.tensioner.orders.%d.start_s", i);
    if (i == 0 && t->order[0].start_s != 0)
      report(c, start.text, "0 expected: the first order acts from the start");
    if (i > 0 && !(t->order[i].start_s > t->order[i - 1].start_s))
      report(c, start.text, "a time after %s s, that of the order before, expected",
             number_text(t->order[i - 1].start_s).text);
    if (check_mode_key(c, i, "tension_n", TENSIONER_TENSION))
      check_tension_order(c, key_path("pipe.tensioner.orders.%d.tension_n", i).text, t->order[i].tension_n);
    if (check_mode_key(c, i, "speed_mps", TENSIONER_SPEED))
      check_speed_order(c, key_path("pipe.tensioner.orders.%d.speed_mps", i).text, t->order[i].speed_mps,
                        top);
  }
}

static int is_tensioner_readable(const struct check *c) {
  static const char *const keys[] = {"pipe.tensioner.grip_n", "pipe.tensioner.motor_n",
                                     "pipe.tensioner.elements_max"};
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
    if (!is_given_well(c, keys[k]))
      return 0;
  for (int i = 0; i < c->draft->out.sim.pipe.tensioner.order_count; i++)
    if (!is_item_readable(c, "pipe.tensioner.orders", i))
      return 0;
  return is_readable(c, "pipe.tensioner.orders") && is_readable(c, "pipe.tensioner.dead_band_n") &&
         is_readable(c, "pipe.tensioner.speed_max_mps") && is_readable(c, "simulation.step_s") &&
         is_mesh_readable(c) && is_tally_readable(c);
}

static void check_tensioner(const struct check *c) {
  const struct pipe_def *pipe = &c->draft->out.sim.pipe;
  const int is_held = pipe->hangoff == HANGOFF_PINNED || pipe->hangoff == HANGOFF_CLAMPED;
  if (!given(c, "pipe.tensioner"))
    return;
  if (given(c, "pipe.payout"))
    report(c, "pipe.tensioner", "is not allowed with pipe.payout");
  if (is_given_well(c, "pipe.hangoff.kind") && !is_held)
    report(c, "pipe.tensioner", "needs pipe.hangoff.kind pinned or clamped");
  const enum tensioner_accept accept = c->draft->out.net.tensioner_accept;
  if (is_readable(c, "pipe.tensioner.accept"))
    check_allowed(c, "pipe.tensioner.on_silence",
                  accept == TENSIONER_ACCEPT_ALL || accept == TENSIONER_ACCEPT_CONTROLLER,
                  "needs pipe.tensioner.accept all or controller");
  if (!is_tensioner_readable(c))
    return;
  struct top_part top = top_part_of(c);
  double shortest, fastest = fastest_payout(c, &top, &shortest);
  if (top.equal < 2)
    report(c, "pipe.tensioner", "at least two elements in the uppermost part of pipe.mesh expected");
  if (pipe->payout.elements_max < top.elements)
    report(c, "pipe.tensioner.elements_max", "at least %d, the elements of the mesh, expected", top.elements);
  if (pipe->tensioner.speed_max_mps > fastest)
    report(c, "pipe.tensioner.speed_max_mps",
           "at most %s m/s expected: the shortest element, %s m, lasts three steps",
           number_text(fastest).text, number_text(shortest).text);
  check_orders(c, &top);
}

static const struct key_rows ROWS = KEY_ROWS(KEYS);
static const struct key_group GROUPS[] = {{.rows = &ROWS, .prefix = ""}};
const struct config_section TENSIONER_SECTION = {GROUPS, 1, check_tensioner, NULL, NULL};
