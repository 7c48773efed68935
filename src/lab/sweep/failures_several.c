// Failures of several pieces of equipment: common causes, and hidden failures with a second one.
#include "lab/sweep/failures_parts.h"

#include "sagbend/base/number_text.h"

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

struct failure *failures_begin(const struct failure_making *m, enum failure_group group,
                               const char *equipment, const char *mode, const char *kind, double alarm_s) {
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

int failures_make_common(const struct failure_making *m) {
  static const char *const modes[] = {"off", "freeze", "bias", "drift"};
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
  snprintf(mode, sizeof mode, "%s-%s", is_copy ? "copy" : "freeze", is_copy ? "drift" : "off");
  struct failure *f = failures_begin(m, FAILURE_HIDDEN, equipment, mode, instrument_name(first->kind), 60);
  if (!f)
    return 0;
  if (is_copy)
    snprintf(parameters, sizeof parameters, ", of_instrument: %s", second->name);
  failures_add_event(f, "first", begin_s - lead_s, lead_s + m->times->duration_s, is_copy ? "copy" : "freeze",
                     first->name, parameters);
  parameters_of(m, is_copy ? "drift" : "off", second, parameters, sizeof parameters);
  failures_add_event(f, "failure", begin_s, m->times->duration_s, is_copy ? "drift" : "off", second->name,
                     parameters);
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

int failures_make_hidden(const struct failure_making *m) {
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
  return ok && add_sluggish(m) && add_plant_pairs(m);
}

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
