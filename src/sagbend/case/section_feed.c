// The section pipe.feed: what the tensioner pays out after the pipe that hangs at the start.
#include "sagbend/case/case_internal.h"

#include "sagbend/base/number_text.h"

#include <math.h>
#include <stdio.h>

// Between two nodes; beyond it the event large_bend is raised.
static const double LARGE_BEND_RAD = 0.5235987755982988;

static const struct key_def KEYS[] = {
    {"pipe.feed", AS_ITEMS, .size = MAX_FEED_PARTS, .optional = 1,
     ITEMS_IN(config_draft, feed, feed_draft, out.sim.pipe.feed.part_count),
     .doc =
         "Pipe that comes through the hang-off as it is paid out, in parts with elements of equal length: "
         "joints, buckle arrestors, pull-head, wire. Absent: the uppermost part of pipe.mesh, without end."},
    {"pipe.feed[].length_m", AS_NUMBER, .range = POSITIVE, IN(feed_draft, part.length_m), .unit = "m",
     .doc = "Unstretched length of this part."},
    {"pipe.feed[].elements", AS_INTEGER, .range = LIMITED, .low = 1, .high = 100000,
     IN(feed_draft, part.elements), .doc = "Number of elements in this part."},
    {"pipe.feed[].section", AS_TEXT, .size = SECTION_NAME, .optional = 1, IN(feed_draft, section),
     .doc = "Name of the pipe section in pipe.sections that this part is made of. Absent: the properties "
            "given under pipe."},
    {"pipe.feed[].endless", AS_FLAG, .fallback = "false", IN(feed_draft, is_endless),
     .doc = "Part without end, with elements of length_m / elements. Allowed in the last part only. Where "
            "the last part ends, the tensioner brakes."},
};

int is_feed_readable(const struct check *c) {
  for (int i = 0; i < c->draft->out.sim.pipe.feed.part_count; i++)
    if (!is_item_readable(c, "pipe.feed", i))
      return 0;
  return is_readable(c, "pipe.feed");
}

double feed_length(const struct check *c) {
  const int count = c->draft->out.sim.pipe.feed.part_count;
  double sum = 0;
  for (int i = 0; i < count; i++)
    sum += c->draft->feed[i].part.length_m;
  return count == 0 || c->draft->feed[count - 1].is_endless ? (double)INFINITY : sum;
}

double feed_shortest(const struct check *c, double top_m) {
  double shortest = top_m;
  for (int i = 0; i < c->draft->out.sim.pipe.feed.part_count; i++)
    shortest = fmin(shortest, c->draft->feed[i].part.length_m / c->draft->feed[i].part.elements);
  return shortest;
}

int feed_elements(const struct check *c, double top_m, double paid_m, double longer_share) {
  const int parts = c->draft->out.sim.pipe.feed.part_count;
  double elements = 0, left = paid_m;
  if (parts == 0)
    return left > 0 ? (int)fmin(floor(left / top_m + 1 - longer_share), 1e9) : 0;
  for (int i = 0; i < parts && left > 0; i++) {
    const struct mesh_segment *part = &c->draft->feed[i].part;
    const double reached = floor(left * part->elements / part->length_m + 1 - longer_share);
    const int is_last = i + 1 >= parts;
    elements += is_last ? reached : fmin(reached, part->elements);
    left = is_last ? 0 : left - part->length_m;
  }
  return (int)fmin(elements, 1e9);
}

// Smallest radius in which pipe of a section bends where it touches down: that of a catenary under the
// horizontal tension, but not less than what its own stiffness allows.
static double least_radius(const struct sim_def *sim, const struct pipe_type *type) {
  const double weight = pipe_type_weight(&sim->pipe, type, &sim->env);
  if (!(weight > 0))
    return (double)INFINITY;
  return fmax(sim->statics.horizontal_force_n, cbrt(type->bending_stiffness_nm2[0] * weight * weight)) /
         weight;
}

// Refuses elements of a section that are too long for this radius.
static void check_slack(const struct check *c, const char *list, int i, const char *name,
                        const struct mesh_segment *part) {
  static const char *const properties[] = {"mass_kgpm", "outer_diameter_m", "inner_diameter_m",
                                           "bending_stiffness_nm2"};
  const struct sim_def *sim = &c->draft->out.sim;
  const int number = config_section_number(c->draft, name);
  const struct key_path elements = key_path("%s.%d.elements", list, i);
  if (number < 1 || sim->env.seabed == SEABED_NONE || !is_item_readable(c, list, i) ||
      !is_given_well(c, "statics.horizontal_force_n"))
    return;
  for (size_t k = 0; k < sizeof properties / sizeof *properties; k++)
    if (!is_readable(c, key_path("pipe.sections.%d.%s", number - 1, properties[k]).text) ||
        !is_readable(c, key_path("pipe.%s", properties[k]).text))
      return;
  const struct pipe_type type = config_pipe_section(c, number - 1);
  const double longest = LARGE_BEND_RAD * least_radius(sim, &type), length = part->length_m / part->elements;
  char found[48];
  snprintf(found, sizeof found, "%s m", number_text(length).text);
  if (length > longest)
    report_found(c, elements.text, found,
                 "elements of at most %.2f m expected: longer ones of this section bend more than 30 degrees "
                 "where it touches down under statics.horizontal_force_n",
                 longest);
}

static void check_feed(const struct check *c) {
  const int count = c->draft->out.sim.pipe.feed.part_count;
  for (int i = 0; i < c->draft->out.sim.pipe.mesh_segment_count && given(c, "pipe.mesh"); i++)
    check_slack(c, "pipe.mesh", i, c->draft->mesh[i].section, &c->draft->mesh[i].part);
  if (!given(c, "pipe.feed"))
    return;
  if (!given(c, "pipe.payout") && !given(c, "pipe.tensioner"))
    report(c, "pipe.feed", "pipe.payout or pipe.tensioner expected beside it: no pipe is paid out");
  if (count < 1)
    report(c, "pipe.feed", "at least one part expected");
  for (int i = 0; i < count; i++) {
    struct key_path section = key_path("pipe.feed.%d.section", i),
                    endless = key_path("pipe.feed.%d.endless", i);
    if (is_readable(c, section.text) && config_section_number(c->draft, c->draft->feed[i].section) < 0)
      report(c, section.text, "the name of one of pipe.sections expected");
    if (i < count - 1 && is_readable(c, endless.text) && c->draft->feed[i].is_endless)
      report(c, endless.text, "false expected in all parts but the last");
    check_slack(c, "pipe.feed", i, c->draft->feed[i].section, &c->draft->feed[i].part);
  }
}

static void resolve_feed(const struct check *c, struct config *out) {
  struct feed_def *feed = &out->sim.pipe.feed;
  for (int i = 0; i < feed->part_count; i++) {
    feed->part[i] = c->draft->feed[i].part;
    feed->part[i].type = config_section_number(c->draft, c->draft->feed[i].section);
    feed->is_endless = c->draft->feed[i].is_endless;
  }
}

static const struct key_rows ROWS = KEY_ROWS(KEYS);
static const struct key_group GROUPS[] = {{.rows = &ROWS, .prefix = ""}};
const struct config_section FEED_SECTION = {GROUPS, 1, check_feed, resolve_feed, NULL};
