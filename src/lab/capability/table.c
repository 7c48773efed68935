// The table for people, and the CSV file.
#include "lab/capability/capability.h"

#include "os/files/files.h"
#include "sagbend/math/math.h"
#include "sagbend/power/power.h"

#include <limits.h>
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

// ------------------------------------------------------------
// The result as JSON, with everything that it was computed from.

static void add_finite(cJSON *to, const char *name, double value) {
  if (isfinite(value) && value != 0)
    cJSON_AddNumberToObject(to, name, value);
  else
    cJSON_AddNullToObject(to, name);
}

static void add_hull(cJSON *root, const struct level1_hull *h) {
  cJSON *hull = cJSON_AddObjectToObject(root, "hull");
  const struct {
    const char *name;
    double value;
  } all[] = {{"length_m", h->length_m},
             {"beam_m", h->beam_m},
             {"draft_m", h->draft_m},
             {"underwater_length_m", h->underwater_length_m},
             {"underwater_centre_m", h->underwater_centre_m},
             {"bow_angle_deg", h->bow_angle_rad * DEG},
             {"waterplane_aft_m2", h->waterplane_aft_m2},
             {"frontal_area_m2", h->frontal_area_m2},
             {"lateral_area_m2", h->lateral_area_m2},
             {"wind_centre_m", h->wind_centre_m},
             {"current_area_m2", h->current_area_m2},
             {"current_centre_m", h->current_centre_m}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    cJSON_AddNumberToObject(hull, all[i].name, all[i].value);
}

static void add_level1_thruster(cJSON *item, const struct level1_thruster *t) {
  cJSON_AddNumberToObject(item, "diameter_m", t->diameter_m);
  cJSON_AddNumberToObject(item, "brake_power_w", t->power_w);
  cJSON_AddNumberToObject(item, "height_above_keel_m", t->height_m);
  cJSON_AddNumberToObject(item, "nominal_thrust_n", t->nominal_n);
}

static void add_thrusters(cJSON *root, const struct capability_model *m) {
  const struct plant_def *plant = &m->config.sim.vessel.plant;
  cJSON *list = cJSON_AddArrayToObject(root, "thrusters");
  for (int i = 0; i < plant->thruster_count; i++) {
    const struct thruster_def *t = &plant->thruster[i];
    cJSON *item = cJSON_CreateObject();
    cJSON_AddItemToArray(list, item);
    cJSON_AddStringToObject(item, "name", t->name);
    cJSON_AddStringToObject(item, "kind", THRUSTER_KINDS[t->kind].word);
    cJSON_AddItemToObject(item, "position_b_m", cJSON_CreateDoubleArray(t->position_b_m, 3));
    if (m->level == 1) {
      add_level1_thruster(item, &m->one.thruster[i]);
      continue;
    }
    cJSON_AddNumberToObject(item, "thrust_max_n", t->thrust_max_n);
    cJSON_AddNumberToObject(item, "ventilation_factor", t->ventilation);
    cJSON_AddNumberToObject(item, "inflow_loss_spm", t->inflow_loss_spm);
    cJSON_AddNumberToObject(item, "power_max_w", t->power_max_w);
    if (t->bus >= 0)
      cJSON_AddStringToObject(item, "bus", plant->bus[t->bus].name);
  }
  cJSON *buses = cJSON_AddArrayToObject(root, "buses");
  for (int b = 0; b < plant->bus_count; b++) {
    cJSON *item = cJSON_CreateObject();
    cJSON_AddItemToArray(buses, item);
    cJSON_AddStringToObject(item, "name", plant->bus[b].name);
    if (!power_is_present(&plant->power))
      cJSON_AddNumberToObject(item, "available_w", plant->bus[b].available_w);
  }
}

static void add_weather(cJSON *root) {
  cJSON *list = cJSON_AddArrayToObject(root, "weather");
  for (int n = 1; n <= WEATHER_NUMBERS; n++) {
    struct weather w = weather_of(n);
    cJSON *item = cJSON_CreateObject();
    cJSON_AddItemToArray(list, item);
    cJSON_AddNumberToObject(item, "number", n);
    cJSON_AddNumberToObject(item, "wind_mps", w.wind_mps);
    cJSON_AddNumberToObject(item, "significant_height_m", w.wave_height_m);
    cJSON_AddNumberToObject(item, "peak_period_s", w.peak_period_s);
    cJSON_AddNumberToObject(item, "current_mps", w.current_mps);
  }
}

static void add_loads(cJSON *root, const struct capability_model *m) {
  cJSON *list = cJSON_AddArrayToObject(root, "loads");
  for (int n = 1; n <= WEATHER_NUMBERS; n++)
    for (int d = 0; d < m->direction_count; d++) {
      struct weather w = weather_of(n);
      struct capability_loads loads = capability_loads_at(m, d, &w);
      cJSON *item = cJSON_CreateObject();
      cJSON_AddItemToArray(list, item);
      cJSON_AddNumberToObject(item, "number", n);
      cJSON_AddNumberToObject(item, "direction_deg", m->direction_rad[d] * DEG);
      cJSON_AddItemToObject(item, "wind_b", cJSON_CreateDoubleArray(loads.wind, 3));
      cJSON_AddItemToObject(item, "current_b", cJSON_CreateDoubleArray(loads.current, 3));
      cJSON_AddItemToObject(item, "waves_b", cJSON_CreateDoubleArray(loads.waves, 3));
      cJSON_AddItemToObject(item, "external_b", cJSON_CreateDoubleArray(loads.external, 3));
    }
}

static void add_point(cJSON *list, const struct capability_model *m, int c, int d) {
  const struct plant_def *plant = &m->config.sim.vessel.plant;
  const struct capability_point *p = capability_point_at(m, c, d);
  cJSON *item = cJSON_CreateObject();
  cJSON_AddItemToArray(list, item);
  cJSON_AddNumberToObject(item, "direction_deg", m->direction_rad[d] * DEG);
  cJSON_AddNumberToObject(item, "number", p->number);
  add_finite(item, "utilisation", p->at);
  add_finite(item, "utilisation_next", p->next);
  cJSON_AddNumberToObject(item, "utilisation_gap", p->bound);
  cJSON_AddNumberToObject(item, "limit_wind_mps", p->limit_mps);
  cJSON_AddBoolToObject(item, "beyond_table", p->beyond);
  cJSON_AddItemToObject(item, "thruster_share", cJSON_CreateDoubleArray(p->share, plant->thruster_count));
  cJSON_AddItemToObject(item, "bus_power_w", cJSON_CreateDoubleArray(p->bus_w, plant->bus_count));
}

static void add_published(cJSON *root, const struct capability_model *m) {
  cJSON *list = cJSON_AddArrayToObject(root, "published");
  for (int near = 1; near >= 0; near--)
    cJSON_AddItemToArray(list, cJSON_CreateNumber(capability_least(m, 0, 1, near)));
  for (int near = 1; near >= 0 && m->case_count > 1; near--)
    cJSON_AddItemToArray(list, cJSON_CreateNumber(capability_least(m, 1, m->case_count, near)));
}

// The declared worst-case failure, and where a single failure is worse.
static void add_intent(cJSON *root, const struct capability_model *m) {
  if (!m->config.capability.intent_count)
    return;
  cJSON *intent = cJSON_AddObjectToObject(root, "worst_case_failure");
  cJSON *declared = cJSON_AddArrayToObject(intent, "declared"), *worse;
  cJSON_AddBoolToObject(intent, "compared", m->declared_count > 0);
  cJSON_AddBoolToObject(intent, "all_failures", m->is_complete);
  if (m->declared_count)
    cJSON_AddBoolToObject(intent, "met", !capability_compare(m).cases);
  worse = cJSON_AddArrayToObject(intent, "worse");
  for (int c = 1; c < m->case_count; c++) {
    if (m->cases[c].is_declared)
      cJSON_AddItemToArray(declared, cJSON_CreateString(m->cases[c].name));
    for (int d = 0; d < m->direction_count; d++) {
      if (!capability_is_worse(m, c, d))
        continue;
      cJSON *item = cJSON_CreateObject();
      cJSON_AddItemToArray(worse, item);
      cJSON_AddStringToObject(item, "case", m->cases[c].name);
      cJSON_AddNumberToObject(item, "direction_deg", m->direction_rad[d] * DEG);
      cJSON_AddNumberToObject(item, "limit_wind_mps", capability_point_at(m, c, d)->limit_mps);
      cJSON_AddNumberToObject(item, "declared_wind_mps", capability_declared_mps(m, d));
      cJSON_AddNumberToObject(item, "number", capability_point_at(m, c, d)->number);
      cJSON_AddNumberToObject(item, "declared_number", capability_declared_number(m, d));
    }
  }
}

static void add_power(cJSON *item, const struct capability_model *m, int c) {
  const struct plant_def *plant = &m->config.sim.vessel.plant;
  const struct power_left *power = &m->cases[c].power;
  cJSON *list = cJSON_AddArrayToObject(item, "islands");
  for (int b = 0; m->level == 2 && b < plant->bus_count; b++) {
    if (power->island[b] != b)
      continue;
    cJSON *island = cJSON_CreateObject(), *buses = cJSON_AddArrayToObject(island, "buses");
    cJSON_AddItemToArray(list, island);
    for (int k = b; k < plant->bus_count; k++)
      if (power->island[k] == b)
        cJSON_AddItemToArray(buses, cJSON_CreateString(plant->bus[k].name));
    cJSON_AddNumberToObject(island, "thrusters_w", power->drives_w[b]);
  }
}

enum status capability_print_json(const struct capability_model *m, struct reason *why) {
  cJSON *root = json_begin();
  char hash[24];
  snprintf(hash, sizeof hash, "%016llx", (unsigned long long)m->config.model_hash);
  cJSON_AddStringToObject(root, "name", m->config.name);
  cJSON_AddNumberToObject(root, "level", m->level);
  cJSON_AddNumberToObject(root, "dynamic_factor", m->factor);
  cJSON_AddStringToObject(root, "external", m->external);
  cJSON_AddStringToObject(root, "model_hash", hash);
  if (m->has_current) {
    cJSON *current = cJSON_AddObjectToObject(root, "current");
    cJSON_AddNumberToObject(current, "speed_mps", m->current_mps);
    cJSON_AddNumberToObject(current, "from_deg", m->current_rad * DEG);
  }
  add_published(root, m);
  add_intent(root, m);
  cJSON *cases = cJSON_AddArrayToObject(root, "cases");
  for (int c = 0; c < m->case_count; c++) {
    cJSON *item = cJSON_CreateObject();
    cJSON_AddItemToArray(cases, item);
    cJSON_AddStringToObject(item, "name", m->cases[c].name);
    add_power(item, m, c);
    cJSON *points = cJSON_AddArrayToObject(item, "directions");
    for (int d = 0; d < m->direction_count; d++)
      add_point(points, m, c, d);
  }
  if (m->level == 1)
    add_hull(root, &m->one.hull);
  cJSON *skegs = m->level == 1 ? cJSON_AddArrayToObject(root, "skegs_m") : NULL;
  for (int i = 0; m->level == 1 && i < m->config.capability.skeg_count; i++)
    cJSON_AddItemToArray(skegs, cJSON_CreateDoubleArray(m->config.capability.skeg_m[i], 2));
  add_thrusters(root, m);
  add_weather(root);
  add_loads(root, m);
  char *text = json_end(root);
  if (!text)
    return fail(why, STATUS_NO_MEMORY, "out of memory");
  puts(text);
  cJSON_free(text);
  return STATUS_OK;
}

// ------------------------------------------------------------
// The polar plot as SVG: the wind up to which the vessel holds, 0 up, clockwise, linear from the centre.

static const double CENTRE = 400, RADIUS = 320, RING_MPS = 5, LARGEST_MPS = 35;

static const char *const COLOURS[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00",
                                      "#56b4e9", "#7f5f3f", "#8a8a00", "#5a3fa0", "#a0334f"};
enum { COLOUR_COUNT = sizeof COLOURS / sizeof *COLOURS };

static void point_at(double direction_rad, double wind_mps, double *x, double *y) {
  double r = RADIUS * wind_mps / LARGEST_MPS;
  *x = CENTRE + r * sin(direction_rad);
  *y = CENTRE - r * cos(direction_rad);
}

// Text of the file: the name may contain what SVG does not.
static void write_grid(FILE *out) {
  for (double wind = RING_MPS; wind <= LARGEST_MPS + 1e-9; wind += RING_MPS) {
    double r = RADIUS * wind / LARGEST_MPS;
    fprintf(out, "<circle cx=\"%g\" cy=\"%g\" r=\"%.1f\" class=\"grid\"/>\n", CENTRE, CENTRE, r);
  }
  for (int d = 0; d < 360; d += 30) {
    double x, y, tx, ty, rad = d * TRIG_PI / 180;
    point_at(rad, LARGEST_MPS, &x, &y);
    point_at(rad, LARGEST_MPS + 2.3, &tx, &ty);
    fprintf(out, "<line x1=\"%g\" y1=\"%g\" x2=\"%.1f\" y2=\"%.1f\" class=\"grid\"/>\n", CENTRE, CENTRE, x,
            y);
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"angle\">%d&#176;</text>\n", tx, ty + 5, d);
  }
  fprintf(out, "<path d=\"M%g %g l-9 22 v36 h18 v-36 z\" class=\"hull\"/>\n", CENTRE, CENTRE - 29);
}

// The direction in which the speeds of the rings meet the fewest curves.
static double scale_direction(const struct capability_model *m) {
  enum { FIRST = 75, STEP = 30, CLEAR_MPS = 1 };
  int best = FIRST, least = INT_MAX;
  for (int k = 0; k < 360; k += STEP) {
    const int degrees = (FIRST + k) % 360;
    const double place = degrees / 360.0 * m->direction_count;
    const int d = (int)place;
    int met = 0;
    for (int c = 0; c < m->case_count; c++) {
      const double from = capability_point_at(m, c, d)->limit_mps,
                   to = capability_point_at(m, c, (d + 1) % m->direction_count)->limit_mps,
                   here = from + (place - d) * (to - from);
      met += here > 0.5 * RING_MPS && fabs(remainder(here, RING_MPS)) < CLEAR_MPS;
    }
    if (met < least)
      best = degrees, least = met;
  }
  return best * TRIG_PI / 180;
}

// The speeds of the rings, over the curves, and what both axes are.
static void write_scale(FILE *out, const struct capability_model *m) {
  const double direction_rad = scale_direction(m);
  for (double wind = RING_MPS; wind <= LARGEST_MPS + 1e-9; wind += RING_MPS) {
    double x, y;
    point_at(direction_rad, wind, &x, &y);
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"ring\">%g m/s</text>\n", x, y + 4, wind);
  }
  fprintf(out,
          "<text x=\"%g\" y=\"%g\" class=\"angle\">rings: wind speed, m/s; angle: where the wind comes from, "
          "degrees off the bow</text>\n",
          CENTRE, CENTRE + RADIUS + 50);
}

// Wind that the vessel holds in a case; case_count: in every case.
static double limit_of(const struct capability_model *m, int c, int direction) {
  if (c < m->case_count)
    return capability_point_at(m, c, direction)->limit_mps;
  double least = HUGE_VAL;
  for (int i = 0; i < m->case_count; i++)
    least = fmin(least, capability_point_at(m, i, direction)->limit_mps);
  return least;
}

static void write_curve(FILE *out, const struct capability_model *m, int c, const char *attributes) {
  fputs("<polygon points=\"", out);
  for (int d = 0; d < m->direction_count; d++) {
    double x, y;
    point_at(m->direction_rad[d], limit_of(m, c, d), &x, &y);
    fprintf(out, "%.2f,%.2f ", x, y);
  }
  fprintf(out, "\" %s/>\n", attributes);
}

static int beyond_count(const struct capability_model *m, int c) {
  int count = 0;
  for (int d = 0; d < m->direction_count; d++)
    count += capability_point_at(m, c, d)->beyond;
  return count;
}

static void write_beyond(FILE *out, const struct capability_model *m, int c, const char *colour) {
  for (int d = 0; d < m->direction_count; d++) {
    const struct capability_point *p = capability_point_at(m, c, d);
    double x, y;
    point_at(m->direction_rad[d], p->limit_mps, &x, &y);
    if (p->beyond)
      fprintf(out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"3.5\" fill=\"white\" stroke=\"%s\"/>\n", x, y,
              colour);
  }
}

static void write_legend(FILE *out, const struct capability_model *m) {
  double x = 2 * CENTRE + 20, y = 120;
  int any_beyond = 0;
  for (int c = 0; c < m->case_count; c++, y += 22) {
    fprintf(out,
            "<line x1=\"%g\" y1=\"%g\" x2=\"%g\" y2=\"%g\" stroke=\"%s\" stroke-width=\"%s\"%s/>\n<text "
            "x=\"%g\" y=\"%g\">",
            x, y, x + 30, y, c ? COLOURS[(c - 1) % COLOUR_COUNT] : "black", c ? "1.5" : "4",
            c > COLOUR_COUNT ? " stroke-dasharray=\"6 3\"" : "", x + 38, y + 5);
    markup_put(out, m->cases[c].name);
    fputs(m->declared_count && m->cases[c].is_declared ? " (declared)</text>\n" : "</text>\n", out);
    any_beyond |= beyond_count(m, c) > 0;
  }
  fprintf(out,
          "<rect x=\"%g\" y=\"%g\" width=\"30\" height=\"12\" class=\"least\"/>\n<text x=\"%g\" "
          "y=\"%g\">holds in every case</text>\n",
          x, y - 6, x + 38, y + 5);
  if (any_beyond)
    fprintf(out,
            "<circle cx=\"%g\" cy=\"%g\" r=\"3.5\" fill=\"white\" stroke=\"black\"/>\n<text x=\"%g\" "
            "y=\"%g\">beyond the table (%.1f m/s)</text>\n",
            x + 15, y + 22, x + 38, y + 27, weather_of(WEATHER_NUMBERS).wind_mps);
}

static void write_title(FILE *out, const struct capability_model *m) {
  fputs("<text x=\"20\" y=\"30\" class=\"title\">", out);
  markup_put(out, m->config.name);
  fprintf(out,
          ": wind that the vessel holds, m/s</text>\n<text x=\"20\" y=\"52\">Level %d, dynamic factor %g, "
          "external forces: ",
          m->level, m->factor);
  markup_put(out, m->external);
  if (m->has_current)
    fprintf(out, ", current %.4g m/s from %.4g degrees", m->current_mps, m->current_rad * 180 / TRIG_PI);
  fprintf(out, ". capability-L%d(%d, %d", m->level, capability_least(m, 0, 1, 1),
          capability_least(m, 0, 1, 0));
  if (m->case_count > 1)
    fprintf(out, ", %d, %d", capability_least(m, 1, m->case_count, 1),
            capability_least(m, 1, m->case_count, 0));
  fputs(")</text>\n", out);
}

static void write_picture(FILE *out, const struct capability_model *m) {
  char style[128];
  double height = fmax(800, 180 + 22 * m->case_count);
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1120 %g\" width=\"1120\" height=\"%g\">\n"
          "<style>text{font:14px 'DejaVu Sans',sans-serif;fill:#222}.title{font-size:18px;font-weight:bold}"
          ".grid{fill:none;stroke:#ccc}.ring{font-size:11px;fill:#555;text-anchor:middle;"
          "paint-order:stroke;stroke:#fff;stroke-width:4px;stroke-linejoin:round}.angle{text-anchor:middle}"
          ".hull{fill:none;stroke:#999}.least{fill:#9ecae1;fill-opacity:.45}</style>\n"
          "<rect width=\"1120\" height=\"%g\" fill=\"white\"/>\n<g transform=\"translate(0 20)\">\n",
          height, height, height);
  write_curve(out, m, m->case_count, "class=\"least\"");
  write_grid(out);
  for (int c = m->case_count - 1; c >= 0; c--) {
    const char *colour = c ? COLOURS[(c - 1) % COLOUR_COUNT] : "black";
    snprintf(style, sizeof style, "fill=\"none\" stroke=\"%s\" stroke-width=\"%s\"%s", colour,
             c ? "1.5" : "4", c > COLOUR_COUNT ? " stroke-dasharray=\"6 3\"" : "");
    write_curve(out, m, c, style);
    write_beyond(out, m, c, colour);
  }
  write_scale(out, m);
  fputs("</g>\n", out);
  write_title(out, m);
  write_legend(out, m);
  fputs("</svg>\n", out);
}

enum status capability_write_svg(const struct capability_model *m, const char *path, struct reason *why) {
  struct output_file file;
  enum status status = output_file_open_atomic(&file, path, why);
  if (status != STATUS_OK)
    return status;
  write_picture(file.stream, m);
  return output_file_close(&file, why);
}
