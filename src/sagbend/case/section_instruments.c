// The sections hil and instruments.
#include "sagbend/case/case.h"
#include "sagbend/case/case_internal.h"

#include "sagbend/base/base.h"
#include "sagbend/math/math.h"

#include <string.h>

static const struct key_def INSTRUMENTS_KEYS[] = {
    {"hil", AS_SECTION, .optional = 1,
     .doc = "Settings shared by all instruments of the hardware-in-the-loop interface."},
    {"hil.seed", AS_INTEGER, .range = LIMITED, .low = 0, .high = 999999999, .fallback = "1", AT(hil_seed),
     .doc = "Seed of the instruments' random streams. Each instrument has its own stream, derived from this "
            "seed and the instrument's name."},
    {"instruments", AS_ITEMS, .size = MAX_INSTRUMENTS, .optional = 1,
     ITEMS_IN(config_draft, out.suite.instruments.instrument, instrument_def, out.suite.instruments.count),
     .doc = "Instruments through which a controller observes the vessel (docs/instruments.md). Without any, "
            "the controller receives the exact state."},
    {"instruments[].name", AS_TEXT, .size = SIGNAL_NAME, IN(instrument_def, name),
     .doc = "Unique name of the instrument in messages, events and NMEA ports."},
    {"instruments[].kind", AS_WORD, .word_at = instrument_word, .word_count = INSTRUMENT_COUNT,
     WORD_IN(instrument_def, kind), .doc = "Instrument type."},
    {"instruments[].position_b_m", AS_VECTOR, .size = 3, .fallback = "0", IN(instrument_def, position_b_m),
     .unit = "m", .doc = "Position of the antenna or sensor in the body frame."},
    {"instruments[].rate_hz", AS_NUMBER, .range = LIMITED, .low = 0.001, .high = 1000,
     IN(instrument_def, rate_hz), .unit = "Hz",
     .doc = "Measurement rate, at most one measurement per step. Each measurement is taken at the step "
            "nearest to its nominal time."},
    {"instruments[].latency_s", AS_NUMBER, .range = LIMITED, .low = 0, .high = 60, .fallback = "0",
     IN(instrument_def, latency_s), .unit = "s",
     .doc = "Delay from measurement to delivery. A measurement is delivered at the first step at or after "
            "that time."},
    {"instruments[].share", AS_NUMBER, .range = POSITIVE, .optional = 1, IN(instrument_def, share),
     .doc = "Share of the hang-off tension that a load_cell carries. 1 if absent; only for a load_cell."},
    {"instruments[].errors", AS_ITEMS, .size = MAX_ERRORS, .optional = 1,
     ITEMS_IN(instrument_def, error, instrument_error, error_count),
     .doc = "Error model of the instrument, one item per measured quantity. A quantity without an item is "
            "exact."},
    {"instruments[].errors[].quantity", AS_TEXT, .size = SIGNAL_NAME, IN(instrument_error, quantity),
     .doc = "Measured quantity of this instrument kind, such as position_m or heading_deg "
            "(docs/instruments.md). The other numbers of the item are in its unit."},
    {"instruments[].errors[].white", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     IN(instrument_error, white),
     .doc = "Standard deviation of white noise, independent from measurement to measurement."},
    {"instruments[].errors[].markov", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     IN(instrument_error, markov),
     .doc = "Standard deviation of a first-order Gauss-Markov process. Requires markov_time_s."},
    {"instruments[].errors[].markov_time_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     IN(instrument_error, markov_time_s), .doc = "Time constant of the Gauss-Markov process, in seconds."},
    {"instruments[].errors[].walk", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     IN(instrument_error, walk),
     .doc = "Standard deviation of a random walk after 1 s. It grows with the square root of time."},
    {"instruments[].errors[].bias", AS_NUMBER, .fallback = "0", IN(instrument_error, bias),
     .doc = "Constant bias, the same in every run."},
    {"instruments[].errors[].bias_random", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     IN(instrument_error, bias_random),
     .doc = "Standard deviation of a constant bias drawn once at the start of the run."},
    {"instruments[].errors[].scale", AS_NUMBER, .range = LIMITED, .low = -1, .high = 1, .fallback = "0",
     IN(instrument_error, scale),
     .doc = "Scale-factor error: the share of the true value that is added to it."},
    {"instruments[].errors[].quantum", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     IN(instrument_error, quantum),
     .doc = "Resolution of the measurement. Values are rounded to multiples of it. 0: no rounding."},
    {"instruments[].errors[].range", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     IN(instrument_error, range),
     .doc = "Measuring range: values are clipped to this magnitude, and a clipped measurement is marked "
            "invalid. 0: no limit."},
};

static void check_name(const struct check *c, const struct instruments_def *all, int index) {
  struct key_path path = key_path("instruments.%d.name", index);
  const char *name = all->instrument[index].name;
  int is_printable = 1;

  if (!is_readable(c, path.text))
    return;
  for (const char *at = name; *at; at++)
    is_printable &= *at >= 0x21 && *at <= 0x7e;
  if (!is_printable)
    report(c, path.text, "printable ASCII without spaces expected");
  else if (!strcmp(name, "all") || !strcmp(name, "thrusters") || !strcmp(name, "alarms"))
    report(c, path.text, "is reserved: all, thrusters and alarms are not names of instruments");
  check_unique(c, "instruments", index, all->instrument[0].name, sizeof all->instrument[0]);
}

static void check_rate(const struct check *c, const struct instrument_def *def, int index) {
  struct key_path path = key_path("instruments.%d.rate_hz", index);
  double step_s = c->draft->out.sim.step_s;

  if (!is_readable(c, path.text) || !is_readable(c, "simulation.step_s") ||
      instrument_rate_fits(def->rate_hz, step_s))
    return;
  report(c, path.text, "at most one measurement per step of %s s, %s Hz, expected", number_text(step_s).text,
         number_text(1 / step_s).text);
}

static void report_quantity(const struct check *c, const char *path, enum instrument kind) {
  const struct instrument_quantity *quantity;
  char known[96];
  int used = 0;

  for (int i = 0; (quantity = instrument_quantity(kind, i)); i++)
    used += snprintf(known + used, sizeof known - (size_t)used, "%s%s", i ? " or " : "", quantity->name);
  report(c, path, "a quantity of a %s (%s) expected", instrument_name(kind), known);
}

static void check_error(const struct check *c, const struct instrument_def *def, int index, int number) {
  struct key_path path = key_path("instruments.%d.errors.%d.quantity", index, number);
  const struct instrument_error *error = &def->error[number];

  if (!is_given_well(c, path.text))
    return;
  if (!instrument_quantity_named(def->kind, error->quantity)) {
    report_quantity(c, path.text, def->kind);
    return;
  }
  for (int other = 0; other < number; other++)
    if (!strcmp(def->error[other].quantity, error->quantity)) {
      report(c, path.text, "a quantity different from those of the items before it expected");
      return;
    }

  path = key_path("instruments.%d.errors.%d.markov_time_s", index, number);
  if (error->markov > 0 && !(error->markov_time_s > 0))
    report(c, path.text, "a time > 0 expected: markov needs it");
  if (!(error->markov > 0) && error->markov_time_s > 0)
    report(c, path.text, "needs markov > 0");
}

// What the kind needs of the pipe.
static void check_need(const struct check *c, enum instrument kind, const char *path) {
  const enum instrument_need need = instrument_kind(kind)->need;
  switch (need) {
  case NEEDS_NOTHING:
    return;
  case NEEDS_PIPE:
    if (!given(c, "pipe"))
      report(c, path, "needs a pipe");
    return;
  case NEEDS_PAYOUT:
    if (!given(c, "pipe.payout") && !given(c, "pipe.tensioner"))
      report(c, path, "needs pipe.payout or pipe.tensioner");
    return;
  case NEEDS_TENSIONER:
    if (!given(c, "pipe.tensioner"))
      report(c, path, "needs pipe.tensioner");
  }
}

static void check_instruments(const struct check *c) {
  const struct instruments_def *all = &c->draft->out.suite.instruments;

  for (int i = 0; i < all->count; i++) {
    const struct instrument_def *def = &all->instrument[i];
    struct key_path kind = key_path("instruments.%d.kind", i);

    check_name(c, all, i);
    check_rate(c, def, i);
    if (!is_given_well(c, kind.text))
      continue;
    check_allowed(c, key_path("instruments.%d.share", i).text, def->kind == INSTRUMENT_LOAD_CELL,
                  "needs kind load_cell");
    check_need(c, def->kind, kind.text);
    for (int k = 0; k < def->error_count; k++)
      check_error(c, def, i, k);
  }
}

static void to_radians(struct instrument_error *error) {
  double *const numbers[] = {&error->white,       &error->markov,  &error->walk, &error->bias,
                             &error->bias_random, &error->quantum, &error->range};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    *numbers[i] *= TRIG_PI / 180.0;
}

// The order of kinds in the messages, so that a built-in controller sees the same list as an external one.
static void sort_by_kind(struct instruments_def *all) {
  for (int i = 1; i < all->count; i++) {
    struct instrument_def moved = all->instrument[i];
    int k = i;
    for (; k > 0 && all->instrument[k - 1].kind > moved.kind; k--)
      all->instrument[k] = all->instrument[k - 1];
    all->instrument[k] = moved;
  }
}

static void resolve_instruments(const struct check *c, struct config *out) {
  struct instruments_def *all = &out->suite.instruments;
  all->seed = (uint64_t)c->draft->hil_seed;

  for (int i = 0; i < all->count; i++) {
    struct instrument_def *def = &all->instrument[i];
    if (!given(c, key_path("instruments.%d.share", i).text))
      def->share = 1;

    for (int k = 0; k < def->error_count; k++) {
      const struct instrument_quantity *quantity =
          instrument_quantity_named(def->kind, def->error[k].quantity);
      def->error[k].channels = quantity->channels;
      if (instrument_quantity_in_degrees(quantity))
        to_radians(&def->error[k]);
    }
  }
  sort_by_kind(all);

  char key[64];
  instruments_resolve(all, key, NULL); // checked by REFERENCES_SECTION
}

static const struct key_rows INSTRUMENTS_ROWS = KEY_ROWS(INSTRUMENTS_KEYS);
static const struct key_group INSTRUMENTS_GROUPS[] = {{.rows = &INSTRUMENTS_ROWS, .prefix = ""}};
const struct config_section INSTRUMENTS_SECTION = {INSTRUMENTS_GROUPS, 1, check_instruments,
                                                   resolve_instruments, NULL};

// ------------------------------------------------------------
// The section validity: limits of the model.

static const struct key_def VALIDITY_KEYS[] = {
    {"validity", AS_SECTION, .optional = 1,
     .doc = "Limits of the model. Beyond one an event is raised, which fails the run unless "
            "simulation.on_event says otherwise."},
    {"validity.angle_deg", AS_NUMBER, .range = LIMITED, .low = 1, .high = 180, .degrees = 1, .fallback = "45",
     AT(out.sim.validity.angle_rad), .unit = "deg",
     .doc = "Largest roll or pitch of a vessel with hydrostatics, which are linear."},
    {"validity.hangoff_depth_m", AS_NUMBER, .range = POSITIVE, .optional = 1,
     AT(out.sim.validity.hangoff_depth_m), .unit = "m",
     .doc =
         "Largest depth of the hang-off under the mean sea surface. Absent: a hang-off that starts more than "
         "1 m above the water stays above it, another one goes no deeper than twice the "
         "draught (vessel.hull.draft_m or vessel.waves.draft_m, without them 10 m)."},
    {"validity.strain", AS_NUMBER, .range = POSITIVE, .fallback = "0.05", AT(out.sim.validity.strain),
     .doc = "Largest longitudinal strain of the pipe's steel."},
    {"validity.brard_number", AS_NUMBER, .range = POSITIVE, .fallback = "0.25",
     AT(out.sim.validity.brard_number),
     .doc =
         "Largest horizontal speed through the water of a vessel with a hydro file in waves, times 2 pi/(g "
         "peak period): the file holds for a vessel without way."},
    {"validity.sinking_diameters", AS_NUMBER, .range = POSITIVE, .fallback = "0.5",
     AT(out.sim.validity.sinking_diameters),
     .doc = "Largest penetration of the pipe into the seabed, in outer diameters."},
};

static const struct key_rows VALIDITY_ROWS = KEY_ROWS(VALIDITY_KEYS);
static const struct key_group VALIDITY_GROUPS[] = {{.rows = &VALIDITY_ROWS, .prefix = ""}};
const struct config_section VALIDITY_SECTION = {VALIDITY_GROUPS, 1, NULL, NULL, NULL};
