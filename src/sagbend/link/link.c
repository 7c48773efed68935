// Loss, jitter, duplicates and reordering of commands; the energy of the link.
#include "sagbend/link/link.h"

#include "sagbend/base/base.h"
#include "sagbend/math/math.h"

#include <math.h>
#include <string.h>

void link_begin(struct link *l, uint64_t seed) {
  l->random = random_stream_of(random_seed(seed, "link"));
}

static int draw_fault(struct link *l, const struct fault_set *faults, enum fault_kind kind) {
  const struct fault *f = fault_find(faults, kind, -1);
  return f && random_uniform(&l->random) < f->value[0];
}

static int enqueue(struct link *l, const struct command *command, uint64_t due_step) {
  if (l->count == LINK_QUEUE) {
    l->counts.lost++;
    return 0;
  }
  l->queue[l->count++] = (struct link_item){.due_step = due_step, .command = *command};
  return 1;
}

static void send_command(struct link *l, const struct fault_set *faults, uint64_t step, double step_s,
                         const struct command *sent) {
  uint64_t waiting = l->count, due_step = step;
  const struct fault *jitter = fault_find(faults, FAULT_JITTER, -1);
  if (draw_fault(l, faults, FAULT_LOSS)) {
    l->counts.lost++;
    return;
  }
  if (jitter)
    due_step += (uint64_t)(random_uniform(&l->random) * (jitter->value[0] / step_s + 1));
  if (draw_fault(l, faults, FAULT_REORDER))
    l->counts.reordered += (uint64_t)enqueue(l, sent, UINT64_MAX);
  else if (enqueue(l, sent, due_step))
    l->counts.delayed += due_step > step;
  if (draw_fault(l, faults, FAULT_DUPLICATE))
    l->counts.duplicated += (uint64_t)enqueue(l, sent, UINT64_MAX);
  for (uint64_t i = 0; i < waiting; i++) // their next command is this one
    if (l->queue[i].due_step == UINT64_MAX)
      l->queue[i].due_step = due_step + 1;
}

int link_transfer(struct link *l, const struct fault_set *faults, uint64_t step, double step_s,
                  const struct command *sent, struct command *delivered) {
  if (sent)
    send_command(l, faults, step, step_s, sent);
  uint64_t newest = 0, kept = 0;
  int any = 0;
  for (uint64_t i = 0; i < l->count; i++) {
    const struct link_item *item = &l->queue[i];
    if (item->due_step > step) {
      if (kept != i)
        l->queue[kept] = *item;
      kept++;
    } else if (!any || item->due_step >= newest) { // the last one to arrive counts
      newest = item->due_step;
      *delivered = item->command;
      any = 1;
    }
  }
  memset(&l->queue[kept], 0, (size_t)(l->count - kept) * sizeof *l->queue); // equal states have equal bytes
  l->count = kept;
  return any;
}

int link_loses_sensors(struct link *l, const struct fault_set *faults) {
  int lost = draw_fault(l, faults, FAULT_SENSORS_LOSS);
  l->counts.sensors_lost += (uint64_t)lost;
  return lost;
}

double link_clock_offset_s(const struct fault_set *faults) {
  double offset_s = 0;
  for (int i = 0; i < faults->count; i++)
    if (faults->fault[i].kind == FAULT_CLOCK_JUMP)
      offset_s += faults->fault[i].value[0];
  return offset_s;
}

// ------------------------------------------------------------
static const int COMPONENT[LINK_AXES] = {[LINK_SURGE] = 0, [LINK_SWAY] = 1, [LINK_YAW] = 5};

void link_energy_begin(struct link_energy *e, const struct sim_output *now) {
  e->step = now->step;
  memcpy(e->velocity_b, now->velocity_b, sizeof e->velocity_b);
}

static struct link_sample *energy_sample_at(struct link_energy *e, const struct command_def *def,
                                            uint64_t step) {
  return &e->sample[step / def->period_steps % LINK_SAMPLES];
}

static double dot(const double a[6], const double b[6]) {
  double sum = 0;
  for (int i = 0; i < 6; i++)
    sum += a[i] * b[i];
  return sum;
}

// The part of the wrench beside the thrusters that the command asks for; the rest holds the vessel.
static void asked_beside(const struct command_def *def, const struct command_latch *latch,
                         double wrench_b[6]) {
  const double share = command_latch_share(latch, def);
  for (int i = 0; i < 6; i++)
    wrench_b[i] = share > 0 ? share * latch->last.wrench_b[i] : 0;
}

void link_energy_asked(const struct link_energy *e, const struct command_def *def,
                       const struct command_latch *latch, double asked_b[6]) {
  asked_beside(def, latch, asked_b);
  for (int i = 0; i < 6; i++)
    asked_b[i] += e->known_b[i];
}

// Books the law over the way since its newest point, which is constant there.
static void close_law(struct link_energy *e) {
  for (int i = 0; i < 6; i++) {
    e->law_j[i] += e->law_b[i] * e->since_b[i];
    e->since_b[i] = 0;
  }
}

// Books the law up to a new point: along a line from the newest one, or as a constant after a silence.
static void book_line(struct link_energy *e, const struct command_def *def, uint64_t step,
                      const double wrench_b[6]) {
  const uint64_t period = def->period_steps, from = e->law_step / period, to = step / period,
                 newest = e->step / period, oldest = newest < LINK_SAMPLES ? 0 : newest - LINK_SAMPLES + 1;
  const int is_line = step - e->law_step <= def->timeout_steps && from >= oldest;
  double moment_b[6] = {0}, after_b[6] = {0}; // about the newest point, in steps; way after the new one
  for (uint64_t s = is_line ? from : to; s <= newest; s++) {
    const struct link_sample *sample = &e->sample[s % LINK_SAMPLES];
    for (int i = 0; i < 6; i++)
      if (s < to)
        moment_b[i] += sample->moment_b[i] + (double)((s - from) * period) * sample->way_b[i];
      else
        after_b[i] += sample->way_b[i];
  }
  for (int i = 0; i < 6; i++) {
    double slope = is_line ? (wrench_b[i] - e->law_b[i]) / (double)(step - e->law_step) : 0;
    e->law_j[i] += e->law_b[i] * (e->since_b[i] - after_b[i]) + slope * moment_b[i];
    e->since_b[i] = after_b[i];
  }
}

// Takes over the set-points of a command; what it does not name stays.
static void mean(struct link_energy *e, const struct command_def *def, const struct command *sent) {
  for (int k = 0; k < sent->thruster_count; k++)
    for (int i = 0; i < def->thruster_count; i++)
      if (!strcmp(def->thruster[i].name, sent->thrusters[k].name)) {
        const struct thruster_command *thruster = &sent->thrusters[k];
        struct thruster_setpoint *to = &e->meant[i];
        to->enable = thruster->enable;
        to->revolutions_rpm = thruster->revolutions_rpm;
        to->pitch = thruster->pitch;
        to->azimuth_rad = thruster->azimuth_rad;
      }
}

void link_energy_send(struct link_energy *e, const struct command_def *def, const struct sim *sim,
                      const struct command_latch *latch, const struct command *sent) {
  const uint64_t period = def->period_steps, newest = e->step / period;
  uint64_t answers = sent->based_on_step / period;
  if (sent->standby) { // the law asks for nothing from here on
    close_law(e);
    e->has_law = 0;
    return;
  }

  if (!e->has_law)
    memcpy(e->meant, latch->setpoint, sizeof e->meant);
  mean(e, def, sent);
  double wrench_b[6] = {0};
  if (def->thruster_count > 0)
    sim_static_wrench(sim, e->meant, wrench_b);
  for (int i = 0; i < 6; i++)
    wrench_b[i] += sent->wrench_b[i];

  answers = answers > newest ? newest : answers + LINK_SAMPLES > newest ? answers : newest - LINK_SAMPLES + 1;
  if (!e->has_law)
    e->law_step = answers * period;
  else if (answers * period > e->law_step) {
    book_line(e, def, answers * period, wrench_b);
    e->law_step = answers * period;
  }
  e->has_law = 1;
  memcpy(e->law_b, wrench_b, sizeof e->law_b);
}

// Adds the way of a step to its control sample, and returns it in way_b.
static void book_way(struct link_energy *e, const struct command_def *def, const struct sim_output *now,
                     double step_s, double way_b[6]) {
  const uint64_t in_sample = e->step % def->period_steps;
  struct link_sample *sample = energy_sample_at(e, def, e->step);
  for (int i = 0; i < 6; i++) {
    way_b[i] = 0.5 * step_s * (e->velocity_b[i] + now->velocity_b[i]);
    sample->way_b[i] += way_b[i];
    sample->moment_b[i] += ((double)in_sample + 0.5) * way_b[i];
  }
  for (int a = 0; a < LINK_AXES; a++)
    e->square_b[a] += way_b[COMPONENT[a]] * way_b[COMPONENT[a]] / step_s;
}

static int are_other_setpoints(const struct thruster_setpoint *a, const struct thruster_setpoint *b,
                               int count) {
  for (int i = 0; i < count; i++)
    if (a[i].enable != b[i].enable || a[i].revolutions_rpm != b[i].revolutions_rpm ||
        a[i].pitch != b[i].pitch || a[i].azimuth_rad != b[i].azimuth_rad)
      return 1;
  return 0;
}

void link_energy_step(struct link_energy *e, const struct command_def *def, const struct sim *sim,
                      const struct command_latch *latch, const struct sim_output *now,
                      const struct ledger *ledger, double step_s) {
  double way_b[6], beside_b[6];
  if (now->step == e->step) // a fault is latched
    return;
  book_way(e, def, now, step_s, way_b);
  if (def->thruster_count > 0 && are_other_setpoints(e->known, latch->setpoint, def->thruster_count)) {
    memcpy(e->known, latch->setpoint, sizeof e->known);
    sim_static_wrench(sim, e->known, e->known_b);
  }

  asked_beside(def, latch, beside_b);
  for (int i = 0; i < 6; i++) {
    double hold_n = latch->applied_b[i] - beside_b[i], asked_n = e->known_b[i] + beside_b[i];
    e->asked_j[i] += (hold_n + asked_n) * way_b[i];
    e->law_j[i] += (e->has_law ? hold_n : hold_n + asked_n) * way_b[i];
    e->since_b[i] += e->has_law ? way_b[i] : 0;
    e->velocity_b[i] = now->velocity_b[i];
  }
  e->control_error_j += ledger->work_j[PORT_CONTROL] - dot(latch->applied_b, way_b);
  e->drives_j += ledger->work_j[PORT_THRUSTERS] - dot(e->known_b, way_b);
  e->step = now->step;
  if (e->step % def->period_steps == 0)
    memset(energy_sample_at(e, def, e->step), 0, sizeof e->sample[0]);
}

struct link_work link_energy_work(const struct link_energy *e) {
  struct link_work work = {.drives_j = e->drives_j};
  double asked_j = e->control_error_j, law_j[6];
  for (int i = 0; i < 6; i++) {
    law_j[i] = e->law_j[i] + e->law_b[i] * e->since_b[i];
    work.law_j += law_j[i];
    asked_j += e->asked_j[i];
  }
  work.link_j = asked_j - work.law_j;
  for (int a = 0; a < LINK_AXES; a++) {
    int i = COMPONENT[a];
    work.damping[a] = e->square_b[a] > 0 ? (law_j[i] - e->asked_j[i]) / e->square_b[a] : 0;
  }
  return work;
}

int link_energy_is_valid(const struct link_energy *e, uint64_t step, struct reason *why) {
  const struct link_energy *known = e;
  return valid_whole(known->step, 0, step, "step", why) &&
         valid_whole(known->has_law, 0, 1, "has_law", why) &&
         valid_whole(known->law_step, 0, step, "law_step", why) &&
         valid_finite(known->law_b, 6, "law_b", why) && valid_finite(known->since_b, 6, "since_b", why) &&
         valid_finite(known->law_j, 6, "law_j", why) && valid_finite(known->asked_j, 6, "asked_j", why) &&
         valid_finite(&known->control_error_j, 1, "control_error_j", why) &&
         valid_finite(&known->drives_j, 1, "drives_j", why) &&
         valid_finite(known->square_b, LINK_AXES, "square_b", why) &&
         valid_finite(known->velocity_b, 6, "velocity_b", why) &&
         valid_finite(known->known_b, 6, "known_b", why);
}

// ------------------------------------------------------------
// The step of the thrust at a changeover between redundant controllers.

static struct thrust_step between(const double a[6], const double b[6]) {
  const double surge_n = b[0] - a[0], sway_n = b[1] - a[1];
  return (struct thrust_step){sqrt(surge_n * surge_n + sway_n * sway_n), fabs(b[5] - a[5])};
}

static void keep_larger(struct thrust_step *of, struct thrust_step other) {
  of->force_n = other.force_n > of->force_n ? other.force_n : of->force_n;
  of->moment_nm = other.moment_nm > of->moment_nm ? other.moment_nm : of->moment_nm;
}

static void fade(struct thrust_step *of, double step_s) {
  const double left = step_s < BUMP_FADES_S ? 1 - step_s / BUMP_FADES_S : 0;
  of->force_n *= left;
  of->moment_nm *= left;
}

// A changeover without a step in which nobody commands begins and ends in the same step.
static int belongs_to_changeover(struct bump *bump, const struct command_def *def,
                                 const struct command_latch *latch) {
  const struct changeover *c = &latch->changeover;
  const int is_complete = c->count != bump->count, was_open = bump->is_open != 0;
  if (!was_open && (c->since || is_complete)) {
    bump->usual_then = bump->usual;
    bump->going = (struct thrust_step){0, 0};
    bump->is_complete = 0;
  }
  bump->is_open = c->since != 0;
  bump->count = c->count;
  if (is_complete) {
    bump->is_complete = 1;
    bump->before = bump->usual_then;
  }
  if (was_open || is_complete || bump->is_open)
    bump->left = BUMP_LASTS * def->period_steps + 1;
  return bump->left > 0;
}

void bump_step(struct bump *bump, const struct command_def *def, const struct command_latch *latch,
               const double asked_b[6], double step_s) {
  const int was_asked = bump->has_asked != 0;
  const struct thrust_step step = between(bump->asked_b, asked_b);
  memcpy(bump->asked_b, asked_b, sizeof bump->asked_b);
  bump->has_asked = latch->has_command != 0;
  if (belongs_to_changeover(bump, def, latch)) {
    keep_larger(&bump->going, step);
    if (bump->is_complete)
      bump->newest = bump->going;
    bump->left--;
  } else if (was_asked) {
    fade(&bump->usual, step_s);
    keep_larger(&bump->usual, step);
  }
}

struct thrust_step bump_newest(const struct bump *bump) {
  struct thrust_step out = bump->newest;
  if (bump->left > 0)
    keep_larger(&out, bump->going);
  return out;
}

static int thrust_step_is_valid(const struct thrust_step *of, const char *field, struct reason *why) {
  return (valid_range(of->force_n, 0, 1e30, "force_n", why) &&
          valid_range(of->moment_nm, 0, 1e30, "moment_nm", why)) ||
         valid_fail_in(why, "%s.", field);
}

int bump_is_valid(const struct bump *bump, struct reason *why) {
  return valid_whole(bump->has_asked, 0, 1, "has_asked", why) &&
         valid_whole(bump->is_open, 0, 1, "is_open", why) && valid_finite(bump->asked_b, 6, "asked_b", why) &&
         thrust_step_is_valid(&bump->usual, "usual", why) &&
         thrust_step_is_valid(&bump->before, "before", why) &&
         thrust_step_is_valid(&bump->newest, "newest", why) &&
         valid_whole(bump->left, 0, UINT64_C(1) << 40, "left", why) &&
         valid_whole(bump->is_complete, 0, 1, "is_complete", why) &&
         thrust_step_is_valid(&bump->usual_then, "usual_then", why) &&
         thrust_step_is_valid(&bump->going, "going", why);
}
