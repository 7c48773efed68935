// Two failures one after the other, chosen by what the redundancy of the vessel makes dangerous: a second one
// of the same kind of instrument; one in each of two redundancy groups, as long as they leave another
// thruster of each kind; and what follows a repair or an operator's reset: the same failure again, or one
// that asks for what has been repaired. Their number grows with the number of kinds and thrusters, not with
// its square.
#include "lab/sweep/failures_parts.h"

#include "sagbend/base/number_text.h"

#include <string.h>

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
  first(&s, "off", of[0]->name, 0, "");
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
    second(&s, i, "off", of[i]->name);
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
  return add_second_voter(m, of, "off-off", "off", 10) &&
         add_second_voter(m, of, "off-freeze", "freeze", 30) &&
         add_return(m, of, "off-repaired", "off", "") &&
         add_return(m, of, "invalid-repaired", "invalid", "") &&
         add_return(m, of, "bias-repaired", "bias", bias) &&
         add_again(m, of[0]->name, "off-again", instrument_name(of[0]->kind), "off", 10);
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
  first(&s, "not_ready", own->name, 0, "");
  second(&s, 1, "not_ready", plant->thruster[b].name);
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
      begin(m, own->name, is_reset ? "to_full-reset" : "not_ready-repaired", "thruster", 5);
  if (!s.f)
    return 0;
  first(&s, is_reset ? "to_full" : "not_ready", own->name, 1, "");
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

int failures_make_sequences(const struct failure_making *m) {
  const struct plant_def *plant = &m->config->sim.vessel.plant;
  const struct instrument_def *voters[VOTERS];
  int ok = 1;
  for (int kind = 0; ok && kind < INSTRUMENT_COUNT; kind++)
    if (find_voters(m, (enum instrument)kind, voters))
      ok = add_of_voters(m, voters);
  for (int i = 0; ok && i < plant->thruster_count; i++)
    ok = add_two_groups(m, i) && add_thruster_return(m, i, 0) && add_thruster_return(m, i, 1) &&
         add_again(m, plant->thruster[i].name, "not_ready-again", "thruster", "not_ready", 5);
  return ok;
}
