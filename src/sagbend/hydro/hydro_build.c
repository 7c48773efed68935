// The hull of a case from coefficients: which motions have a memory, fitted in groups.
#include "sagbend/hydro/hydro.h"

#include "sagbend/hydro/hydro_internal.h"
#include "sagbend/math/math.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_IN_GROUP = 8, MOST_IN_ONE = 6, USUAL_IN_ALL = 14, MOST_IN_ALL = 16, MOST_OUTLIERS_SHARE = 10 };
// The fit is guided below the range by two frequencies and by one of slow motion, without damping.
enum { SLOW = 1, ANCHORS = 3 };
// Weights of slow motion and of the other frequencies below the range that are tried in turn.
static const struct {
  double slow, anchors;
} TRIALS[] = {{1000, 3}, {600, 0.1}, {300, 0.03}, {1000, 0}, {0, 3}};
static const double SLOW_DAMPING = 1e-4;                      // of the peaks, that slow motion may have
static const double ANCHOR_PLACES[ANCHORS] = {0.1, 0.2, 0.5}; // of the lowest frequency
static const double SLOW_RADPS = 0.01;                        // the first of them, if that is lower
static const double COARSE = 0.05;                            // a tolerance above it is not worth many trials
static const double GOAL = 0.5; // of the tolerance, where the usual order reaches it
static const double WEIGHT_OF_MOTIONS = 3, MOST_WEIGHT = 15; // errors that change motions count more
static const double SMALL_COUPLING = 0.01;  // of the peaks: port and starboard are mirror images
static const double RADIATES_LITTLE = 0.02; // of the peaks: the range of the fit ends
static const double OUTLIER = 5;            // times the median of the errors

// The frequencies that the fit uses, in a row.
struct used {
  int count, index[MAX_HYDRO_FREQUENCIES + ANCHORS];
  double omega[MAX_HYDRO_FREQUENCIES + ANCHORS];            // first those below the range
  double (*added)[6][6], (*damping)[6][6], (*weight)[6][6]; // owned
};

struct groups {
  int count;
  int is_fine; // 1: of the motions that are coupled, not vertical and lateral ones
  struct fit_data data[6];
  struct fit_result result[6];
};

// A and B below the range where the files give A(0): both change by the square of the frequency.
static void between_zero(const struct hydro_raw *raw, int first, double share, double added[6][6],
                         double damping[6][6]) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      double zero = raw->added_mass_zero[i][j];
      added[i][j] = zero + share * share * (raw->added_mass[first][i][j] - zero);
      damping[i][j] = share * share * raw->damping[first][i][j];
    }
}

static void take_used(const struct hydro_raw *raw, struct used *used) {
  double peak[6];
  used->count = 0;
  int first = 0;
  while (first < raw->frequencies - 1 && raw->is_left_out[first])
    first++;
  for (int k = 0; k < ANCHORS; k++, used->count++) {
    used->omega[k] = ANCHOR_PLACES[k] * raw->omega_radps[first];
    used->index[k] = first;
    if (k < SLOW) {
      used->omega[k] = fmin(used->omega[k], SLOW_RADPS);
      memset(used->added[k], 0, sizeof used->added[k]);
      memset(used->damping[k], 0, sizeof used->damping[k]);
    } else if (raw->has_zero)
      between_zero(raw, first, ANCHOR_PLACES[k], used->added[k], used->damping[k]);
    else
      kramers_kronig_below(raw, used->omega[k], used->added[k], used->damping[k]);
  }
  damping_peaks(raw, peak);
  hydro_raw_sensitivity(raw, peak, used->weight + ANCHORS);
  for (int f = 0; f < raw->frequencies; f++) {
    if (raw->is_left_out[f])
      continue;
    int at = used->count++;
    used->index[at] = f;
    used->omega[at] = raw->omega_radps[f];
    memcpy(used->added[at], raw->added_mass[f], sizeof used->added[at]);
    memcpy(used->damping[at], raw->damping[f], sizeof used->damping[at]);
    for (int i = 0; i < 6; i++) // at <= f + ANCHORS: entries that are still needed stay
      for (int j = 0; j <= i; j++) {
        double sensitivity = fmax(used->weight[f + ANCHORS][i][j], used->weight[f + ANCHORS][j][i]);
        used->weight[at][i][j] = used->weight[at][j][i] =
            fmin(fmax(WEIGHT_OF_MOTIONS * sensitivity, 1), MOST_WEIGHT);
      }
  }
}

// Leaves out the frequencies above the range in which the vessel radiates: there B carries no information,
// and small errors of A weigh much. Returns the first of them.
static int end_range(struct hydro_raw *raw, struct hydro_report *report) {
  enum { IN_A_ROW = 3 };
  double peak[6];
  int row = 0, has_radiated = 0, end = -1;
  damping_peaks(raw, peak);
  for (int f = 0; f < raw->frequencies && end < 0; f++) {
    double most = 0;
    for (int i = 0; i < 6; i++)
      if (peak[i] > 0)
        most = fmax(most, raw->damping[f][i][i] / peak[i]);
    has_radiated |= most > 0.5;
    if (raw->is_left_out[f])
      continue;
    row = has_radiated && most < RADIATES_LITTLE ? row + 1 : 0;
    if (row == IN_A_ROW)
      end = f;
  }
  if (end < 0 || end == raw->frequencies - 1)
    return raw->frequencies;
  report_line(report, "fit: up to %.5g rad/s; above, the damping is below %g %% of its peaks",
              raw->omega_radps[end], 100 * RADIATES_LITTLE);
  for (int f = end + 1; f < raw->frequencies; f++)
    raw->is_left_out[f] = 1;
  return end + 1;
}

// Whether two degrees of freedom with damping are coupled.
static void find_couplings(const struct used *used, const double peak[6], int is_coupled[6][6]) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      double most = 0;
      for (int f = 0; f < used->count && peak[i] > 0 && peak[j] > 0; f++)
        most = fmax(most, hypot(used->damping[f][i][j], used->omega[f] * used->added[f][i][j]) /
                              sqrt(peak[i] * peak[j]));
      is_coupled[i][j] = most >= SMALL_COUPLING;
    }
}

// Groups of degrees of freedom by the number of each: vertical (0) and lateral (1) ones if they are not
// coupled, all in one (0) otherwise; of fine groups those that are coupled, also through others.
static void divide(const int is_coupled[6][6], int is_fine, int group[6]) {
  int is_divided = 1;
  for (int i = 0; i < 6; i++)
    for (int j = i + 1; j < 6; j += 2)
      is_divided &= !is_coupled[i][j];
  for (int i = 0; i < 6; i++)
    group[i] = is_fine ? i : is_divided ? i % 2 : 0;
  for (int changes = is_fine; changes;) {
    changes = 0;
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++)
        if (is_coupled[i][j] && group[j] > group[i])
          group[j] = group[i], changes = 1;
  }
}

// Those without damping belong to no group.
static void find_groups(const struct hydro_raw *raw, const struct used *used, int is_fine,
                        struct groups *groups) {
  double peak[6];
  int group[6], is_coupled[6][6];
  damping_peaks(raw, peak);
  find_couplings(used, peak, is_coupled);
  divide((const int (*)[6])is_coupled, is_fine, group);
  groups->count = 0;
  groups->is_fine = is_fine;
  for (int g = 0; g < 6; g++) {
    struct fit_data data = {.frequencies = used->count,
                            .anchors = ANCHORS,
                            .slow = SLOW,
                            .omega_radps = used->omega,
                            .added_mass = (const double (*)[6][6])used->added,
                            .damping = (const double (*)[6][6])used->damping,
                            .added_mass_inf = raw->has_inf ? (const double (*)[6])raw->added_mass_inf : NULL,
                            .weight = (const double (*)[6][6])used->weight,
                            .first_radps = used->omega[ANCHORS],
                            .last_radps = used->omega[used->count - 1]};
    for (int i = 0; i < 6; i++)
      if (peak[i] > 0 && group[i] == g)
        data.dof[data.count++] = i;
    if (data.count > 0)
      groups->data[groups->count++] = data;
  }
}

// Whether a fit damps slow motion.
static int damps_slowly(const struct fit_data *data, const struct fit_result *fit) {
  double ratio[6];
  memory_fit_damping(data, fit, fmin(SLOW_RADPS, data->omega_radps[0]), ratio);
  for (int a = 0; a < data->count; a++)
    if (!(ratio[a] <= SLOW_DAMPING))
      return 1;
  return 0;
}

static int is_better(const struct fit_data *data, const struct fit_result *a, const struct fit_result *b,
                     double tolerance) {
  if ((a->error <= tolerance) != (b->error <= tolerance))
    return a->error <= tolerance;
  if (a->error <= tolerance && damps_slowly(data, a) != damps_slowly(data, b))
    return !damps_slowly(data, a);
  return a->weighted_error < b->weighted_error;
}

// The best of the fits with different weights of what lies below the range; the first that reaches the goal
// is good enough.
static enum status fit_group(struct fit_data *data, double tolerance, int most, struct fit_result *best) {
  const int trials = sizeof TRIALS / sizeof *TRIALS;
  for (int k = 0; k < trials; k++) {
    struct fit_result result;
    data->slow_weight = TRIALS[k].slow;
    data->anchor_weight = TRIALS[k].anchors;
    if (memory_fit(data, GOAL * tolerance, most, &result) != STATUS_OK)
      return STATUS_NO_MEMORY;
    if (k == 0 || is_better(data, &result, best, tolerance))
      *best = result;
    double enough = tolerance > COARSE ? tolerance : GOAL * tolerance;
    if (best->weighted_error <= enough && !damps_slowly(data, best))
      break;
  }
  return STATUS_OK;
}

static int is_whole(const struct groups *groups) {
  return groups->count == 1 && groups->data[0].count > 3;
}

static int most_of(const struct groups *groups, int g) {
  return is_whole(groups) ? USUAL_IN_ALL : groups->data[g].count == 1 ? MOST_IN_ONE : MOST_IN_GROUP;
}

// Takes oscillators away, one at a time, until the usual number is left, where the tolerance permits it.
static enum status share_out(struct groups *groups, double tolerance) {
  int count = 0, is_less = 1;
  for (int g = 0; g < groups->count; g++)
    count += groups->result[g].count;
  while (count > USUAL_IN_ALL && is_less) {
    is_less = 0;
    for (int g = 0; g < groups->count && !is_less; g++) {
      struct fit_result smaller;
      enum status status = fit_group(&groups->data[g], tolerance, groups->result[g].count - 1, &smaller);
      if (status != STATUS_OK)
        return status;
      if (!(smaller.error <= tolerance) || damps_slowly(&groups->data[g], &smaller))
        continue;
      groups->result[g] = smaller;
      count--;
      is_less = 1;
    }
  }
  return STATUS_OK;
}

// A group that does not reach the tolerance gets the most oscillators, without the weights.
static enum status fit_groups(struct groups *groups, double tolerance, struct reason *why) {
  enum status status = STATUS_OK;
  int is_reached = 1;
  for (int g = 0; g < groups->count && status == STATUS_OK; g++) {
    status = fit_group(&groups->data[g], tolerance, most_of(groups, g), &groups->result[g]);
    is_reached &= groups->result[g].error <= tolerance;
  }
  if (status == STATUS_OK && is_reached)
    status = share_out(groups, tolerance);
  for (int g = 0; g < groups->count && status == STATUS_OK; g++) {
    if (groups->result[g].error <= tolerance)
      continue;
    groups->data[g].weight = NULL;
    groups->data[g].anchor_weight = groups->data[g].slow_weight = 0;
    status = memory_fit(&groups->data[g], tolerance, is_whole(groups) ? MOST_IN_ALL : most_of(groups, g),
                        &groups->result[g]);
  }
  return status == STATUS_OK ? status : fail(why, STATUS_NO_MEMORY, "out of memory for the fit");
}

static double worst_of(const struct groups *groups) {
  double worst = 0;
  for (int g = 0; g < groups->count; g++)
    worst = fmax(worst, groups->result[g].error);
  return worst;
}

// Fits each motion apart from those that it is not coupled with, as heave of a hull that is symmetric fore
// and aft: smaller groups reach more. Keeps the groups as they are where that does not reach the tolerance.
static enum status fit_fine_groups(const struct hydro_raw *raw, const struct used *used,
                                   struct groups *groups, double tolerance, struct reason *why) {
  struct groups *fine = calloc(1, sizeof *fine);
  if (!fine)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the fit");
  find_groups(raw, used, 1, fine);
  enum status status = fine->count > groups->count ? fit_groups(fine, tolerance, why) : STATUS_OK;
  if (status == STATUS_OK && fine->count > groups->count && worst_of(fine) <= tolerance)
    *groups = *fine;
  free(fine);
  return status;
}

// Leaves out single frequencies that the best fit misses by far more than all others. Returns how many.
static int leave_outliers(struct hydro_raw *raw, const struct used *used, const struct groups *groups,
                          double tolerance, struct hydro_report *report) {
  double error[MAX_HYDRO_FREQUENCIES + ANCHORS], sorted[MAX_HYDRO_FREQUENCIES];
  int outliers = 0;
  for (int f = ANCHORS; f < used->count; f++) {
    error[f] = 0;
    for (int g = 0; g < groups->count; g++)
      error[f] = fmax(error[f], memory_fit_error_at(&groups->data[g], &groups->result[g], f));
    int at = f - ANCHORS;
    for (; at > 0 && sorted[at - 1] > error[f]; at--)
      sorted[at] = sorted[at - 1];
    sorted[at] = error[f];
  }
  double limit = fmax(tolerance, OUTLIER * sorted[(used->count - ANCHORS) / 2]);
  for (int f = ANCHORS; f < used->count; f++)
    outliers += error[f] > limit;
  if (outliers == 0 || outliers * MOST_OUTLIERS_SHARE > used->count)
    return 0;
  for (int f = ANCHORS; f < used->count; f++)
    if (error[f] > limit) {
      raw->is_left_out[used->index[f]] = 1;
      report_line(
          report,
          "fit: %.5g rad/s left out, an irregular frequency: it alone is missed by %.3g %% of the peaks",
          used->omega[f], 100 * error[f]);
    }
  return outliers;
}

// Puts the groups together. Elements of A_inf outside all groups: from the file, or the mean of A.
static void join(const struct hydro_raw *raw, const struct used *used, const struct groups *groups,
                 struct hydro_data *out) {
  struct hydro_memory *memory = &out->memory;
  int is_in_group[6][6] = {{0}};
  for (int g = 0; g < groups->count; g++) {
    const struct fit_result *fit = &groups->result[g];
    for (int i = 0; i < fit->count; i++) {
      int at = memory->count + i;
      memory->omega_radps[at] = fit->omega_radps[i];
      memcpy(memory->drive[at], fit->drive[i], sizeof fit->drive[i]);
      for (int j = 0; j < fit->count; j++)
        memory->damping_1ps[at][memory->count + j] = fit->damping_1ps[i][j];
    }
    memory->count += fit->count;
    for (int a = 0; a < groups->data[g].count; a++)
      for (int b = 0; b < groups->data[g].count; b++) {
        int i = groups->data[g].dof[a], j = groups->data[g].dof[b];
        is_in_group[i][j] = 1;
        out->added_mass_inf[i][j] = fit->added_mass_inf[i][j];
      }
  }
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      if (is_in_group[i][j])
        continue;
      double sum = 0;
      for (int f = ANCHORS; f < used->count; f++)
        sum += used->added[f][i][j];
      out->added_mass_inf[i][j] = raw->has_inf ? raw->added_mass_inf[i][j] : sum / (used->count - ANCHORS);
    }
}

static const char *name_of(const struct groups *groups, int g, char name[48]) {
  if (!groups->is_fine)
    return groups->count == 1 ? "one" : groups->data[g].dof[0] % 2 ? "lateral" : "vertical";
  *name = '\0';
  for (int a = 0; a < groups->data[g].count; a++)
    snprintf(name + strlen(name), 48 - strlen(name), "%s%s", a ? ", " : "",
             HYDRO_DOF[groups->data[g].dof[a]]);
  return name;
}

static void report_fit(const struct used *used, const struct groups *groups, double tolerance,
                       struct hydro_report *report) {
  int states = 0;
  for (int g = 0; g < groups->count; g++) {
    const struct fit_result *fit = &groups->result[g];
    char name[48];
    states += 2 * fit->count;
    report_line(report,
                "fit: %s group: %d oscillators, largest error %.2f %% of the peaks at %.5g rad/s (%s, %s)",
                name_of(groups, g, name), fit->count, 100 * fit->error, used->omega[fit->error_frequency],
                HYDRO_DOF[fit->error_row], HYDRO_DOF[fit->error_column]);
  }
  report_line(report, "fit: %d states, tolerance %g %%", states, 100 * tolerance);
}

static void report_added_mass(const struct hydro_raw *raw, const struct hydro_data *data,
                              struct hydro_report *report) {
  for (int i = 0; i < 6; i++)
    report_line(report, "%-6s A_inf %12.5g%s   A(0) %12.5g   A at %.4g rad/s %12.5g", HYDRO_DOF[i],
                data->added_mass_inf[i][i], raw->has_inf ? " of the file" : "", data->added_mass_zero[i][i],
                raw->omega_radps[0], raw->added_mass[0][i][i]);
}

// Where the fit is worst.
static void take_error(const struct groups *groups, const struct used *used, struct hydro_data *out) {
  const struct fit_result *worst = &groups->result[0];
  for (int g = 1; g < groups->count; g++)
    if (groups->result[g].error > worst->error)
      worst = &groups->result[g];
  out->fit.error = worst->error;
  out->fit.row = worst->error_row;
  out->fit.column = worst->error_column;
  out->fit.omega_radps = used->omega[worst->error_frequency];
}

static void report_motions(const struct hydro_data *data, struct hydro_report *report) {
  const double *e = data->fit.motion;
  if (!isnan(e[0]))
    report_line(report,
                "fit: motions change by up to %.2g, %.2g, %.2g, %.2g, %.2g, %.2g %% of their peaks (surge to "
                "yaw)",
                100 * e[0], 100 * e[1], 100 * e[2], 100 * e[3], 100 * e[4], 100 * e[5]);
}

static enum status judge(const struct hydro_raw *raw, const struct groups *groups, const struct used *used,
                         double tolerance, const struct hydro_data *data, struct reason *why) {
  for (int g = 0; g < groups->count; g++) {
    const struct fit_result *fit = &groups->result[g];
    if (!(fit->error <= tolerance))
      return fail(
          why, STATUS_BAD_INPUT,
          "the fit of the memory reaches %.3g %% of the peaks (%s, %s at %.5g rad/s, %d oscillators), "
          "%g %% expected; '--tolerance %.2g' accepts it",
          100 * fit->error, HYDRO_DOF[fit->error_row], HYDRO_DOF[fit->error_column],
          used->omega[fit->error_frequency], fit->count, 100 * tolerance, ceil(100 * worst_of(groups)) / 100);
  }
  double sum[6][6];
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      sum[i][j] = raw->mass[i][j] + data->added_mass_inf[i][j];
  if (raw->has_mass && !mat6_is_definite((const double (*)[6])sum, -1e-9))
    return fail(why, STATUS_BAD_INPUT, "mass plus A_inf is not positive definite");
  return STATUS_OK;
}

static void take_rest(struct hydro_raw *raw, struct hydro_data *out) {
  out->water_density_kgpm3 = raw->water_density_kgpm3;
  out->gravity_mps2 = raw->gravity_mps2;
  out->depth_m = raw->depth_m;
  out->displaced_kg = raw->displaced_kg;
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      out->mass[i][j] = raw->has_mass ? 0.5 * (raw->mass[i][j] + raw->mass[j][i]) : 0;
      out->restoring[i][j] = 0.5 * (raw->restoring[i][j] + raw->restoring[j][i]);
    }
  out->force = raw->force;
  out->drift = raw->drift;
  out->motion = raw->motion;
  raw->force = raw->drift = raw->motion = (struct hydro_table){0};
}

// The code's own A and B at the frequencies that are not wrong, also those above the range of the fit.
static enum status take_radiation(const struct hydro_raw *raw, const int *was_left_out, int end,
                                  struct hydro_data *out, struct reason *why) {
  int count = 0;
  if (hydro_table_create(&out->radiation, raw->frequencies, 1, RADIATION_WIDTH) != STATUS_OK)
    return fail(why, STATUS_NO_MEMORY, "out of memory for a table");
  for (int f = 0; f < raw->frequencies; f++) {
    if (f < end ? raw->is_left_out[f] : was_left_out[f])
      continue;
    double *entry = hydro_table_at(&out->radiation, count, 0);
    out->radiation.omega_radps[count++] = raw->omega_radps[f];
    for (int i = 0; i < 6; i++)
      for (int j = 0; j <= i; j++, entry++) {
        entry[0] = raw->added_mass[f][i][j];
        entry[RADIATION_WIDTH / 2] = raw->damping[f][i][j];
      }
  }
  out->radiation.frequencies = count;
  return STATUS_OK;
}

static enum status build(struct hydro_raw *raw, const struct hydro_build_options *options, struct used *used,
                         struct groups *groups, struct hydro_data *out, struct hydro_report *report,
                         struct reason *why) {
  enum status status;
  int was_left_out[MAX_HYDRO_FREQUENCIES];
  memcpy(was_left_out, raw->is_left_out, sizeof was_left_out);
  int end = end_range(raw, report);
  for (int is_last = 0;; is_last = 1) {
    take_used(raw, used);
    if (used->count < 8 + ANCHORS)
      return fail(why, STATUS_BAD_INPUT, "at least 8 good frequencies expected for the fit, got %d",
                  used->count - ANCHORS);
    find_groups(raw, used, 0, groups);
    status = fit_groups(groups, options->tolerance, why);
    if (status == STATUS_OK && worst_of(groups) > options->tolerance)
      status = fit_fine_groups(raw, used, groups, options->tolerance, why);
    if (status != STATUS_OK)
      return status;
    if (is_last || worst_of(groups) <= options->tolerance ||
        !leave_outliers(raw, used, groups, options->tolerance, report))
      break;
  }
  join(raw, used, groups, out);
  hydro_memory_added_mass_zero(&out->memory, (const double (*)[6])out->added_mass_inf, out->added_mass_zero);
  report_fit(used, groups, options->tolerance, report);
  report_added_mass(raw, out, report);
  status = judge(raw, groups, used, options->tolerance, out, why);
  if (status != STATUS_OK)
    return status;
  take_rest(raw, out);
  status = take_radiation(raw, was_left_out, end, out, why);
  if (status != STATUS_OK)
    return status;
  take_error(groups, used, out);
  if (options->scale > 0)
    hydro_scale(out, options->scale);
  hydro_shift(out, options->origin_m);
  hydro_fit_judge_motions(out);
  report_motions(out, report);
  return STATUS_OK;
}

enum status hydro_build(struct hydro_raw *raw, const struct hydro_build_options *options,
                        struct hydro_data *out, struct hydro_report *report, struct reason *why) {
  struct used used = {0};
  struct groups groups = {0};
  size_t count = (size_t)raw->frequencies + ANCHORS;
  *out = (struct hydro_data){0};
  used.added = calloc(count, sizeof *used.added);
  used.damping = calloc(count, sizeof *used.damping);
  used.weight = calloc(count, sizeof *used.weight);
  enum status status = used.added && used.damping && used.weight
                           ? build(raw, options, &used, &groups, out, report, why)
                           : fail(why, STATUS_NO_MEMORY, "out of memory for the fit");
  free(used.added);
  free(used.damping);
  free(used.weight);
  return status;
}
