// Commands: their checks, and the latch that holds the newest and changes over between controllers.
#include "sagbend/signals/signals.h"

#include "sagbend/base/base.h"
#include "sagbend/math/math.h"

#include <math.h>
#include <string.h>

const char *command_state_name(enum command_state state) {
  static const char *const names[] = {"none", "standby", "live", "old", "lost"};
  return (unsigned)state < COMMAND_STATE_COUNT ? names[state] : "unknown";
}

void command_latch_init(struct command_latch *latch, const struct command_def *def) {
  memset(latch, 0, sizeof *latch);
  latch->state = COMMAND_NONE;
  latch->hold_share = 1;
  latch->changeover.share = 1;
  memcpy(latch->applied_b, def->initial_holding_force_b, sizeof latch->applied_b);
  memcpy(latch->setpoint, def->hold_setpoint, sizeof latch->setpoint);
}

// Index of a thruster by its name, -1 if the vessel has none of that name.
static int find_thruster(const struct command_def *def, const char *name) {
  int i = 0;
  while (i < def->thruster_count && strcmp(def->thruster[i].name, name) != 0)
    i++;
  return i < def->thruster_count ? i : -1;
}

static enum status check_thruster(const struct command_def *def, const struct thruster_command *thruster,
                                  struct reason *why) {
  int at = find_thruster(def, thruster->name);
  if (at < 0)
    return fail(why, STATUS_BAD_INPUT,
                "thruster: the name of one of the vessel's thrusters expected, got '%s'", thruster->name);

  const struct thruster_rule *rule = &def->thruster[at];
  if (rule->revolutions_max_rpm > 0 && !(fabs(thruster->revolutions_rpm) <= rule->revolutions_max_rpm))
    return fail(why, STATUS_BAD_INPUT, "thruster %s: at most %s rpm expected, got %s", thruster->name,
                number_text(rule->revolutions_max_rpm).text, number_text(thruster->revolutions_rpm).text);

  if (!(rule->revolutions_max_rpm > 0) && !(fabs(thruster->pitch) <= 1))
    return fail(why, STATUS_BAD_INPUT, "thruster %s: a pitch of -1 to 1 expected, got %s%s", thruster->name,
                number_text(thruster->pitch).text,
                fabs(thruster->pitch) > 2 ? ": is it a share, not per cent?" : "");

  // Without a rudder any azimuth is good, but an angle of many turns would lose digits.
  double most = rule->rudder_max_rad < 0 ? 100 : rule->rudder_max_rad;
  if (!(fabs(thruster->azimuth_rad) <= most))
    return fail(why, STATUS_BAD_INPUT, "thruster %s: an angle of at most %s rad expected, got %s%s",
                thruster->name, number_text(most).text, number_text(thruster->azimuth_rad).text,
                fabs(thruster->azimuth_rad) > 2 * most || most >= 100 ? ": is it in rad, not in degrees?"
                                                                      : "");

  return STATUS_OK;
}

static const char *const WRENCH_NAMES[] = {"surge_n", "sway_n", "heave_n", "roll_nm", "pitch_nm", "yaw_nm"};

static enum status check_wrench(const struct command_def *def, const struct command *command,
                                struct reason *why) {
  const double other_unit = 100; // a component so many times its limit is in another unit
  const char *allows = "the vessel has thrusters (network.accept_wrench allows more)";
  if (def->thrusters_only && command->thruster_count == 0)
    return fail(why, STATUS_BAD_INPUT, "thruster commands expected, got a wrench: %s", allows);

  for (int i = 0; i < 6; i++) {
    double asked = fabs(command->wrench_b[i]),
           most = HAND_OVER_HOLDING_FORCES * fabs(def->initial_holding_force_b[i]);
    if (def->thrusters_only && !(asked <= most))
      return fail(why, STATUS_BAD_INPUT, "extra_wrench.%s: at most %s expected, got %s: %s", WRENCH_NAMES[i],
                  number_text(most).text, number_text(command->wrench_b[i]).text, allows);
    if (def->wrench_limit[i] > 0 && !(asked <= def->wrench_limit[i]))
      return fail(why, STATUS_BAD_INPUT, "wrench.%s: at most %s expected, got %s%s%s", WRENCH_NAMES[i],
                  number_text(def->wrench_limit[i]).text, number_text(command->wrench_b[i]).text,
                  asked >= other_unit * def->wrench_limit[i] ? ": is it in " : "",
                  asked < other_unit * def->wrench_limit[i] ? ""
                  : i < 3                                   ? "N?"
                                                            : "N m?");
  }

  return STATUS_OK;
}

enum status command_check(const struct command_def *def, const struct command *command, struct reason *why) {
  if (tensioner_setpoint_check(&def->tensioner, TENSIONER_BY_CONTROLLER, &command->tensioner, why) !=
      STATUS_OK)
    return STATUS_BAD_INPUT;
  for (int i = 0; i < command->stops.count; i++)
    if (find_thruster(def, command->stops.name[i]) < 0)
      return fail(why, STATUS_BAD_INPUT,
                  "emergency_stop: the name of one of the vessel's thrusters expected, got %s",
                  command->stops.name[i]);
  if (command->standby)
    return STATUS_OK;
  if (check_wrench(def, command, why) != STATUS_OK)
    return STATUS_BAD_INPUT;
  for (int i = 0; i < command->thruster_count; i++)
    if (check_thruster(def, &command->thrusters[i], why) != STATUS_OK)
      return STATUS_BAD_INPUT;
  return STATUS_OK;
}

// Whether the initial holding force acts because no controller commands anything.
static int is_holding(const struct command_latch *latch) {
  return !latch->has_command || latch->last.standby;
}

// Takes over the set-points of the last command.
static void take_setpoints(struct command_latch *latch, const struct command_def *def, uint64_t step) {
  for (int k = 0; k < latch->last.thruster_count; k++) {
    const struct thruster_command *command = &latch->last.thrusters[k];
    int at = find_thruster(def, command->name);
    if (at < 0)
      continue; // command_check has refused it
    latch->setpoint[at] = (struct thruster_setpoint){command->enable, command->revolutions_rpm,
                                                     command->pitch, command->azimuth_rad};
    latch->set_at_step[at] = step;
  }
}

static int has_stopped(const struct command_latch *latch, const struct command_def *def, int thruster,
                       uint64_t step) {
  return def->thruster[thruster].stops_on_timeout &&
         step - latch->set_at_step[thruster] > def->thruster[thruster].timeout_steps;
}

// Set-points of thrusters that no command has named: the initial holding force's, or zero thrust after the
// time-out.
static void set_thrusters(struct command_latch *latch, const struct command_def *def, uint64_t step) {
  for (int i = 0; i < def->thruster_count; i++)
    if (is_holding(latch)) {
      latch->setpoint[i] = def->hold_setpoint[i];
      latch->set_at_step[i] = step;
    } else if (has_stopped(latch, def, i, step)) {
      latch->setpoint[i].revolutions_rpm = latch->setpoint[i].pitch = 0;
    }
}

// Between two controllers set-points keep their share of the thrust, but for drives that time out themselves.
static void bridge_thrusters(struct command_latch *latch, const struct command_def *def, uint64_t step) {
  const struct changeover *c = &latch->changeover;
  if (!c->since || is_holding(latch))
    return;
  for (int i = 0; i < def->thruster_count; i++) {
    if (has_stopped(latch, def, i, step))
      continue;
    latch->setpoint[i].revolutions_rpm = c->share * c->from[i].revolutions_rpm;
    latch->setpoint[i].pitch = c->share * c->from[i].pitch;
  }
}

// Under thruster commands the initial holding force, which the thrusters cannot produce, fades out;
// afterwards it fades back in.
static void release_hold(struct command_latch *latch, const struct command_def *def) {
  int thrusters_command = !is_holding(latch) && latch->last.thruster_count > 0;
  double change = def->hold_release_steps > 0 ? 1 / (double)def->hold_release_steps : 1;
  double share = latch->hold_share + (thrusters_command ? -change : change);
  latch->hold_share = share < 0 ? 0 : share > 1 ? 1 : share;
}

static enum command_state state_at(const struct command_latch *latch, const struct command_def *def,
                                   uint64_t step) {
  if (!latch->has_command)
    return COMMAND_NONE;
  uint64_t age = step - latch->latched_at_step;
  if (age > def->timeout_steps)
    return COMMAND_LOST;
  if (latch->last.standby)
    return COMMAND_STANDBY;
  return age < def->period_steps ? COMMAND_LIVE : COMMAND_OLD;
}

// Whether the last command acts, with the share that a changeover leaves of it.
static int acts(const struct command_latch *latch, const struct command_def *def) {
  const int is_current = latch->state == COMMAND_LIVE || latch->state == COMMAND_OLD;
  const int is_kept =
      latch->state == COMMAND_LOST && (latch->changeover.since || def->reaction == REACTION_HOLD_LAST);
  return (is_current || is_kept) && !latch->last.standby;
}

double command_latch_share(const struct command_latch *latch, const struct command_def *def) {
  return acts(latch, def) ? latch->changeover.share : 0;
}

// The wrench of this step. A lost controller that was on standby leaves no wrench to hold, so the initial
// holding force acts; one that commanded thrusters leaves the share of the initial holding force that still
// acts.
static void set_wrench(struct command_latch *latch, const struct command_def *def) {
  const int is_commanded = acts(latch, def);
  const int is_zero =
      latch->state == COMMAND_LOST && !latch->changeover.since && def->reaction == REACTION_ZERO;
  const int has_hold = !is_zero && (!is_commanded || latch->last.thruster_count > 0);
  const double share = latch->changeover.share;

  for (int i = 0; i < 6; i++) {
    latch->applied_b[i] = has_hold ? latch->hold_share * def->initial_holding_force_b[i] : 0;
    if (is_commanded)
      latch->applied_b[i] =
          has_hold ? latch->applied_b[i] + share * latch->last.wrench_b[i] : share * latch->last.wrench_b[i];
  }
}

// ------------------------------------------------------------
// Changeovers.

const char *changeover_cause_name(uint64_t cause) {
  static const char *const names[] = {
#define X(id, word) word,
      CHANGEOVER_CAUSE_TABLE(X)
#undef X
  };
  return cause < CHANGEOVER_CAUSE_COUNT ? names[cause] : "unknown";
}

uint64_t controllers_seat(const struct controllers_def *all, const char *name) {
  for (int i = 0; i < all->count; i++)
    if (strcmp(all->item[i].name, name) == 0)
      return (uint64_t)i + 1;
  return 0;
}

const char *controller_side_name(enum controller_side side) {
  return side == SIDE_BACKUP ? "backup" : "main";
}

uint64_t controllers_backup(const struct controllers_def *all) {
  for (int i = 0; i < all->count && i < MAX_CONTROLLERS; i++)
    if (all->item[i].side == SIDE_BACKUP)
      return (uint64_t)i + 1;
  return 0;
}

enum controller_side controllers_side(const struct controllers_def *all, uint64_t seat) {
  return seat >= 1 && seat <= (uint64_t)all->count ? all->item[seat - 1].side : SIDE_MAIN;
}

enum controller_side changeover_side(const struct controllers_def *all, const struct changeover *c) {
  return controllers_side(all, c->given_to ? c->given_to : c->seat);
}

// Nobody commands from this step on.
static void begin_changeover(struct command_latch *latch, enum changeover_cause cause, uint64_t given_to,
                             uint64_t step) {
  struct changeover *c = &latch->changeover;
  c->cause = cause;
  c->given_to = given_to;
  if (c->since)
    return;
  c->since = step + 1;
  memcpy(c->from, latch->setpoint, sizeof c->from);
}

// Before the first command there is nothing to bridge.
static void give(struct command_latch *latch, const struct controllers_def *all, uint64_t seat, uint64_t term,
                 uint64_t step) {
  struct changeover *c = &latch->changeover;
  if (!all->count || !seat || term <= c->term)
    return;
  if (seat == c->seat && !c->since) // it is in command: nothing of it is late
    return;
  const enum changeover_cause cause =
      controllers_side(all, seat) == changeover_side(all, c) ? CHANGEOVER_ORDER : CHANGEOVER_SWITCH;
  c->term = term;
  if (latch->has_command)
    begin_changeover(latch, cause, seat, step);
  else
    c->given_to = seat;
}

void command_latch_give(struct command_latch *latch, const struct command_def *def, uint64_t seat,
                        uint64_t order, uint64_t step) {
  give(latch, &def->controllers, seat, order * CHANGEOVER_TERMS, step);
}

// Its term is above all that the gate may have begun meanwhile, so that the gate sees it.
void command_latch_give_by_event(struct command_latch *latch, const struct command_def *def, uint64_t seat,
                                 uint64_t step) {
  const uint64_t term = latch->changeover.term;
  give(latch, &def->controllers, seat, (term / CHANGEOVER_EVENT_TERMS + 1) * CHANGEOVER_EVENT_TERMS, step);
}

// Another controller commands, or the same one again.
// Counted from the last command of the one before: until its loss is noticed nobody commands either.
static void end_changeover(struct command_latch *latch, const struct command *newest, uint64_t step) {
  struct changeover *c = &latch->changeover;
  if (c->seat && c->seat != newest->seat) {
    c->count++;
    c->cause = newest->cause != CHANGEOVER_NONE ? newest->cause : c->cause; // none after a resume
    c->gap_steps = step - latch->latched_at_step;
  }
  c->since = c->given_to = 0;
  c->seat = newest->seat;
  c->term = newest->term;
}

int command_latch_is_late(const struct command_latch *latch, const struct command_def *def,
                          const struct command *command) {
  return def->controllers.count > 0 && command->term < latch->changeover.term;
}

// The command that the latch takes; NULL: it is late.
static const struct command *take_in_term(struct command_latch *latch, const struct command_def *def,
                                          const struct command *newest, uint64_t step) {
  if (!newest || !def->controllers.count)
    return newest;
  if (command_latch_is_late(latch, def, newest)) {
    latch->changeover.late++;
    return NULL;
  }
  end_changeover(latch, newest, step);
  return newest;
}

static double share_at(const struct changeover *c, const struct controllers_def *def, uint64_t step) {
  if (!c->since || step + 1 < c->since || def->hold == CHANGEOVER_HOLD)
    return 1;
  const double left = 1 - (double)(step + 1 - c->since) / (double)def->ramp_steps;
  return def->hold == CHANGEOVER_ZERO || left < 0 ? 0 : left;
}

// After the command of this step: a hand-over or a loss begins a changeover.
static void follow_changeover(struct command_latch *latch, const struct command_def *def,
                              const struct command *newest, uint64_t step) {
  struct changeover *c = &latch->changeover;
  if (!def->controllers.count)
    return;
  c->share = share_at(c, &def->controllers, step);
  if (newest && newest->hands_to) {
    begin_changeover(latch, CHANGEOVER_MESSAGE, newest->hands_to, step + 1);
  } else if (latch->state == COMMAND_LOST && !c->since) {
    begin_changeover(latch, CHANGEOVER_LOSS, 0, step);
    c->share = share_at(c, &def->controllers, step);
  }
}

void command_latch_step(struct command_latch *latch, const struct command_def *def,
                        const struct command *newest, uint64_t step) {
  newest = take_in_term(latch, def, newest, step);
  if (newest) {
    latch->last = *newest;
    latch->latched_at_step = step;
    latch->has_command = 1;
    if (!newest->standby)
      take_setpoints(latch, def, step);
  }

  enum command_state state = state_at(latch, def, step);
  if (state == COMMAND_LOST && latch->state != COMMAND_LOST)
    latch->lost_count++;

  latch->state = state;

  follow_changeover(latch, def, newest, step);
  set_thrusters(latch, def, step);
  bridge_thrusters(latch, def, step);
  release_hold(latch, def);
  set_wrench(latch, def);
}

// Validity of a command or latch from a file.
static int setpoint_is_valid(const struct thruster_setpoint *setpoint, struct reason *why) {
  return valid_flag(setpoint->enable, "enable", why) &&
         valid_finite(&setpoint->revolutions_rpm, 1, "revolutions_rpm", why) &&
         valid_finite(&setpoint->pitch, 1, "pitch", why) &&
         valid_finite(&setpoint->azimuth_rad, 1, "azimuth_rad", why);
}

static int thruster_command_is_valid(const struct thruster_command *thruster, struct reason *why) {
  const struct thruster_setpoint setpoint = {thruster->enable, thruster->revolutions_rpm, thruster->pitch,
                                             thruster->azimuth_rad};
  return valid_text(thruster->name, sizeof thruster->name, "name", why) && setpoint_is_valid(&setpoint, why);
}

static int consequence_report_is_valid(const struct consequence_report *r, struct reason *why) {
  return valid_flag(r->given, "given", why) && valid_flag(r->known, "known", why) &&
         valid_flag(r->alarm, "alarm", why) && valid_range(r->margin, 0, 1e9, "margin", why) &&
         valid_text(r->failure, sizeof r->failure, "failure", why);
}

static int changeover_is_valid(const struct command_def *def, const struct changeover *c, uint64_t step,
                               struct reason *why) {
  const uint64_t most = (uint64_t)def->controllers.count;
  for (int i = 0; i < MAX_THRUSTERS; i++)
    if (!setpoint_is_valid(&c->from[i], why))
      return valid_fail_in(why, "from[%d].", i);
  return valid_whole(c->seat, 0, most, "seat", why) && valid_whole(c->given_to, 0, most, "given_to", why) &&
         valid_whole(c->term, 0, most ? UINT64_MAX : 0, "term", why) &&
         valid_whole(c->since, 0, most ? step + 2 : 0, "since", why) &&
         valid_whole(c->cause, 0, CHANGEOVER_CAUSE_COUNT - 1, "cause", why) &&
         valid_whole(c->count, 0, step + 1, "count", why) && valid_whole(c->late, 0, step + 1, "late", why) &&
         valid_whole(c->gap_steps, 0, step + 1, "gap_steps", why) &&
         valid_range(c->share, 0, 1, "share", why);
}

static int stamp_is_valid(const struct command_def *def, const struct command *command, struct reason *why) {
  const uint64_t most = (uint64_t)def->controllers.count;
  return valid_whole(command->seat, 0, most, "seat", why) &&
         valid_whole(command->term, 0, most ? UINT64_MAX : 0, "term", why) &&
         valid_whole(command->cause, 0, CHANGEOVER_CAUSE_COUNT - 1, "cause", why) &&
         valid_whole(command->hands_to, 0, most, "hands_to", why) &&
         valid_whole(command->standbys_ready, 0, most, "standbys_ready", why) &&
         valid_whole(command->standbys_following, 0, command->standbys_ready, "standbys_following", why);
}

static int is_well_formed(const struct command *command, struct reason *why) {
  if (!valid_flag(command->standby, "standby", why) || !valid_finite(command->wrench_b, 6, "wrench_b", why) ||
      !valid_index(command->thruster_count, 0, MAX_THRUSTERS, "thruster_count", why))
    return 0;
  for (int i = 0; i < command->thruster_count; i++)
    if (!thruster_command_is_valid(&command->thrusters[i], why))
      return valid_fail_in(why, "thrusters[%d].", i);
  if (!valid_index(command->stops.count, 0, MAX_THRUSTERS, "stops", why))
    return 0;
  for (int i = 0; i < command->stops.count; i++)
    if (!valid_text(command->stops.name[i], SIGNAL_NAME, "name", why))
      return valid_fail_in(why, "stops[%d].", i);
  if (!consequence_report_is_valid(&command->consequence, why))
    return valid_fail_in(why, "consequence.");
  return tensioner_setpoint_is_valid(&command->tensioner, why);
}

int command_is_valid(const struct command_def *def, const struct command *command, struct reason *why) {
  return is_well_formed(command, why) && stamp_is_valid(def, command, why) &&
         command_check(def, command, why) == STATUS_OK;
}

int command_latch_is_valid(const struct command_def *def, const struct command_latch *latch, uint64_t step,
                           struct reason *why) {
  // Before the first command, last need not pass command_check.
  if (!is_well_formed(&latch->last, why) || (latch->has_command && !command_is_valid(def, &latch->last, why)))
    return valid_fail_in(why, "last.");

  for (int i = 0; i < MAX_THRUSTERS; i++)
    if (!setpoint_is_valid(&latch->setpoint[i], why) ||
        !valid_whole(latch->set_at_step[i], 0, step, "set_at_step", why))
      return valid_fail_in(why, "setpoint[%d].", i);
  if (!changeover_is_valid(def, &latch->changeover, step, why))
    return valid_fail_in(why, "changeover.");

  return valid_whole(latch->latched_at_step, 0, step, "latched_at_step", why) &&
         valid_index((int64_t)latch->state, 0, COMMAND_STATE_COUNT - 1, "state", why) &&
         valid_flag(latch->has_command, "has_command", why) &&
         valid_whole(latch->lost_count, 0, step + 1, "lost_count", why) &&
         valid_finite(latch->applied_b, 6, "applied_b", why) &&
         valid_range(latch->hold_share, 0, 1, "hold_share", why);
}

// ------------------------------------------------------------
void pid_to_body(const double euler_rad[3], const double f[6], double wrench_b[6]) {
  mat3 attitude = quat_matrix(quat_of_euler(euler_rad));
  mat3 rates = euler_rate_matrix(euler_rad);
  vec3_to(mat3_tmul(&attitude, vec3_of(f)), wrench_b);
  vec3_to(mat3_tmul(&rates, vec3_of(f + 3)), wrench_b + 3);
}

void pid_wrench(const struct pid_def *def, const double error[6], const double error_rate[6],
                const double integral[6], const double euler_rad[3], double wrench_b[6]) {
  double f[6];
  for (int i = 0; i < 6; i++)
    f[i] = -(def->kp[i] * error[i] + def->kd[i] * error_rate[i] + def->ki[i] * integral[i]);
  pid_to_body(euler_rad, f, wrench_b);
}

const char *network_group_name(int group) {
  static const char *const names[] = {
#define X(name) #name,
      NETWORK_GROUP_TABLE(X)
#undef X
  };
  return (unsigned)group < NETWORK_GROUP_COUNT ? names[group] : NULL;
}
