#include "lab/sweep/rao_case.h"

#include "sagbend/base/number_range.h"
#include "net/case/case.h"
#include "lab/sweep/linear_answer.h"

#include <math.h>
#include <stdlib.h>

struct limits {
  const char *option, *expected;
  double least, most;
  int count;
};

static enum status read_range(const struct limits *limits, const char *text, double *value, int *count,
                              struct reason *why) {
  struct number_range range;
  if (!text || !number_range_read(text, limits->count, &range) || !(range.first >= limits->least) ||
      !(range.last <= limits->most))
    return fail(why, STATUS_BAD_INPUT,
                "--%s: FIRST:LAST:STEP or a number expected, %s, at most %d values, got '%.60s'",
                limits->option, limits->expected, limits->count, text ? text : "nothing");
  *count = range.count;
  for (int i = 0; i < range.count; i++)
    value[i] = number_range_at(&range, i);
  return STATUS_OK;
}

// Reads two ranges FIRST:LAST:STEP, or single numbers. STATUS_BAD_INPUT: why names the option.
static enum status read_grid(const char *frequencies, const char *headings, struct rao_grid *out,
                             struct reason *why) {
  static const struct limits frequency = {"frequencies", "in rad/s from 0.01 to 10", 0.01, 10,
                                          RAO_MAX_FREQUENCIES},
                             heading = {"headings", "in degrees from 0 to 360", 0, 360, RAO_MAX_HEADINGS};
  enum status status = read_range(&frequency, frequencies, out->omega_radps, &out->frequencies, why);
  return status == STATUS_OK ? read_range(&heading, headings, out->heading_deg, &out->headings, why) : status;
}

const double RAO_WAVE_AMPLITUDE_M =
    0.01; // small: what is quadratic in it, as a mean heading, is nothing beside it

static const double HOLD_SHARE = 0.1;   // frequency of the hold, of the lowest wave frequency
static const double HOLD_DAMPING = 0.2; // of critical damping
static const double SHORTEST_SETTLE_S = 500;

static enum status check_case(const struct rao_options *o, const struct rao_case *c, struct reason *why) {
  const struct hydro_data *data = c->config->hydro;
  const struct rao_grid *grid = &c->grid;
  if (!data)
    return fail(why, STATUS_BAD_INPUT,
                "%.200s: vessel.hydro_file: the path of a hydro file expected, got nothing: it contains the "
                "wave forces and the linear answer",
                o->case_path);
  if (c->config->sim.pipe.elements > 0)
    return fail(
        why, STATUS_BAD_INPUT,
        "%.200s: pipe: a case without a pipe expected: the linear answer is that of the vessel alone; "
        "leave it out by --set pipe=null --set statics=null",
        o->case_path);
  if (!data->force.frequencies)
    return fail(why, STATUS_BAD_INPUT, "%.200s: wave forces expected, the file has none",
                c->config->hydro_file);
  double first = data->force.omega_radps[0], last = data->force.omega_radps[data->force.frequencies - 1];
  if (grid->omega_radps[0] < first || grid->omega_radps[grid->frequencies - 1] > last * (1 - 1e-9))
    return fail(why, STATUS_BAD_INPUT,
                "--frequencies: from %.6g to %.6g rad/s expected, the range of %.200s, got '%.60s'", first,
                last, c->config->hydro_file, o->frequencies);
  return STATUS_OK;
}

// Springs and dampers that keep the vessel in its place and act little at the frequencies of the waves.
static void hold(struct rao_case *c) {
  const struct vessel_def *vessel = &c->config->sim.vessel;
  double omega = HOLD_SHARE * c->grid.omega_radps[0];
  for (int i = 0; i < 6; i++) {
    int is_held = i == 0 || i == 1 || i == 5;
    double inertia = vessel->inertia[i][i] + c->hydro->added_mass_zero[i][i] - c->hydro->added_mass_inf[i][i];
    c->hold_stiffness[i] = is_held ? omega * omega * inertia : 0;
    c->hold_damping[i] = is_held ? 2 * HOLD_DAMPING * omega * inertia : 0;
  }
  c->settle_s = fmax(SHORTEST_SETTLE_S, 15 / omega);
}

static void raise_peaks(struct rao_case *c, const double motion[12]) {
  for (int i = 0; i < 6; i++)
    c->peak[i] = fmax(c->peak[i], hypot(motion[2 * i], motion[2 * i + 1]));
}

// The largest motions of the file and of the linear answer, which may have more, as roll without tanks.
static void find_peaks(struct rao_case *c) {
  const struct hydro_table *motion = &c->hydro->motion, *force = &c->hydro->force;
  double found[12];
  for (int f = 0; f < motion->frequencies; f++)
    for (int h = 0; h < motion->headings; h++)
      raise_peaks(c, hydro_table_at(motion, f, h));
  for (int f = 0; f < force->frequencies; f++)
    for (int h = 0; h < force->headings; h++) {
      if (force->omega_radps[f] < c->grid.omega_radps[0]) // where the hold counts
        continue;
      linear_answer(c, force->omega_radps[f], force->heading_rad[h], found);
      raise_peaks(c, found);
    }
}

enum status rao_case_read(const struct rao_options *o, struct rao_case *c, struct reason *why) {
  *c = (struct rao_case){.config = NULL};
  enum status status = read_grid(o->frequencies, o->headings, &c->grid, why);
  if (status != STATUS_OK)
    return status;
  c->config = calloc(1, sizeof *c->config);
  if (!c->config)
    return fail(why, STATUS_NO_MEMORY, "out of memory");
  status = config_load(o->case_path, (const char *const *)o->overrides, o->override_count, c->config, stderr);
  if (status != STATUS_OK) { // its errors are printed
    free(c->config);
    c->config = NULL;
    return status;
  }
  status = check_case(o, c, why);
  c->hydro = c->config->hydro;
  if (status == STATUS_OK) {
    hold(c);
    find_peaks(c);
  }
  return status;
}

void rao_case_free(struct rao_case *c) {
  if (c->config)
    config_free(c->config);
  free(c->config);
  c->config = NULL;
}
