// The vessel, its redundancy groups, the conditions, and what happens in them without a failure.
#include "lab/judge/exercise.h"
#include "lab/trials/trials_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double DEGREES = 57.29577951308232;

static void put_buses(const struct report *r) {
  const struct plant_def *plant = &r->config->sim.vessel.plant;
  for (int bus = 0; bus < plant->bus_count; bus++) {
    int count = 0;
    report_put(r->out, HTML_BUSES, plant->bus[bus].name, 1e-6 * plant->bus[bus].available_w);
    for (int i = 0; i < plant->thruster_count; i++)
      if (plant->thruster[i].bus == bus) {
        report_put(r->out, HTML_BUSES_2, count++ ? ", " : "", i + 1, plant->thruster[i].name);
      }
    report_put(r->out, HTML_BUSES_3);
  }
}

static void put_instruments(const struct report *r) {
  const struct instruments_def *all = &r->config->suite.instruments;
  for (int kind = 0; kind < INSTRUMENT_COUNT; kind++) {
    int count = 0;
    for (int i = 0; i < all->count; i++)
      count += all->instrument[i].kind == (enum instrument)kind;
    if (!count)
      continue;
    report_put(r->out, HTML_INSTRUMENTS, instrument_name((enum instrument)kind));
    for (int i = 0, k = 0; i < all->count; i++)
      if (all->instrument[i].kind == (enum instrument)kind) {
        fputs(k++ ? ", " : "", r->out);
        markup_put(r->out, all->instrument[i].name);
      }
    fprintf(r->out, "</td><td>%s</td></tr>\n",
            count == 1   ? "single: a check of rate and range only"
            : count == 2 ? "two: a difference shows, but not which is wrong"
                         : "a vote finds the odd one");
  }
}

static void put_groups(const struct report *r) {
  static const struct report_column columns[] = {
      {"Redundancy group", 40, 0}, {"Members", 76, 0}, {"What it means", 62, 0}};
  report_put_head(r->out, columns, 3);
  put_buses(r);
  put_instruments(r);
  report_put(r->out, HTML_GROUPS);
}

static double degrees(double radians) {
  return fmod(DEGREES * radians + 360, 360);
}

static void put_weather(const struct report *r, const struct env_def *env) {
  if (env->wind.present)
    report_put(r->out, HTML_WEATHER, env->wind.speed_mps, degrees(env->wind.direction_rad));
  else
    fputs("<td>none</td>", r->out);
  if (env->waves.present)
    report_put(r->out, HTML_WEATHER_2, env->waves.components > 0 ? "Hs" : "H", env->waves.height_m,
               env->waves.components > 0 ? "Tp" : "T", env->waves.period_s,
               degrees(env->waves.direction_rad));
  else
    fputs("<td>none</td>", r->out);
  if (env->current.point_count)
    report_put(r->out, HTML_WEATHER_3, env->current.point_count);
  else if (env->current.surface_mps != 0)
    report_put(r->out, HTML_WEATHER_4, env->current.surface_mps, degrees(env->current.direction_rad));
  else
    fputs("<td>none</td>", r->out);
}

static enum status put_conditions(const struct report *r) {
  static const struct report_column columns[] = {
      {"Condition", 20, 0}, {"Wind", 34, 0}, {"Waves", 46, 0}, {"Current", 38, 0}, {"Also set", 40, 0}};
  const struct trial_plan *p = r->j->plan;
  report_put_head(r->out, columns, 5);
  for (int c = 0; c < p->condition_count; c++) {
    const struct plan_settings *set = &p->condition[c].settings;
    struct config *config = exercise_config(p, c);
    if (!config)
      return STATUS_NO_MEMORY;
    report_put(r->out, HTML_CONDITIONS, p->condition[c].id);
    put_weather(r, &config->sim.env);
    config_free(config);
    free(config);
    fputs("<td>", r->out);
    for (int i = 0, k = 0; i < set->count; i++)
      if (strncmp(set->item[i].text, "environment.", 12) != 0) {
        fputs(k++ ? ", <code>" : "<code>", r->out);
        report_put(r->out, HTML_CONDITIONS_2, set->item[i].text);
      }
    fputs("</td></tr>\n", r->out);
  }
  fputs("</table>\n", r->out);
  return STATUS_OK;
}

// The value of a limit's quantity that lies nearest to the limit, or beyond it.
static double nearest(const struct trial_limit *limit, const struct observation *seen, int i) {
  double above = limit->range[1] - seen->high[i], below = seen->low[i] - limit->range[0];
  return below < above ? seen->low[i] : seen->high[i];
}

static void put_without(const struct report *r) {
  const struct trial_plan *p = r->j->plan;
  report_put(r->out, HTML_SYSTEM_WITHOUT);
  for (int i = 0; i < p->limit_count; i++)
    fprintf(r->out, "<col style=\"width:%.1fmm\">", fmin(24, 90.0 / p->limit_count));
  report_put(r->out, HTML_SYSTEM_WITHOUT_2);
  for (int i = 0; i < p->limit_count; i++) {
    report_put(r->out, HTML_SYSTEM_WITHOUT_3, p->limit[i].name);
  }
  fputs("<th>Judged</th></tr></thead>\n", r->out);
  for (int c = 0; c < p->condition_count; c++) {
    const struct observation *seen = &judgement_run(r->j, c, 0)->seen;
    report_put(r->out, HTML_SYSTEM_WITHOUT_4, p->condition[c].id,
               value_text(QUANTITY_OFFSET, seen->offset_m).text);
    for (int i = 0; i < p->limit_count; i++)
      report_put_number(r->out, "%s",
                        seen->is_there ? value_text(p->limit[i].quantity, nearest(&p->limit[i], seen, i)).text
                                       : "none");
    report_put(r->out, HTML_SYSTEM_WITHOUT_5,
               *r->j->outside[c] ? r->j->outside[c] : "yes: within all limits, no alarm");
  }
  report_put(r->out, HTML_SYSTEM_WITHOUT_6);
}

enum status report_put_system(const struct report *r) {
  report_put(r->out, HTML_SYSTEM);
  report_put_vessel(r);
  put_groups(r);
  fputs("<h3>Conditions</h3>\n", r->out);
  enum status status = put_conditions(r);
  put_without(r);
  return status;
}
