// Whether a controller that stands by could command: how its command, its position and its heading differ
// from those of the one in command, what it reports of itself, and whether it computes at all.
#include "net/gate/gate.h"

#include "sagbend/base/base.h"
#include "sagbend/signals/signals.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Comparisons in a row in which its command has stayed the same, and in as many of them the command in use
// has not: in a calm both may rest.
enum { FROZEN_COMPARISONS = 10 };
static const double TURN = 6.283185307179586; // rad
static const double BACK = 0.8;               // of the limits of GATE_APART: within them again

static int thruster_at(const struct command *command, const char *name) {
  for (int i = 0; i < command->thruster_count; i++)
    if (strcmp(command->thrusters[i].name, name) == 0)
      return i;
  return -1;
}

// Thrust of a set-point as a share of the full thrust, along the vessel and across.
static void thrust_share(const struct thruster_rule *rule, const struct thruster_command *t, double out[2]) {
  const double turns =
      rule->revolutions_max_rpm > 0 ? t->revolutions_rpm / rule->revolutions_max_rpm : t->pitch;
  const double share = t->enable ? turns * fabs(turns) : 0;
  out[0] = share * cos(t->azimuth_rad);
  out[1] = share * sin(t->azimuth_rad);
}

static double wrench_difference(const struct gate *gate, const struct command *a, const struct command *b) {
  double size = 0.01 * gate->rules.wrench_limit[0];
  size = fmax(size, fmax(hypot(a->wrench_b[0], a->wrench_b[1]), hypot(b->wrench_b[0], b->wrench_b[1])));
  const double apart = hypot(a->wrench_b[0] - b->wrench_b[0], a->wrench_b[1] - b->wrench_b[1]);
  return size > 0 ? apart / size : 0;
}

static double difference(const struct gate *gate, const struct command *a, const struct command *b) {
  double most = 0;
  if (a->standby || b->standby)
    return a->standby != b->standby;
  if (!a->thruster_count || !b->thruster_count)
    return a->thruster_count == b->thruster_count ? wrench_difference(gate, a, b) : 1;
  for (int i = 0; i < gate->rules.thruster_count; i++) {
    const struct thruster_rule *rule = &gate->rules.thruster[i];
    const int at = thruster_at(a, rule->name), bt = thruster_at(b, rule->name);
    double x[2] = {0, 0}, y[2] = {0, 0};
    if (at >= 0)
      thrust_share(rule, &a->thrusters[at], x);
    if (bt >= 0)
      thrust_share(rule, &b->thrusters[bt], y);
    most = fmax(most, hypot(x[0] - y[0], x[1] - y[1]));
  }
  return most;
}

int gate_is_compared(const struct gate *gate, const struct controller *c) {
  return c->compared_ms && !gate_is_over(gate, c->compared_ms, c->compared_step);
}

void gate_take_report(struct gate *gate, int place, uint64_t based_on_step,
                      const struct dp_alarm_list *alarms, const double *estimate) {
  struct own_report *r = &gate->controller[place].report;
  const struct dp_alarm *worst = NULL;
  *r = (struct own_report){.based_on_step = based_on_step, .has_estimate = estimate != NULL};
  if (estimate)
    memcpy(r->estimate, estimate, sizeof r->estimate);
  r->alarms = dp_alarm_count(alarms);
  for (int i = 0; i < alarms->count; i++) {
    const struct dp_alarm *alarm = &alarms->alarm[i];
    r->no_position |= alarm->kind == ALARM_NO_POSITION && alarm->severity != SEVERITY_MESSAGE;
    r->no_heading |= alarm->kind == ALARM_NO_HEADING && alarm->severity != SEVERITY_MESSAGE;
    if (alarm->severity != SEVERITY_MESSAGE && (!worst || alarm->severity > worst->severity))
      worst = alarm;
  }
  snprintf(r->worst, sizeof r->worst, "%s", worst ? worst->text : "");
}

static uint64_t effort_hash(const struct command *command) {
  uint64_t hash = fnv1a(FNV1A_START, &command->standby, sizeof command->standby);
  hash = fnv1a(hash, command->wrench_b, sizeof command->wrench_b);
  for (int i = 0; i < command->thruster_count; i++) {
    const struct thruster_command *t = &command->thrusters[i];
    hash = fnv1a(hash, t->name, strlen(t->name));
    hash = fnv1a(hash, &t->enable, sizeof t->enable);
    hash = fnv1a(hash, &t->revolutions_rpm, sizeof t->revolutions_rpm);
    hash = fnv1a(hash, &t->pitch, sizeof t->pitch);
    hash = fnv1a(hash, &t->azimuth_rad, sizeof t->azimuth_rad);
  }
  return hash;
}

static void compare_effort(const struct gate *gate, struct controller *c) {
  c->differs = difference(gate, &c->shadow, &gate->newest);
  c->compared_ms = gate_clock_ms(gate);
  c->compared_ms += c->compared_ms == 0;
  c->compared_step = gate->step;
  if (c->differs <= GATE_DIFFERS) {
    c->differs_ms = 0;
    c->differs_reported = 0;
  } else if (!c->differs_ms) {
    c->differs_ms = gate_clock_ms(gate);
    c->differs_ms += c->differs_ms == 0;
    c->differs_step = gate->step;
  }
}

// A command of thrusters or wrench that never changes while that in use does is not computed any more.
static void count_repeats(const struct gate *gate, struct controller *c) {
  const uint64_t own = effort_hash(&c->shadow), in_use = effort_hash(&gate->newest);
  if (own != c->effort)
    c->repeats = c->passed = 0;
  else {
    c->repeats++;
    c->passed += in_use != c->effort_in_use;
  }
  c->effort = own;
  c->effort_in_use = in_use;
}

static void compare_estimates(const struct gate *gate, struct controller *c) {
  const struct own_report *own = &c->report,
                          *other = gate->in_command >= 0 ? &gate->controller[gate->in_command].report : NULL;
  c->is_apart_known = other && own->has_estimate && other->has_estimate &&
                      own->based_on_step == c->shadow.based_on_step &&
                      other->based_on_step == gate->newest.based_on_step;
  if (!c->is_apart_known)
    return;
  const double turn = fabs(remainder(own->estimate[2] - other->estimate[2], TURN));
  c->apart_m = hypot(own->estimate[0] - other->estimate[0], own->estimate[1] - other->estimate[1]);
  c->apart_rad = turn;
}

static uint32_t beyond(uint32_t before, uint32_t flaw, double value, double limit) {
  return value > (before & flaw ? BACK * limit : limit) ? flaw : 0;
}

static void set_flaws(const struct gate *gate, struct controller *c, uint32_t flaws) {
  if (c->flaws_step != gate->step) {
    c->flaws_before = c->shadows > 1 ? c->flaws : flaws; // there was none before its first answer
    c->flaws_step = gate->step;
  }
  c->flaws = flaws;
}

void gate_compare(struct gate *gate, struct controller *c) {
  uint32_t flaws = c->flaws & (FLAW_FROZEN | FLAW_APART | FLAW_TURNED);
  if (!c->shadow_ms)
    return;
  if (gate->counts.accepted && c->shadow.based_on_step == gate->newest.based_on_step) {
    compare_effort(gate, c);
    count_repeats(gate, c);
    compare_estimates(gate, c);
    flaws = 0;
    if (!c->shadow.standby && c->repeats >= FROZEN_COMPARISONS && c->passed >= FROZEN_COMPARISONS)
      flaws |= FLAW_FROZEN;
    if (c->is_apart_known)
      flaws |= beyond(c->flaws, FLAW_APART, c->apart_m, GATE_APART_M) |
               beyond(c->flaws, FLAW_TURNED, c->apart_rad, GATE_APART_RAD);
  }
  const int asks_for_none =
      gate->counts.accepted && gate->newest.standby; // the one in command: all do at first
  flaws |= c->shadow.standby && !asks_for_none ? FLAW_NO_COMMAND : 0;
  flaws |= c->report.no_position ? FLAW_POSITION : 0;
  flaws |= c->report.no_heading ? FLAW_HEADING : 0;
  set_flaws(gate, c, flaws);
}

uint32_t gate_flaws(const struct gate *gate, const struct controller *c) {
  return gate->lockstep && c->flaws_step == gate->step ? c->flaws_before : c->flaws;
}

// Behind what stands there; what is "": nothing.
static void add_reason(char text[FLAW_TEXT], const char *what) {
  const size_t used = strlen(text);
  if (*what)
    snprintf(text + used, FLAW_TEXT - used, "%s%s", used ? "; " : "", what);
}

void gate_flaw_text(const struct gate *gate, const struct controller *c, char text[FLAW_TEXT]) {
  const char *other = gate->rules.controllers.item[gate->seat].name;
  const uint32_t flaws = gate_flaws(gate, c);
  char frozen[96], apart[96], turned[96];
  snprintf(frozen, sizeof frozen, "its command stays the same while that of %s changes", other);
  snprintf(apart, sizeof apart, "its position is %.1f m from that of %s", c->apart_m, other);
  snprintf(turned, sizeof turned, "its heading is %.1f deg from that of %s", c->apart_rad * 360 / TURN,
           other);
  text[0] = 0;
  add_reason(text, flaws & FLAW_NO_COMMAND ? "it would ask for no thrust" : "");
  add_reason(text, flaws & FLAW_POSITION ? "it has no position reference" : "");
  add_reason(text, flaws & FLAW_HEADING ? "it has no heading reference" : "");
  add_reason(text, flaws & FLAW_FROZEN ? frozen : "");
  add_reason(text, flaws & FLAW_APART ? apart : "");
  add_reason(text, flaws & FLAW_TURNED ? turned : "");
}
