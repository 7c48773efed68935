// The vessel, its redundancy groups, the conditions, and what happens in them without a failure.
#include "lab/trials/trials_internal.h"

#include "lab/judge/judge.h"

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

static void put_controllers(const struct report *r) {
  const struct controllers_def *all = &r->config->scenario.controllers;
  const int has_b = *r->config->net.command_endpoint_b != 0;
  char names[MAX_CONTROLLERS * (SIGNAL_NAME + 2)] = "one";
  size_t used = 0;
  for (int i = 0; i < all->count; i++)
    used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", all->item[i].name);
  report_put(r->out, HTML_GROUPS, has_b ? "networks A and B" : "one network",
             has_b ? "either is enough" : "single", names,
             all->count ? "one commands, the others stand by" : "single");
}

static void put_groups(const struct report *r) {
  static const struct report_column columns[] = {
      {"Redundancy group", 40, 0}, {"Members", 76, 0}, {"What it means", 62, 0}};
  report_put_head(r->out, columns, 3);
  put_buses(r);
  put_instruments(r);
  put_controllers(r);
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

static void report_put_vessel(const struct report *r);

enum status report_put_system(const struct report *r) {
  report_put(r->out, HTML_SYSTEM);
  report_put_vessel(r);
  put_groups(r);
  fputs("<h3>Conditions</h3>\n", r->out);
  enum status status = put_conditions(r);
  put_without(r);
  return status;
}

// ------------------------------------------------------------
// The drawing of the vessel from above: outline, thrusters with their bus, instruments whose place counts.
// Each drawing has its own style: programs that make PDF do not let the page's style reach into it.

enum { WIDTH = 640, MARGIN = 16 };

static const char *const BUS_COLOURS[] = {"#b3261e", "#2e6e4e", "#1f4e8c", "#8a5a00", "#6b3fa0", "#444"};
enum { BUS_COLOUR_COUNT = sizeof BUS_COLOURS / sizeof *BUS_COLOURS };

struct sheet_frame {
  double forward[2], starboard[2]; // least and largest, m
  double scale;                    // per m
};

static void stretch(struct sheet_frame *f, double forward_m, double starboard_m) {
  f->forward[0] = fmin(f->forward[0], forward_m);
  f->forward[1] = fmax(f->forward[1], forward_m);
  f->starboard[0] = fmin(f->starboard[0], starboard_m);
  f->starboard[1] = fmax(f->starboard[1], starboard_m);
}

static struct sheet_frame frame_of(const struct config *c) {
  struct sheet_frame f = {{-1, 1}, {-1, 1}, 1};
  const struct plant_def *plant = &c->sim.vessel.plant;
  for (int i = 0; i < c->view.outline_count; i++)
    stretch(&f, c->view.outline[i].forward_m, c->view.outline[i].starboard_m);
  for (int i = 0; i < plant->thruster_count; i++)
    stretch(&f, plant->thruster[i].position_b_m[0], plant->thruster[i].position_b_m[1]);
  for (int i = 0; i < c->suite.instruments.count; i++)
    stretch(&f, c->suite.instruments.instrument[i].position_b_m[0],
            c->suite.instruments.instrument[i].position_b_m[1]);
  f.scale = (WIDTH - 2 * MARGIN) / (f.forward[1] - f.forward[0]);
  return f;
}

static double x_of(const struct sheet_frame *f, double forward_m) {
  return MARGIN + f->scale * (forward_m - f->forward[0]);
}
static double y_of(const struct sheet_frame *f, double starboard_m) {
  return MARGIN + f->scale * (starboard_m - f->starboard[0]);
}

static void put_thruster(const struct report *r, const struct sheet_frame *f, int index) {
  const struct thruster_def *d = &r->config->sim.vessel.plant.thruster[index];
  double x = x_of(f, d->position_b_m[0]), y = y_of(f, d->position_b_m[1]);
  const char *colour = d->bus < 0 ? "#444" : BUS_COLOURS[d->bus % BUS_COLOUR_COUNT];
  const enum thruster_steering steering = thruster_steering(d->kind);
  const int is_across = thruster_axis(d->kind) == AXIS_ACROSS;
  if (steering == STEERING_NONE)
    fprintf(r->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"%s\"/>",
            x - (is_across ? 2.5 : 22), y - (is_across ? 22 : 2.5), is_across ? 5 : 44, is_across ? 44 : 5,
            colour);
  else
    fprintf(r->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"9\" fill=\"%s\" stroke=\"%s\" stroke-width=\"3\"/>",
            x, y, steering == STEERING_TURNS ? "#fff" : colour, colour);
  fprintf(r->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" font-size=\"11\" fill=\"%s\">%d</text>",
          x, steering == STEERING_NONE ? y - 25 : y + 4, steering == STEERING_RUDDER ? "#fff" : "#1d1f23",
          index + 1);
}

static void put_instrument(const struct report *r, const struct sheet_frame *f,
                           const struct instrument_def *d) {
  double x = x_of(f, d->position_b_m[0]), y = y_of(f, d->position_b_m[1]);
  if (d->kind == INSTRUMENT_GNSS)
    fprintf(r->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"#1f4e8c\"/>", x, y);
  else if (d->kind == INSTRUMENT_WIND)
    fprintf(r->out, "<path d=\"M%.1f %.1fl5 5l-5 5l-5 -5z\" fill=\"#b98500\"/>", x, y - 5);
  else if (d->kind == INSTRUMENT_MOTION)
    fprintf(r->out, "<path d=\"M%.1f %.1fl4.5 8h-9z\" fill=\"#6b3fa0\"/>", x, y - 4);
  else if (d->position_b_m[0] != 0 || d->position_b_m[1] != 0)
    fprintf(r->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"7\" height=\"7\" fill=\"#555\"/>", x - 3.5, y - 3.5);
}

// the drawing in it
static void report_put_vessel(const struct report *r) {
  const struct config *c = r->config;
  struct sheet_frame f = frame_of(c);
  double height = y_of(&f, f.starboard[1]) + MARGIN;
  report_put(r->out, HTML_VESSEL, WIDTH, height);
  for (int i = 0; i < c->view.outline_count; i++)
    fprintf(r->out, "%s%.1f %.1f", i ? "L" : "<path fill=\"#f4f2ec\" stroke=\"#1d1f23\" d=\"M",
            x_of(&f, c->view.outline[i].forward_m), y_of(&f, c->view.outline[i].starboard_m));
  fputs(c->view.outline_count ? "z\"/>" : "", r->out);
  for (int i = 0; i < c->suite.instruments.count; i++)
    put_instrument(r, &f, &c->suite.instruments.instrument[i]);
  for (int i = 0; i < c->sim.vessel.plant.thruster_count; i++)
    put_thruster(r, &f, i);
  report_put(r->out, HTML_VESSEL_2);
}
