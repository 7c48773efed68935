// Failures of several pieces of equipment: common causes, and hidden failures with a second one.
#include "lab/failures/failures.h"

#include "sagbend/base/base.h"

#include <math.h>
#include <string.h>

// Appends an event to the list of a failure.
void failures_add_event(struct failure *f, const char *name, double at_s, double duration_s,
                        const char *fault, const char *target, const char *parameters) {
  size_t used = strlen(f->events);
  int is_first = used == 0;
  if (!is_first)
    used--; // the bracket
  snprintf(f->events + used, sizeof f->events - used, "%s{name: %s, at_s: %.12g%s%s, fault: '%s'%s%s%s}]",
           is_first ? "[" : ", ", name, at_s, duration_s > 0 ? ", duration_s: " : "",
           duration_s > 0 ? number_text(duration_s).text : "", fault, *target ? ", target: " : "", target,
           parameters);
}

// A failure of several events, without any yet; NULL: out of memory.
static struct failure *failures_begin(const struct failure_making *m, enum failure_group group,
                                      const char *equipment, const char *mode, const char *kind,
                                      double alarm_s) {
  struct failure *f = failures_add(m->out);
  if (!f)
    return NULL;
  f->group = group;
  f->alarm_s = alarm_s;
  f->hides = 1;
  snprintf(f->equipment, sizeof f->equipment, "%s", equipment);
  snprintf(f->mode, sizeof f->mode, "%s", mode);
  snprintf(f->kind, sizeof f->kind, "%s", kind);
  snprintf(f->id, sizeof f->id, "%s/%s", equipment, mode);
  return f;
}

// What the same error is in each of them: the sigma of each would let a vote find the odd one.
static void parameters_of(const struct failure_making *m, const char *mode, const struct instrument_def *d,
                          char *out, size_t size) {
  int channel;
  double sigma = failure_sigma(d, &channel);
  *out = '\0';
  if (!strcmp(mode, "bias"))
    snprintf(out, size, ", bias: %s, channel: %d", number_text(m->magnitudes->large * sigma).text, channel);
  else if (!strcmp(mode, "drift"))
    snprintf(out, size, ", rate_per_s: %s, channel: %d", number_text(m->magnitudes->drift_per_s * sigma).text,
             channel);
}

// All of a kind at once, with the error of the first.
static int add_all_of_kind(const struct failure_making *m, enum instrument kind, const char *mode) {
  const struct instruments_def *all = &m->config->suite.instruments;
  char equipment[SIGNAL_NAME], parameters[96] = "", name[24];
  int first = -1;
  snprintf(equipment, sizeof equipment, "all-%s", instrument_name(kind));
  struct failure *f = failures_begin(m, FAILURE_COMMON, equipment, mode, instrument_name(kind), 10);
  if (!f)
    return 0;
  for (int i = 0; i < all->count; i++) {
    if (all->instrument[i].kind != kind)
      continue;
    if (first < 0)
      parameters_of(m, mode, &all->instrument[first = i], parameters, sizeof parameters);
    snprintf(name, sizeof name, "failure-%d", i + 1);
    failures_add_event(f, name, m->times->begin_s, m->times->duration_s, mode, all->instrument[i].name,
                       parameters);
    failure_name(f, all->instrument[i].name);
  }
  return 1;
}

static int has_other_reference(const struct failure_making *m) {
  int count = 0;
  for (int kind = 0; kind < INSTRUMENT_COUNT; kind++)
    if (instrument_kind((enum instrument)kind)->most_targets > 0)
      count += failure_count_kind(m, (enum instrument)kind);
  return count > 0;
}

// One cause for all receivers: an ionosphere in which signals fade. Half of the positions are lost, and one
// in five jumps. Without a reference of another principle it is the loss of all receivers.
static int add_scintillation(const struct failure_making *m) {
  const struct instruments_def *all = &m->config->suite.instruments;
  char name[24], jumps[96];
  int channel;
  if (failure_count_kind(m, INSTRUMENT_GNSS) < 2)
    return 1;
  if (!has_other_reference(m))
    return failures_leave_out(m->out, "all-gnss/scintillation",
                              "no reference of another principle is left: the mode off tries the same");
  struct failure *f =
      failures_begin(m, FAILURE_COMMON, "all-gnss", "scintillation", instrument_name(INSTRUMENT_GNSS), 30);
  if (!f)
    return 0;
  for (int i = 0; i < all->count; i++) {
    if (all->instrument[i].kind != INSTRUMENT_GNSS)
      continue;
    snprintf(jumps, sizeof jumps, ", amplitude: %s, probability: 0.2",
             number_text(m->magnitudes->large * failure_sigma(&all->instrument[i], &channel)).text);
    snprintf(name, sizeof name, "fading-%d", i + 1);
    failures_add_event(f, name, m->times->begin_s, m->times->duration_s, "intermittent",
                       all->instrument[i].name, ", probability: 0.5");
    snprintf(name, sizeof name, "jumps-%d", i + 1);
    failures_add_event(f, name, m->times->begin_s, m->times->duration_s, "outliers", all->instrument[i].name,
                       jumps);
    failure_name(f, all->instrument[i].name);
  }
  return 1;
}

// One cause for all receivers: a correction that is wrong for 45 s. All of them show the same place,
// far off, which no vote among them finds, and are right again: a controller that knows how its vessel moves
// does not follow them.
static int add_jump(const struct failure_making *m) {
  static const double JUMP_S = 45;
  const struct instruments_def *all = &m->config->suite.instruments;
  char name[24], jump[64];
  int channel, first = 0;
  if (failure_count_kind(m, INSTRUMENT_GNSS) < 2)
    return 1;
  struct failure *f =
      failures_begin(m, FAILURE_COMMON, "all-gnss", "jump", instrument_name(INSTRUMENT_GNSS), 10);
  if (!f)
    return 0;
  while (all->instrument[first].kind != INSTRUMENT_GNSS)
    first++;
  const double sigma = failure_sigma(&all->instrument[first], &channel);
  snprintf(jump, sizeof jump, ", bias: %s, channel: %d", number_text(m->magnitudes->wild * sigma).text,
           channel);
  for (int i = first; i < all->count; i++) {
    if (all->instrument[i].kind != INSTRUMENT_GNSS)
      continue;
    snprintf(name, sizeof name, "failure-%d", i + 1);
    failures_add_event(f, name, m->times->begin_s, fmin(JUMP_S, m->times->duration_s), "bias",
                       all->instrument[i].name, jump);
    failure_name(f, all->instrument[i].name);
  }
  return 1;
}

static int add_blackout(const struct failure_making *m) {
  const struct plant_def *plant = &m->config->sim.vessel.plant;
  if (plant->bus_count == 0)
    return 1;
  struct failure *f = failures_begin(m, FAILURE_COMMON, "all-buses", "blackout", "bus", 5);
  if (!f)
    return 0;
  failures_add_event(f, "failure", m->times->begin_s, m->times->duration_s, "blackout", "all", "");
  for (int i = 0; i < plant->thruster_count; i++)
    failure_name(f, plant->thruster[i].name);
  return 1;
}

static int add_network(const struct failure_making *m) {
  struct failure *f = failures_begin(m, FAILURE_COMMON, "network", "lost", "link", 5);
  if (!f)
    return 0;
  failures_add_event(f, "failure", m->times->begin_s, 10, "loss", "", ", probability: 1");
  failures_add_event(f, "failure-2", m->times->begin_s, 10, "sensors_loss", "", ", probability: 1");
  failure_name(f, "link");
  return 1;
}

static int failures_make_common(const struct failure_making *m) {
  static const char *const modes[] = {"no_output", "freeze", "bias", "drift"};
  int ok = 1;
  for (int kind = 0; ok && kind < INSTRUMENT_COUNT; kind++)
    for (size_t i = 0; ok && failure_count_kind(m, kind) > 1 && i < sizeof modes / sizeof *modes; i++)
      ok = add_all_of_kind(m, kind, modes[i]);
  return ok && add_jump(m) && add_scintillation(m) && add_blackout(m) && add_network(m);
}

int failures_declare(struct failures *all, const struct failure_times *times, const char *name,
                     const char *fault, const char *parameters, const char (*equipment)[SIGNAL_NAME],
                     int count) {
  const struct failure_making m = {.times = times, .out = all};
  char event[24];
  struct failure *f = failures_begin(&m, FAILURE_COMMON, name, fault, "declared", 10);
  for (int i = 0; f && i < count; i++) {
    snprintf(event, sizeof event, "failure-%d", i + 1);
    failures_add_event(f, event, times->begin_s, times->duration_s, fault, equipment[i], parameters);
    failure_name(f, equipment[i]);
  }
  return f != NULL;
}

static int add_pair(const struct failure_making *m, const struct instrument_def *first,
                    const struct instrument_def *second, int is_copy) {
  char equipment[SIGNAL_NAME], parameters[96] = "", mode[24];
  double begin_s = m->times->begin_s, lead_s = m->times->hidden_lead_s;
  snprintf(equipment, sizeof equipment, "%s", first->name);
  snprintf(mode, sizeof mode, "%s-%s", is_copy ? "duplicate_of" : "freeze", is_copy ? "drift" : "no_output");
  struct failure *f = failures_begin(m, FAILURE_HIDDEN, equipment, mode, instrument_name(first->kind), 60);
  if (!f)
    return 0;
  if (is_copy)
    snprintf(parameters, sizeof parameters, ", of_instrument: %s", second->name);
  failures_add_event(f, "first", begin_s - lead_s, lead_s + m->times->duration_s,
                     is_copy ? "duplicate_of" : "freeze", first->name, parameters);
  parameters_of(m, is_copy ? "drift" : "no_output", second, parameters, sizeof parameters);
  failures_add_event(f, "failure", begin_s, m->times->duration_s, is_copy ? "drift" : "no_output",
                     second->name, parameters);
  failure_name(f, first->name);
  failure_name(f, second->name);
  return 1;
}

// A thruster that follows slowly without being seen, then the loss of the other bus.
static int add_sluggish(const struct failure_making *m) {
  const struct plant_def *plant = &m->config->sim.vessel.plant;
  int other = -1, i = 0;
  for (; i < plant->thruster_count && other < 0; i++)
    for (int bus = 0; bus < plant->bus_count && other < 0; bus++)
      if (plant->thruster[i].bus >= 0 && plant->thruster[i].bus != bus)
        other = bus;
  if (other < 0)
    return 1;
  const struct thruster_def *d = &plant->thruster[i - 1];
  struct failure *f = failures_begin(m, FAILURE_HIDDEN, d->name, "sluggish-bus_lost", "thruster", 5);
  if (!f)
    return 0;
  double begin_s = m->times->begin_s, lead_s = m->times->hidden_lead_s;
  failures_add_event(f, "first", begin_s - lead_s, lead_s + m->times->duration_s, "sluggish", d->name,
                     ", share: 0.1");
  failures_add_event(f, "failure", begin_s, m->times->duration_s, "bus_lost", plant->bus[other].name, "");
  failure_name(f, d->name);
  failure_name_bus(m, other, f);
  return 1;
}

// A failure of the plant that nobody sees, then one that needs what has failed.
static int add_plant_pair(const struct failure_making *m, const char *equipment, const char *target,
                          const char *first, const char *second, const char *second_target, int bus) {
  char mode[24];
  snprintf(mode, sizeof mode, "%s-%s", first, second);
  struct failure *f = failures_begin(m, FAILURE_HIDDEN, equipment, mode, "power plant", 0);
  if (!f)
    return 0;
  f->hides = 0;
  f->quiet = FAILURE_QUIET_PLANT;
  const double begin_s = m->times->begin_s, lead_s = m->times->hidden_lead_s;
  failures_add_event(f, "first", begin_s - lead_s, lead_s + m->times->duration_s, first, target, "");
  failures_add_event(f, "failure", begin_s, m->times->duration_s, second, second_target, "");
  failure_name(f, equipment);
  if (strcmp(second_target, equipment))
    failure_name(f, second_target);
  failure_name_bus(m, bus, f);
  return 1;
}

// A set whose breaker opens unseen, a standby set that does not start when it is needed, a tie that stays
// closed when a governor runs away, drives that nobody reduces when a set is lost.
static int add_plant_pairs(const struct failure_making *m) {
  const struct power_def *power = &m->config->sim.vessel.plant.power;
  int running = -1, ok = 1;
  for (int i = power->generator_count - 1; i >= 0; i--)
    running = power->generator[i].running ? i : running;
  if (running < 0)
    return 1;
  const struct generator_def *lost = &power->generator[running];
  for (int i = 0; ok && i < power->generator_count; i++) {
    const struct generator_def *set = &power->generator[i];
    ok = set->running ? add_plant_pair(m, set->name, set->name, "status_frozen", "trip", set->name, set->bus)
                      : add_plant_pair(m, set->name, set->name, "start_fails", "trip", lost->name, set->bus);
  }
  for (int i = 0; ok && i < power->tie_count; i++)
    if (power->tie[i].closed)
      ok = add_plant_pair(m, power->tie[i].name, power->tie[i].name, "tie_stuck", "governor_high", lost->name,
                          lost->bus);
  return ok && add_plant_pair(m, "management", "", "no_reduction", "trip", lost->name, lost->bus);
}

// What a controller that stands by does unseen until the one in command is lost: nothing, the same command
// again and again, a part of what is needed.
static const struct hidden_controller {
  const char *fault, *parameters, *mode, *zone_mode;
} HIDDEN_CONTROLLERS[] = {{"controller_silent", "", "hidden", "zone-lost"},
                          {"controller_frozen", "", "frozen-silent", "frozen-zone-lost"},
                          {"controller_wrong", ", factor: 0.5", "wrong-silent", "wrong-zone-lost"}};
enum { HIDDEN_CONTROLLER_COUNT = sizeof HIDDEN_CONTROLLERS / sizeof *HIDDEN_CONTROLLERS };

static int add_controller_pair(const struct failure_making *m, const struct listed_controller *least,
                               const struct listed_controller *next, const struct hidden_controller *hidden) {
  const double begin_s = m->times->begin_s, lead_s = m->times->hidden_lead_s;
  struct failure *f = failures_begin(m, FAILURE_HIDDEN, next->name, hidden->mode, "controller", 0);
  if (!f)
    return 0;
  f->quiet = "none that commands is left to raise one";
  failures_add_event(f, "hidden", begin_s - lead_s, lead_s + m->times->duration_s, hidden->fault, next->name,
                     hidden->parameters);
  failures_add_event(f, "failure", begin_s, m->times->duration_s, "controller_silent", least->name, "");
  failure_name(f, least->name);
  failure_name(f, "controller");
  failure_name_also(f, next->name);
  return 1;
}

// The next main controller fails unseen, and then the one in command is lost.
static int add_controller_pairs(const struct failure_making *m) {
  const struct controllers_def *all = &m->config->scenario.controllers;
  const struct listed_controller *least = NULL, *next = NULL;
  int ok = 1;
  for (int i = 0; i < all->count; i++)
    if (all->item[i].side == SIDE_MAIN)
      least = !least || all->item[i].rank < least->rank ? &all->item[i] : least;
  for (int i = 0; i < all->count; i++)
    if (&all->item[i] != least && all->item[i].side == SIDE_MAIN && (!next || all->item[i].rank < next->rank))
      next = &all->item[i];
  for (int i = 0; next && ok && i < HIDDEN_CONTROLLER_COUNT; i++)
    ok = add_controller_pair(m, least, next, &HIDDEN_CONTROLLERS[i]);
  return ok;
}

// A failure of the main zone; the operator gives the command to the backup. hidden: what has failed unseen
// before on the side of the backup; "": nothing.
static int add_zone(const struct failure_making *m, const char *hidden, const char *fault,
                    const char *parameters, const char *mode) {
  const struct controllers_def *all = &m->config->scenario.controllers;
  const struct listed_controller *backup = &all->item[controllers_backup(all) - 1];
  const double begin_s = m->times->begin_s, lead_s = m->times->hidden_lead_s;
  const int is_single = !*hidden;
  struct failure *f = failures_begin(m, is_single ? FAILURE_SINGLE : FAILURE_HIDDEN,
                                     is_single ? "zone-main" : hidden, mode, "fire zone", 0);
  if (!f)
    return 0;
  f->hides = 0;
  f->quiet = "none that commands is left to raise one: the event controllers_lost says so";
  if (!is_single)
    failures_add_event(f, "hidden", begin_s - lead_s, lead_s + m->times->duration_s, fault, hidden,
                       parameters);
  failures_add_event(f, "failure", begin_s, m->times->duration_s, "zone_lost",
                     controller_side_name(SIDE_MAIN), "");
  failures_add_event(f, "switch", begin_s + m->times->switch_s, 0, "take_over", backup->name, "");
  failure_name(f, is_single ? backup->name : hidden);
  failure_name_also(f, "controller");
  return 1;
}

// The loss of the main zone; then with a backup that has failed unseen before, and with each of its own
// instruments lost, or a reference of it wrong.
static int add_zones(const struct failure_making *m) {
  const struct controllers_def *all = &m->config->scenario.controllers;
  const struct instruments_def *instruments = &m->config->suite.instruments;
  const uint64_t backup = controllers_backup(all);
  int ok = 1;
  if (!backup)
    return 1;
  ok = add_zone(m, "", "", "", "lost");
  for (int i = 0; ok && i < HIDDEN_CONTROLLER_COUNT; i++)
    ok = add_zone(m, all->item[backup - 1].name, HIDDEN_CONTROLLERS[i].fault,
                  HIDDEN_CONTROLLERS[i].parameters, HIDDEN_CONTROLLERS[i].zone_mode);
  for (int i = 0; ok && i < instruments->count; i++) {
    const struct instrument_def *d = &instruments->instrument[i];
    char parameters[160];
    if (d->zone != 1 + SIDE_BACKUP)
      continue;
    ok = add_zone(m, d->name, "no_output", "", "zone-lost");
    if (!ok || !(instrument_kind(d->kind)->fix != FIX_NONE || d->kind == INSTRUMENT_GYRO))
      continue;
    parameters_of(m, "bias", d, parameters, sizeof parameters);
    ok = add_zone(m, d->name, "bias", parameters, "bias-zone-lost");
  }
  return ok;
}

static int failures_make_hidden(const struct failure_making *m) {
  const struct instruments_def *all = &m->config->suite.instruments;
  unsigned done = 0;
  int ok = 1;
  for (int i = 0; ok && i < all->count; i++) {
    const struct instrument_def *d = &all->instrument[i];
    int other = failure_other_instrument(m, i);
    if (done & 1u << d->kind || failure_count_kind(m, d->kind) < 3)
      continue;
    done |= 1u << d->kind;
    ok = add_pair(m, &all->instrument[other], d, 1) && add_pair(m, d, &all->instrument[other], 0);
  }
  return ok && add_sluggish(m) && add_plant_pairs(m) && add_controller_pairs(m) && add_zones(m);
}

static int failures_make_sequences(const struct failure_making *m);

enum status failures_generate(const struct config *config, const struct failure_magnitudes *magnitudes,
                              const struct failure_times *times, struct failures *out) {
  const struct failure_making m = {config, magnitudes, times, out};
  const struct plant_def *plant = &config->sim.vessel.plant;
  *out = (struct failures){.thruster_count = plant->thruster_count};
  for (int i = 0; i < plant->thruster_count; i++) {
    snprintf(out->thruster[i].name, sizeof out->thruster[i].name, "%s", plant->thruster[i].name);
    out->thruster[i].bus = plant->thruster[i].bus;
  }
  const struct instruments_def *instruments = &config->suite.instruments;
  for (int i = 0; i < instruments->count; i++) {
    struct failed_piece *piece = &out->piece[out->piece_count++];
    snprintf(piece->name, sizeof piece->name, "%s", instruments->instrument[i].name);
    piece->is_instrument = 1;
    piece->has_spare = failure_count_kind(&m, instruments->instrument[i].kind) > 1;
  }
  for (int i = 0; i < plant->thruster_count; i++)
    snprintf(out->piece[out->piece_count++].name, SIGNAL_NAME, "%s", plant->thruster[i].name);
  struct failure *none = failures_add(out);
  if (!none)
    return STATUS_NO_MEMORY;
  snprintf(none->id, sizeof none->id, "none");
  snprintf(none->events, sizeof none->events, "[]");
  return failures_make_single(&m) && failures_make_common(&m) && failures_make_hidden(&m) &&
                 failures_make_sequences(&m)
             ? STATUS_OK
             : STATUS_NO_MEMORY;
}

// ------------------------------------------------------------
// Two failures one after the other, chosen by what the redundancy of the vessel makes dangerous: a second one
// of the same kind of instrument; one in each of two redundancy groups, as long as they leave another
// thruster of each kind; and what follows a repair or an operator's reset: the same failure again, or one
// that asks for what has been repaired. Their number grows with the number of kinds and thrusters, not with
// its square.

// Of the lead between the first failure and the second one, so much is the first failure, where it is
// repaired.
static const double REPAIRED_SHARE = 0.5;

struct sequence {
  const struct failure_making *m;
  struct failure *f;
  double first_s, repaired_s, second_s, duration_s;
};

static struct sequence begin(const struct failure_making *m, const char *equipment, const char *mode,
                             const char *kind, double alarm_s) {
  const double lead_s = m->times->hidden_lead_s, begin_s = m->times->begin_s;
  return (struct sequence){m,
                           failures_begin(m, FAILURE_HIDDEN, equipment, mode, kind, alarm_s),
                           begin_s - lead_s,
                           REPAIRED_SHARE * lead_s,
                           begin_s,
                           m->times->duration_s};
}

static void first(const struct sequence *s, const char *fault, const char *target, int is_repaired,
                  const char *parameters) {
  failures_add_event(s->f, "first", s->first_s,
                     is_repaired ? s->repaired_s : s->second_s - s->first_s + s->duration_s, fault, target,
                     parameters);
}

static void second(const struct sequence *s, int number, const char *fault, const char *target) {
  char name[24];
  snprintf(name, sizeof name, "second-%d", number);
  failures_add_event(s->f, name, s->second_s, s->duration_s, fault, target, "");
}

// The first three of a kind; fewer: no sequence.
enum { VOTERS = 3 };
static int find_voters(const struct failure_making *m, enum instrument kind,
                       const struct instrument_def *out[VOTERS]) {
  const struct instruments_def *all = &m->config->suite.instruments;
  int count = 0;
  for (int i = 0; i < all->count && count < VOTERS; i++)
    if (all->instrument[i].kind == kind)
      out[count++] = &all->instrument[i];
  return count == VOTERS;
}

// One stays away, then the next one goes: the third is left. The first alarm must not hide the second.
static int add_second_voter(const struct failure_making *m, const struct instrument_def *const of[VOTERS],
                            const char *mode, const char *fault, double alarm_s) {
  const struct sequence s = begin(m, of[0]->name, mode, instrument_name(of[0]->kind), alarm_s);
  if (!s.f)
    return 0;
  first(&s, "no_output", of[0]->name, 0, "");
  second(&s, 1, fault, of[1]->name);
  failure_name(s.f, of[1]->name);
  failure_name_also(s.f, of[0]->name);
  s.f->lasts = 1;
  return 1;
}

// One fails and comes back, then both others go: it must count again.
static int add_return(const struct failure_making *m, const struct instrument_def *const of[VOTERS],
                      const char *mode, const char *fault, const char *parameters) {
  const struct sequence s = begin(m, of[0]->name, mode, instrument_name(of[0]->kind), 10);
  if (!s.f)
    return 0;
  first(&s, fault, of[0]->name, 1, parameters);
  for (int i = 1; i < VOTERS; i++) {
    second(&s, i, "no_output", of[i]->name);
    failure_name(s.f, of[i]->name);
  }
  s.f->lasts = 1;
  return 1;
}

static int add_again(const struct failure_making *m, const char *name, const char *mode, const char *kind,
                     const char *fault, double alarm_s) {
  const struct sequence s = begin(m, name, mode, kind, alarm_s);
  if (!s.f)
    return 0;
  first(&s, fault, name, 1, "");
  second(&s, 1, fault, name);
  failure_name(s.f, name);
  s.f->lasts = 1;
  return 1;
}

static int add_of_voters(const struct failure_making *m, const struct instrument_def *const of[VOTERS]) {
  char bias[64];
  int channel;
  const double sigma = failure_sigma(of[0], &channel);
  snprintf(bias, sizeof bias, ", bias: %s, channel: %d", number_text(m->magnitudes->large * sigma).text,
           channel);
  return add_second_voter(m, of, "no_output-no_output", "no_output", 10) &&
         add_second_voter(m, of, "no_output-freeze", "freeze", 30) &&
         add_return(m, of, "no_output-repaired", "no_output", "") &&
         add_return(m, of, "invalid-repaired", "invalid", "") &&
         add_return(m, of, "bias-repaired", "bias", bias) &&
         add_again(m, of[0]->name, "no_output-again", instrument_name(of[0]->kind), "no_output", 10);
}

// Another thruster of its kind that neither failure takes away.
static int leaves_one(const struct plant_def *plant, int of, int a, int b, int lost_bus) {
  for (int i = 0; i < plant->thruster_count; i++)
    if (i != a && i != b && plant->thruster[i].kind == plant->thruster[of].kind &&
        plant->thruster[i].bus != lost_bus)
      return 1;
  return 0;
}

static int other_bus(const struct plant_def *plant, int of) {
  for (int i = 0; i < plant->thruster_count; i++)
    if (plant->thruster[i].bus >= 0 && plant->thruster[of].bus >= 0 &&
        plant->thruster[i].bus != plant->thruster[of].bus)
      return plant->thruster[i].bus;
  return -1;
}

// One thruster of each of two groups.
static int add_two_groups(const struct failure_making *m, int a) {
  const struct plant_def *plant = &m->config->sim.vessel.plant;
  const struct thruster_def *own = &plant->thruster[a];
  int b = 0;
  while (b < plant->thruster_count &&
         (own->bus < 0 || plant->thruster[b].bus < 0 || plant->thruster[b].bus == own->bus ||
          !leaves_one(plant, a, a, b, -2) || !leaves_one(plant, b, a, b, -2)))
    b++;
  if (b == plant->thruster_count)
    return 1;
  const struct sequence s = begin(m, own->name, "other_group", "thruster", 5);
  if (!s.f)
    return 0;
  first(&s, "tripped", own->name, 0, "");
  second(&s, 1, "tripped", plant->thruster[b].name);
  failure_name(s.f, plant->thruster[b].name);
  failure_name_also(s.f, own->name);
  s.f->lasts = 1;
  return 1;
}

// It fails and is ready again, then the other bus goes: it must work again. With a reset it has run to full
// before, was stopped, and an operator resets it.
static int add_thruster_return(const struct failure_making *m, int a, int is_reset) {
  const struct plant_def *plant = &m->config->sim.vessel.plant;
  const struct thruster_def *own = &plant->thruster[a];
  const int bus = other_bus(plant, a);
  if (bus < 0 || !plant->bus[bus].name[0])
    return 1;
  const struct sequence s =
      begin(m, own->name, is_reset ? "to_full-reset" : "tripped-repaired", "thruster", 5);
  if (!s.f)
    return 0;
  first(&s, is_reset ? "to_full" : "tripped", own->name, 1, "");
  if (is_reset) {
    failures_add_event(s.f, "stop", s.first_s + 10, 0, "emergency_stop", own->name, "");
    failures_add_event(s.f, "reset", s.first_s + s.repaired_s, 0, "emergency_reset", own->name, "");
  }
  second(&s, 1, "bus_lost", plant->bus[bus].name);
  failure_name_bus(m, bus, s.f);
  failure_name_also(s.f, own->name);
  s.f->lasts = 1;
  return 1;
}

static int failures_make_sequences(const struct failure_making *m) {
  const struct plant_def *plant = &m->config->sim.vessel.plant;
  const struct instrument_def *voters[VOTERS];
  int ok = 1;
  for (int kind = 0; ok && kind < INSTRUMENT_COUNT; kind++)
    if (find_voters(m, (enum instrument)kind, voters))
      ok = add_of_voters(m, voters);
  for (int i = 0; ok && i < plant->thruster_count; i++)
    ok = add_two_groups(m, i) && add_thruster_return(m, i, 0) && add_thruster_return(m, i, 1) &&
         add_again(m, plant->thruster[i].name, "tripped-again", "thruster", "tripped", 5);
  return ok;
}
