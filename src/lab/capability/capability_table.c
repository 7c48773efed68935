// The table for people, and the CSV file.
#include "lab/capability/capability.h"

#include "sagbend/math/trig.h"
#include "sagbend/power/power.h"
#include "os/files/output_file.h"

#include <math.h>
#include <stdio.h>

static const double AT_LIMIT = 0.999, DEG = 180 / TRIG_PI;

static void print_limits(const struct capability_model *m, const struct capability_point *p, FILE *out) {
  const struct plant_def *plant = &m->config.sim.vessel.plant;
  const char *between = "";
  for (int i = 0; i < plant->thruster_count; i++)
    if (p->share[i] >= AT_LIMIT)
      fprintf(out, "%s%s", between, plant->thruster[i].name), between = " ";
}

static void print_utilisation(double u, const char *missing) {
  if (u == 0)
    printf(" %6s", missing);
  else if (u > 99)
    printf(" %6s", "> 99");
  else
    printf(" %6.3f", u);
}

// Whether the case holds in no direction.
static int holds_nothing(const struct capability_model *m, int c) {
  for (int d = 0; d < m->direction_count; d++)
    if (capability_point_at(m, c, d)->limit_mps > 0.01)
      return 0;
  return 1;
}

// With a power plant: what its islands can give to the thrusters.
static void print_power(const struct capability_model *m, int c) {
  const struct plant_def *plant = &m->config.sim.vessel.plant;
  const struct power_left *power = &m->cases[c].power;
  const char *before = "power for the thrusters: ";
  if (m->level == 1 || !power_is_present(&plant->power))
    return;
  for (int b = 0; b < plant->bus_count; b++) {
    if (power->island[b] != b)
      continue;
    fputs(before, stdout);
    for (int k = b; k < plant->bus_count; k++)
      if (power->island[k] == b)
        printf("%s%s", k > b ? " and " : "", plant->bus[k].name);
    printf(" %.0f kW", power->drives_w[b] / 1000);
    before = ", ";
  }
  putchar('\n');
}

static void print_case(const struct capability_model *m, int c) {
  const struct plant_def *plant = &m->config.sim.vessel.plant;
  printf("\n%s\n", m->cases[c].name);
  print_power(m, c);
  printf("%9s %6s %10s %6s %6s", "direction", "number", "wind m/s", "u", "u next");
  for (int b = 0; b < plant->bus_count; b++)
    printf(" %*.40s kW", 10, plant->bus[b].name);
  puts("  at their limit");
  for (int d = 0; d < m->direction_count; d++) {
    const struct capability_point *p = capability_point_at(m, c, d);
    printf("%9.0f %6d %9.1f%s", m->direction_rad[d] * DEG, p->number, p->limit_mps, p->beyond ? "+" : " ");
    print_utilisation(p->at, "-");
    print_utilisation(p->next, "-");
    for (int b = 0; b < plant->bus_count; b++)
      printf(" %13.0f", p->bus_w[b] / 1000);
    fputs("  ", stdout);
    print_limits(m, p, stdout);
    putchar('\n');
  }
  if (holds_nothing(m, c))
    printf("%s: the vessel cannot hold itself even in calm weather\n", m->cases[c].name);
}

static void print_worst(const struct capability_model *m) {
  double least = HUGE_VAL;
  int worst_case = 0, worst_direction = 0;
  for (int c = 1; c < m->case_count; c++)
    for (int d = 0; d < m->direction_count; d++)
      if (capability_point_at(m, c, d)->limit_mps < least) {
        least = capability_point_at(m, c, d)->limit_mps;
        worst_case = c, worst_direction = d;
      }
  if (m->case_count > 1)
    printf("worst single failure: %s, weather from %.0f degrees: wind %.1f m/s\n", m->cases[worst_case].name,
           m->direction_rad[worst_direction] * DEG, least);
}

// A failure that leaves less than the declared ones: in which directions, and by how much at most.
static void print_worse_case(const struct capability_model *m, int c) {
  double most = 0;
  int count = 0, at = 0;
  for (int d = 0; d < m->direction_count; d++) {
    const double by = capability_declared_mps(m, d) - capability_point_at(m, c, d)->limit_mps;
    if (!capability_is_worse(m, c, d))
      continue;
    count++;
    if (by > most)
      most = by, at = d;
  }
  if (!count)
    return;
  printf("worse than declared: %s, from", m->cases[c].name);
  for (int d = 0; d < m->direction_count; d++)
    if (capability_is_worse(m, c, d))
      printf(" %.0f", m->direction_rad[d] * DEG);
  printf(" degrees; at %.0f by %.1f m/s: wind %.1f instead of %.1f m/s, number %d instead of %d\n",
         m->direction_rad[at] * DEG, most, capability_point_at(m, c, at)->limit_mps,
         capability_declared_mps(m, at), capability_point_at(m, c, at)->number,
         capability_declared_number(m, at));
}

static void print_intent(const struct capability_model *m) {
  if (!m->config.capability.intent_count)
    return;
  if (!m->declared_count) {
    puts("declared worst-case failure: not compared, --failures leaves it out");
    return;
  }
  const char *between = "";
  fputs("declared worst-case failure: ", stdout);
  for (int c = 1; c < m->case_count; c++)
    if (m->cases[c].is_declared)
      printf("%s%s", between, m->cases[c].name), between = ", ";
  puts(capability_compare(m).cases ? "; a single failure is worse"
       : m->is_complete            ? "; no single failure is worse"
                                   : "; no failure of the list is worse");
  for (int c = 1; c < m->case_count; c++)
    print_worse_case(m, c);
}

void capability_print(const struct capability_model *m) {
  printf("%s: capability, level %d, dynamic factor %g, external forces: %s\n", m->config.name, m->level,
         m->factor, m->external);
  if (m->has_current)
    printf("current %.4g m/s from %.4g degrees in place of the table's\n", m->current_mps,
           m->current_rad * DEG);
  printf("capability-L%d(%d, %d", m->level, capability_least(m, 0, 1, 1), capability_least(m, 0, 1, 0));
  if (m->case_count > 1)
    printf(", %d, %d", capability_least(m, 1, m->case_count, 1), capability_least(m, 1, m->case_count, 0));
  puts(")");
  print_worst(m);
  print_intent(m);
  for (int c = 0; c < m->case_count; c++)
    print_case(m, c);
  puts("\ndirection: from which the weather comes, degrees clockwise from the bow; u: utilisation of the "
       "thrust "
       "at the number, and\nat the next one; wind: up to which the vessel holds, + beyond the table (32.6 "
       "m/s); "
       "kW: power at the number");
}

static void write_rows(const struct capability_model *m, FILE *out) {
  const struct plant_def *plant = &m->config.sim.vessel.plant;
  fputs("case,direction_deg,number,utilisation,utilisation_next,limit_wind_mps,beyond_table", out);
  for (int b = 0; b < plant->bus_count; b++)
    fprintf(out, ",bus.%s_w", plant->bus[b].name);
  fputs(",at_limit\n", out);
  for (int c = 0; c < m->case_count; c++)
    for (int d = 0; d < m->direction_count; d++) {
      const struct capability_point *p = capability_point_at(m, c, d);
      fprintf(out, "%s,%.0f,%d,", m->cases[c].name, m->direction_rad[d] * DEG, p->number);
      if (p->at > 0)
        fprintf(out, "%.9g", p->at);
      fputc(',', out);
      if (p->next > 0 && isfinite(p->next))
        fprintf(out, "%.9g", p->next);
      fprintf(out, ",%.6g,%d", p->limit_mps, p->beyond);
      for (int b = 0; b < plant->bus_count; b++)
        fprintf(out, ",%.9g", p->bus_w[b]);
      fputc(',', out);
      print_limits(m, p, out);
      fputc('\n', out);
    }
}

enum status capability_write_csv(const struct capability_model *m, const char *path, struct reason *why) {
  struct output_file file;
  enum status status = output_file_open_atomic(&file, path, why);
  if (status != STATUS_OK)
    return status;
  write_rows(m, file.stream);
  return output_file_close(&file, why);
}
