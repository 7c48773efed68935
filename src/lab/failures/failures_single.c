// The list of failures: room for it, identifiers and patterns.
#include "lab/failures/failures.h"

#include "sagbend/base/base.h"
#include "sagbend/faults/faults.h"
#include "sagbend/instruments/instruments.h"
#include "sagbend/signals/signals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *failure_group_name(enum failure_group group) {
  static const char *const names[] = {"without a failure", "single", "common cause", "hidden and second",
                                      "operation"};
  return names[group];
}

struct failure *failures_add(struct failures *all) {
  if (all->count == all->capacity) {
    int capacity = all->capacity ? 2 * all->capacity : 64;
    struct failure *items = realloc(all->item, (size_t)capacity * sizeof *items);
    if (!items)
      return NULL;
    all->item = items;
    all->capacity = capacity;
  }
  all->item[all->count] = (struct failure){.name_count = 0};
  return &all->item[all->count++];
}

int failures_leave_out(struct failures *all, const char *id, const char *why) {
  if (all->excluded_count == all->excluded_capacity) {
    int capacity = all->excluded_capacity ? 2 * all->excluded_capacity : 64;
    struct failure_excluded *items = realloc(all->excluded, (size_t)capacity * sizeof *items);
    if (!items)
      return 0;
    all->excluded = items;
    all->excluded_capacity = capacity;
  }
  struct failure_excluded *item = &all->excluded[all->excluded_count++];
  snprintf(item->id, sizeof item->id, "%s", id);
  snprintf(item->why, sizeof item->why, "%s", why);
  item->is_by_plan = 0;
  return 1;
}

void failures_free(struct failures *all) {
  free(all->item);
  free(all->excluded);
  *all = (struct failures){.item = NULL};
}

int failure_matches(const char *id, const char *pattern) {
  for (; *pattern && *pattern != '*'; id++, pattern++)
    if (*id != *pattern)
      return 0;
  if (!*pattern)
    return !*id;
  for (;; id++) {
    if (failure_matches(id, pattern + 1))
      return 1;
    if (!*id)
      return 0;
  }
}

int failures_exclude(struct failures *all, const char *pattern, const char *why) {
  int kept = 0, matched = 0;
  for (int i = 0; i < all->count; i++) {
    const struct failure *f = &all->item[i];
    if (f->group != FAILURE_NONE && failure_matches(f->id, pattern) && failures_leave_out(all, f->id, why)) {
      all->excluded[all->excluded_count - 1].is_by_plan = f->group != FAILURE_OPERATION;
      matched++;
    } else if (kept++ != i)
      all->item[kept - 1] = *f;
  }
  all->count = kept;
  return matched;
}

int failures_count(const struct failures *all, const char *pattern) {
  int count = 0;
  for (int i = 0; i < all->count; i++)
    count += all->item[i].group != FAILURE_NONE && failure_matches(all->item[i].id, pattern);
  return count;
}

int failures_find(const struct failures *all, const char *id) {
  for (int i = 0; i < all->count; i++)
    if (!strcmp(all->item[i].id, id))
      return i;
  return -1;
}

// ------------------------------------------------------------
// Single failures: each mode of modes.inc on each piece of equipment that can have it.

// The value of the fault's first parameter.
enum mode_measure {
  MEASURE_NONE,
  MEASURE_SMALL,
  MEASURE_LARGE,
  MEASURE_WILD,
  MEASURE_DRIFT,
  MEASURE_NOISE,
  MEASURE_LOAD,   // share of the power
  MEASURE_ANOTHER // the name of another of its kind
};

// The kinds of instrument with a lever arm.
enum {
#define AS_ARM                                                       1
#define AS_NO_ARM                                                    0
#define INSTRUMENT(id, name, message, talker, need, place, arm, ...) | AS_##arm << INSTRUMENT_##id
  FAILURE_ARM_KINDS = 0
#include "sagbend/signals/instruments.inc"
};

static const struct mode {
  const char *word;
  enum fault_kind fault;
  enum mode_measure measure;
  const char *parameters;
  unsigned kinds;
  double alarm_s;
  int hides, runs_wild, cuts, lasts;
  const char *quiet;
} MODES[] = {
#define MODE(word, fault, measure, parameters, kinds, alarm_s, hides, quiet)                                 \
  {word, fault, measure, parameters, kinds, alarm_s, hides, 0, 0, 0, quiet},
#define LAST(word, fault, measure, parameters, kinds, alarm_s, hides, quiet)                                 \
  {word, fault, measure, parameters, kinds, alarm_s, hides, 0, 0, 1, quiet},
#define WILD(word, fault, measure, parameters, kinds, alarm_s, hides, quiet)                                 \
  {word, fault, measure, parameters, kinds, alarm_s, hides, 1, 0, 0, quiet},
#define CUTS(word, fault, measure, parameters, kinds, alarm_s, hides, quiet)                                 \
  {word, fault, measure, parameters, kinds, alarm_s, hides, 0, 1, 0, quiet},
#include "lab/failures/modes.inc"
#undef MODE
#undef LAST
#undef WILD
#undef CUTS
};
enum { MODE_COUNT = sizeof MODES / sizeof *MODES };

// Faults that no mode tries on a single piece of equipment, with the reason.
static const struct untried {
  enum fault_kind fault;
  const char *word, *why;
} UNTRIED[] = {
    {FAULT_JUMP, "jump", "the mode bias tries the same"},
    {FAULT_FLAG_FORCED_VALID, "flag_forced_valid", "acts beside another fault only"},
    {FAULT_CHECKSUM, "checksum",
     "its NMEA sentences: a fault of the line, which the modes off and intermittent try"},
    {FAULT_TALKER, "talker", "its NMEA sentences: a fault of set-up, not of equipment"},
    {FAULT_DUPLICATE_SENTENCE, "duplicate_telegram", "its NMEA sentences: a fault of the line"},
    {FAULT_AGE, "age", "its NMEA sentences: the mode delay tries the same"},
    {FAULT_EMERGENCY_STOP, "emergency_stop", "an operator's stop: the mode tripped tries the same"},
    {FAULT_EMERGENCY_RESET, "emergency_reset", "an operator's reset of that stop"},
    {FAULT_START, "start_fails", "hidden, until the set must start"},
    {FAULT_STATUS_FROZEN, "status_frozen", "hidden, until the set trips"},
    {FAULT_TIE_STUCK, "tie_stuck", "hidden, until the tie must open"},
    {FAULT_NO_REDUCTION, "no_reduction", "hidden, until a set is lost"},
    {FAULT_TAKE_OVER, "take_over", "an operator's order, no failure"},
    {FAULT_ZONE_LOST, "zone_lost", "zone-main/lost tries it, with the operator's switch behind it"},
    {FAULT_BLACKOUT, "blackout", "of one bus the same as the mode lost"},
};
enum { UNTRIED_COUNT = sizeof UNTRIED / sizeof *UNTRIED };

// A piece of equipment that faults of a target act on.
struct piece {
  enum fault_target target;
  int index;        // among those of its target
  const char *name; // of the identifier
  const char *at;   // target of the event; "": the fault needs none
  char kind[32];
  unsigned kind_bit;
};

static const double TYPICAL_RANGE_M = 200;

static double typical_value(enum instrument kind) {
  return kind == INSTRUMENT_LOAD_CELL || kind == INSTRUMENT_TENSIONER ? 2e5 // N
         : kind == INSTRUMENT_WIND                                    ? 10  // m/s
                                                                      : 0;
}

double failure_sigma(const struct instrument_def *d, int *channel) {
  const struct instrument_quantity *main = instrument_quantity(d->kind, 0);
  double square = 0;
  *channel = 0;
  while (main && !(main->channels & 1u << *channel))
    ++*channel;
  for (int i = 0; i < d->error_count; i++) {
    const struct instrument_error *e = &d->error[i];
    double scaled = e->scale * typical_value(d->kind);
    if (main && e->channels & main->channels)
      square += e->white * e->white + e->markov * e->markov + e->bias_random * e->bias_random +
                scaled * scaled + e->quantum * e->quantum / 12;
  }
  // A hydroacoustic system's channels are metres, its errors angles.
  return sqrt(square) * (d->kind == INSTRUMENT_HYDROACOUSTIC ? TYPICAL_RANGE_M : 1);
}

int failure_count_kind(const struct failure_making *m, enum instrument kind) {
  const struct instruments_def *all = &m->config->suite.instruments;
  int count = 0;
  for (int i = 0; i < all->count; i++)
    count += all->instrument[i].kind == kind;
  return count;
}

int failure_other_instrument(const struct failure_making *m, int index) {
  const struct instruments_def *all = &m->config->suite.instruments;
  for (int i = 0; i < all->count; i++)
    if (i != index && all->instrument[i].kind == all->instrument[index].kind)
      return i;
  return -1;
}

static int other_thruster(const struct failure_making *m, int index) {
  const struct plant_def *plant = &m->config->sim.vessel.plant;
  for (int i = 0; i < plant->thruster_count; i++)
    if (i != index && plant->thruster[i].kind == plant->thruster[index].kind)
      return i;
  return -1;
}

void failure_name(struct failure *f, const char *name) {
  if (f->name_count < FAILURE_NAMES)
    snprintf(f->names[f->name_count++], sizeof f->names[0], "%s", name);
}

void failure_name_also(struct failure *f, const char *name) {
  if (f->also_count < FAILURE_NAMES)
    snprintf(f->also[f->also_count++], sizeof f->also[0], "%s", name);
}

static void name_thrusters(const struct failure_making *m, int bus, struct failure *f,
                           void (*name)(struct failure *, const char *)) {
  const struct plant_def *plant = &m->config->sim.vessel.plant;
  for (int i = 0; i < plant->thruster_count; i++)
    if (plant->thruster[i].bus == bus)
      name(f, plant->thruster[i].name);
}

void failure_name_bus(const struct failure_making *m, int bus, struct failure *f) {
  failure_name(f, m->config->sim.vessel.plant.bus[bus].name);
  name_thrusters(m, bus, f, failure_name);
}

static const char *another(const struct failure_making *m, const struct piece *piece) {
  int other = piece->target == TARGET_INSTRUMENT ? failure_other_instrument(m, piece->index)
                                                 : other_thruster(m, piece->index);
  if (other < 0)
    return NULL;
  return piece->target == TARGET_INSTRUMENT ? m->config->suite.instruments.instrument[other].name
                                            : m->config->sim.vessel.plant.thruster[other].name;
}

static double sigmas(const struct failure_magnitudes *m, enum mode_measure measure) {
  switch (measure) {
  case MEASURE_SMALL:
    return m->small;
  case MEASURE_LARGE:
    return m->large;
  case MEASURE_WILD:
    return m->wild;
  case MEASURE_DRIFT:
    return m->drift_per_s;
  case MEASURE_NOISE:
    return m->noise_per_s;
  default:
    return 0;
  }
}

static int first_member(const struct common_error_def *common) {
  int i = 0;
  while (!(common->members >> i & 1u) && i < MAX_INSTRUMENTS - 1)
    i++;
  return i;
}

// ", bias: 3.2, channel: 0"; parameters of the mode follow.
static void write_parameters(const struct failure_making *m, const struct piece *piece,
                             const struct mode *mode, char *out, size_t size) {
  const char *first = fault_parameter(mode->fault, 0), *second = fault_parameter(mode->fault, 1);
  int channel = 0;
  *out = '\0';
  if (mode->measure == MEASURE_ANOTHER) {
    snprintf(out, size, ", %s: %s", first, another(m, piece));
  } else if (mode->measure == MEASURE_LOAD) {
    snprintf(out, size, ", %s: %s", first, number_text(m->magnitudes->load_share).text);
  } else if (mode->measure != MEASURE_NONE) {
    const struct instruments_def *all = &m->config->suite.instruments;
    int of = piece->target == TARGET_COMMON ? first_member(&all->common[piece->index]) : piece->index;
    double sigma = failure_sigma(&all->instrument[of], &channel),
           value = sigmas(m->magnitudes, mode->measure) * sigma;
    int used = snprintf(out, size, ", %s: %s", first, number_text(value).text);
    if (!strcmp(second, "channel"))
      snprintf(out + used, size - (size_t)used, ", channel: %d", channel);
  }
  size_t used = strlen(out);
  snprintf(out + used, size - used, "%s", mode->parameters);
}

static int has_spare(const struct failure_making *m, const struct piece *piece) {
  if (piece->target == TARGET_CONTROLLER)
    return 1;
  return piece->target == TARGET_INSTRUMENT &&
         failure_count_kind(m, m->config->suite.instruments.instrument[piece->index].kind) > 1;
}

static void write_events(const struct failure_making *m, const struct piece *piece, const struct mode *mode,
                         const char *parameters, struct failure *f) {
  const struct failure_times *t = m->times;
  snprintf(f->events, sizeof f->events,
           "[{name: failure, at_s: %.12g, duration_s: %.12g, fault: '%s'%s%s%s}]", t->begin_s, t->duration_s,
           fault_name(mode->fault), *piece->at ? ", target: " : "", piece->at, parameters);
}

// What a piece of the power supply feeds: an alarm may name that.
static void name_fed(const struct failure_making *m, const struct piece *piece, const struct mode *mode,
                     struct failure *f) {
  const struct power_def *power = &m->config->sim.vessel.plant.power;
  if (piece->target == TARGET_BUS && mode->fault == FAULT_LOAD_LIMIT) {
    failure_name(f, m->config->sim.vessel.plant.bus[piece->index].name); // its thrusters are sound
    failure_name(f, "power");
    name_thrusters(m, piece->index, f, failure_name_also);
  } else if (piece->target == TARGET_BUS)
    failure_name_bus(m, piece->index, f);
  else if (piece->target == TARGET_GENERATOR)
    failure_name_bus(m, power->generator[piece->index].bus, f);
  else if (piece->target == TARGET_TIE)
    for (int k = 0; k < 2; k++)
      failure_name_bus(m, power->tie[piece->index].bus[k], f);
}

static int add_single(const struct failure_making *m, const struct piece *piece, const struct mode *mode) {
  struct failure *f = failures_add(m->out);
  char parameters[160];
  if (!f)
    return 0;
  write_parameters(m, piece, mode, parameters, sizeof parameters);
  snprintf(f->id, sizeof f->id, "%s/%s", piece->name, mode->word);
  snprintf(f->equipment, sizeof f->equipment, "%s", piece->name);
  snprintf(f->mode, sizeof f->mode, "%s", mode->word);
  snprintf(f->kind, sizeof f->kind, "%s", piece->kind);
  write_events(m, piece, mode, parameters, f);
  f->group = mode->cuts || piece->target == TARGET_COMMON ? FAILURE_COMMON : FAILURE_SINGLE;
  f->alarm_s = mode->alarm_s;
  f->quiet = mode->quiet;
  f->hides = mode->hides;
  f->lasts = mode->lasts;
  f->runs_wild = mode->runs_wild;
  f->has_spare = has_spare(m, piece);
  if (piece->target != TARGET_BUS)
    failure_name(f, piece->name);
  if (piece->target == TARGET_CONTROLLER)
    failure_name(f, "controller"); // the source of an alarm of the other one
  if (piece->target == TARGET_CONTROLLER &&
      m->config->scenario.controllers.item[piece->index].side == SIDE_BACKUP) {
    f->alarm_s = 0;
    f->quiet = "no controller has a link to the backup: the simulator says that it is lost or differs";
  }
  name_fed(m, piece, mode, f);
  for (int i = 0; piece->target == TARGET_COMMON && i < m->config->suite.instruments.count; i++)
    if (m->config->suite.instruments.common[piece->index].members >> i & 1u)
      failure_name(f, m->config->suite.instruments.instrument[i].name);
  if (mode->measure == MEASURE_ANOTHER) // a pair that agrees too well: an alarm may name either
    failure_name(f, another(m, piece));
  return 1;
}

static int leave_out(const struct failure_making *m, const struct piece *piece, const char *word,
                     const char *why) {
  char id[FAILURE_ID];
  snprintf(id, sizeof id, "%s/%s", piece->name, word);
  return failures_leave_out(m->out, id, why);
}

static int is_of(enum fault_kind fault, enum fault_target target) {
  enum fault_target own = fault_target_of(fault);
  return own == target || (own == TARGET_SENTENCE && target == TARGET_INSTRUMENT) ||
         (own == TARGET_SENSORS && target == TARGET_COMMAND);
}

static int has_other_target(const struct failure_making *m, const struct piece *piece) {
  return m->config->suite.instruments.instrument[piece->index].reference.target_count > 1;
}

static int try_piece(const struct failure_making *m, const struct piece *piece) {
  int ok = 1;
  for (int i = 0; ok && i < MODE_COUNT; i++) {
    if (!is_of(MODES[i].fault, piece->target))
      continue;
    int is_tried_on_it =
        piece->target != TARGET_INSTRUMENT || fault_instrument_kinds(MODES[i].fault) & piece->kind_bit;
    if (!is_tried_on_it)
      continue;
    if (!(MODES[i].kinds & piece->kind_bit))
      ok = leave_out(m, piece, MODES[i].word, "without effect on this kind");
    else if (MODES[i].fault == FAULT_OTHER_TARGET && !has_other_target(m, piece))
      ok = leave_out(m, piece, MODES[i].word, "it has one target");
    else if (MODES[i].measure == MEASURE_ANOTHER && !another(m, piece))
      ok = leave_out(m, piece, MODES[i].word, "there is no other of its kind");
    else
      ok = add_single(m, piece, &MODES[i]);
  }
  for (int i = 0; ok && i < UNTRIED_COUNT; i++)
    if (is_of(UNTRIED[i].fault, piece->target))
      ok = leave_out(m, piece, UNTRIED[i].word, UNTRIED[i].why);
  return ok;
}

static int try_thrusters(const struct failure_making *m) {
  const struct plant_def *plant = &m->config->sim.vessel.plant;
  int ok = 1;
  for (int i = 0; ok && i < plant->thruster_count; i++) {
    const struct thruster_def *d = &plant->thruster[i];
    struct piece piece = {TARGET_THRUSTER, i, d->name, d->name, "", 1u << d->kind};
    snprintf(piece.kind, sizeof piece.kind, "%s", THRUSTER_KINDS[d->kind].title);
    ok = try_piece(m, &piece);
  }
  for (int i = 0; ok && i < plant->bus_count; i++) {
    char name[SIGNAL_NAME + 8];
    snprintf(name, sizeof name, "bus-%s", plant->bus[i].name); // thrusters and instruments may have its name
    ok = try_piece(m, &(struct piece){TARGET_BUS, i, name, plant->bus[i].name, "bus", ~0u});
  }
  return ok;
}

static int try_power_plant(const struct failure_making *m) {
  const struct power_def *power = &m->config->sim.vessel.plant.power;
  int ok = 1;
  for (int i = 0; ok && i < power->generator_count; i++) {
    const char *name = power->generator[i].name;
    ok = try_piece(m, &(struct piece){TARGET_GENERATOR, i, name, name, "generator", ~0u});
  }
  for (int i = 0; ok && i < power->tie_count; i++)
    ok = try_piece(m, &(struct piece){TARGET_TIE, i, power->tie[i].name, power->tie[i].name, "tie", ~0u});
  for (int i = 0; ok && i < power->battery_count; i++) {
    char id[FAILURE_ID];
    snprintf(id, sizeof id, "%s/*", power->battery[i].name);
    ok = failures_leave_out(
        m->out, id, "no fault of a battery is simulated; a condition without it shows what it is worth");
  }
  if (!ok)
    return 0;
  return m->config->scenario.names.has_power_plant
             ? try_piece(m, &(struct piece){TARGET_MANAGEMENT, 0, "management", "", "power management", ~0u})
             : failures_leave_out(m->out, "generator/*", "there is no vessel.power.generators");
}

static int try_networks(const struct failure_making *m) {
  int ok = 1;
  if (!*m->config->net.command_endpoint_b)
    return failures_leave_out(m->out, "network/*", "there is no network.command_endpoint_b");
  for (int i = 0; ok && i < NETWORKS; i++) {
    char name[16];
    snprintf(name, sizeof name, "network-%s", network_name(i));
    ok = try_piece(m, &(struct piece){TARGET_NETWORK, i, name, network_name(i), "network", ~0u});
  }
  return ok;
}

int failures_make_single(const struct failure_making *m) {
  const struct instruments_def *instruments = &m->config->suite.instruments;
  const struct hil_names *names = &m->config->scenario.names;
  const struct piece tensioner = {TARGET_TENSIONER, 0, "tensioner", "", "tensioner", ~0u},
                     pipe = {TARGET_PIPE, 0, "pipe", "", "pipe", ~0u},
                     link = {TARGET_COMMAND, 0, "link", "", "link", ~0u};
  int ok = 1;
  for (int i = 0; ok && i < instruments->count; i++) {
    const struct instrument_def *d = &instruments->instrument[i];
    struct piece piece = {TARGET_INSTRUMENT, i, d->name, d->name, "", 1u << d->kind};
    snprintf(piece.kind, sizeof piece.kind, "%s", instrument_name(d->kind));
    ok = try_piece(m, &piece);
  }
  for (int i = 0; ok && i < instruments->common_count; i++)
    ok = try_piece(m, &(struct piece){TARGET_COMMON, i, instruments->common[i].name,
                                      instruments->common[i].name, "common error", ~0u});
  for (int i = 0; ok && i < names->controller_count; i++)
    ok = try_piece(m, &(struct piece){TARGET_CONTROLLER, i, names->controller[i], names->controller[i],
                                      "controller", ~0u});
  ok = ok && try_thrusters(m) && try_power_plant(m) && try_piece(m, &link) && try_networks(m);
  if (ok)
    ok = names->has_tensioner ? try_piece(m, &tensioner)
                              : failures_leave_out(m->out, "tensioner/*", "there is no pipe.tensioner");
  if (ok)
    ok = names->has_bore ? try_piece(m, &pipe)
                         : failures_leave_out(m->out, "pipe/flooding", "no pipe has an inner_diameter_m");
  return ok;
}
