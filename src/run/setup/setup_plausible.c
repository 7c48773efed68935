#include "run/setup/plausible.h"

#include "sagbend/base/words.h"
#include "run/setup/setup_internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Whether the configuration says that it is meant: the key, or a section of it.
static int is_meant(const struct config *c, const char *key) {
  const char *words = c->meant;
  char word[128];
  while (words_next(&words, word, sizeof word)) {
    const size_t size = strlen(word);
    if (!strncmp(key, word, size) && (key[size] == '\0' || key[size] == '.'))
      return 1;
  }
  return 0;
}

void plausible_say(struct plausible *p, enum severity severity, enum where where, const char *key,
                   const char *format, ...) {
  const struct config_place at = config_place_of(where == IN_CASE ? p->places : p->dp_places, key);
  char text[480], line[1400];
  va_list arguments;
  if (severity == MEANT_PERHAPS && is_meant(p->c, key))
    return;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (at.is_withheld)
    snprintf(text, sizeof text, "a value that agrees with the vessel expected");
  snprintf(line, sizeof line, "%s: %s: %s: %s",
           *at.text           ? at.text
           : where == IN_CASE ? p->path
                              : p->c->dp_file,
           severity == NOT_MEANT ? "error" : "notice", key, text);
  p->errors += severity == NOT_MEANT;
  p->say(p->context, line);
}

struct plausible_key plausible_key(const char *format, ...) {
  struct plausible_key out;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(out.text, sizeof out.text, format, arguments);
  va_end(arguments);
  return out;
}

int plausible_is_within(double value, double least, double most) {
  return value == 0 || !isfinite(value) || (value >= least && value <= most);
}

struct extent plausible_extent(const struct config *c) {
  const struct vessel_def *v = &c->sim.vessel;
  struct extent out = {.length_m = fmax(v->hull.length_m, v->waves.length_m),
                       .beam_m = fmax(v->hull.beam_m, v->waves.beam_m),
                       .draft_m = fmax(v->hull.draft_m, v->waves.draft_m),
                       .centre_x_m = v->hull.length_m > 0 ? v->hull.centre_x_b_m : v->waves.centre_x_b_m};
  for (int i = 0; i < c->view.outline_count; i++) {
    out.length_m = fmax(out.length_m, 2 * fabs(c->view.outline[i].forward_m - out.centre_x_m));
    out.beam_m = fmax(out.beam_m, 2 * fabs(c->view.outline[i].starboard_m));
  }
  return out;
}

void plausible_place(struct plausible *p, enum where where, const char *key, const double position_b_m[3]) {
  static const double LONGEST = 250, WIDEST = 100,
                      HIGHEST = 150; // half a length, half a beam, a height, of the largest
  const struct extent hull = plausible_extent(p->c);
  const double along = hull.length_m > 0 ? 0.65 * hull.length_m + 3 : LONGEST,
               across = hull.beam_m > 0 ? 0.7 * hull.beam_m + 3 : WIDEST;
  const double x = position_b_m[0] - hull.centre_x_m, y = position_b_m[1], z = position_b_m[2];
  if (fabs(x) > along)
    plausible_say(
        p, MEANT_PERHAPS, where, key,
        "a place within %.3g m of midships expected, got %g m forward: metres are expected, and x is forward",
        along, position_b_m[0]);
  else if (fabs(y) > across)
    plausible_say(
        p, MEANT_PERHAPS, where, key,
        "a place within %.3g m of the centre line expected, got %g m to starboard: x is forward, y to "
        "starboard",
        across, y);
  else if (fabs(z) > HIGHEST)
    plausible_say(p, MEANT_PERHAPS, where, key, "a height within %.3g m expected, got z = %g m", HIGHEST, z);
}

static void say_turn(void *context, const char *key, double degrees) {
  struct plausible *p = context;
  plausible_say(p, MEANT_PERHAPS, IN_CASE, key,
                "an angle from -360 to 360 degrees expected, got %g, which is %g", degrees,
                remainder(degrees, 360));
}

static void say_dp_turn(void *context, const char *key, double degrees) {
  struct plausible *p = context;
  plausible_say(p, MEANT_PERHAPS, IN_DP_FILE, key,
                "an angle from -360 to 360 degrees expected, got %g, which is %g", degrees,
                remainder(degrees, 360));
}

int plausible_check(const struct setup *setup, const struct case_options *options, const struct sim *sim,
                    void (*say)(void *context, const char *line), void *context) {
  const struct config *c = &setup->config;
  struct config_places *places =
                           config_places_open(options->config_path, (const char *const *)options->overrides,
                                              options->override_count, CONFIG_FILE),
                       *dp_places =
                           setup->has_dp ? config_places_open(c->dp_file, NULL, 0, DP_CONFIG_FILE) : NULL;
  struct plausible p = {.setup = setup,
                        .c = c,
                        .path = options->config_path,
                        .sim = sim,
                        .places = places,
                        .dp_places = dp_places,
                        .say = say,
                        .context = context};
  config_places_turns(places, say_turn, &p);
  config_places_turns(dp_places, say_dp_turn, &p);
  plausible_sea(&p);
  plausible_vessel(&p);
  plausible_pipe(&p);
  if (setup->has_dp)
    plausible_dp(&p);
  config_places_close(places);
  config_places_close(dp_places);
  return p.errors;
}
