// The section pipe.payout: the programme of the tensioner.
#include "sagbend/case/case_internal.h"

#include "sagbend/base/number_text.h"

#include <math.h>

// Shares of the length of an element: the top element is split where it exceeds its own length by the first
// share of the next, and merged with its neighbour below the second (sagbend/lay/remesh.c).
static const double LONGER_SHARE = 0.1, SHORTEST_SHARE = PIPE_SHORTEST_SHARE;

static const struct key_def KEYS[] = {
    {"pipe.payout", AS_SECTION, .optional = 1,
     .doc = "Pay-out and recovery of pipe by the tensioner. Absent: the length of the pipe is constant."},
    {"pipe.payout.programme", AS_ITEMS, .size = MAX_PAYOUT_ROWS,
     ITEMS_IN(config_draft, out.sim.pipe.payout.row, payout_row, out.sim.pipe.payout.row_count),
     .doc = "Lengths that the tensioner pays out or recovers, one after the other."},
    {"pipe.payout.programme[].start_s", AS_NUMBER, .range = NOT_NEGATIVE, IN(payout_row, start_s),
     .unit = "s", .doc = "Simulated time at which this length starts to move."},
    {"pipe.payout.programme[].length_m", AS_NUMBER, IN(payout_row, length_m), .unit = "m",
     .doc = "Length to pay out; negative: to recover."},
    {"pipe.payout.programme[].speed_mps", AS_NUMBER, .range = POSITIVE, IN(payout_row, speed_mps),
     .unit = "m/s", .doc = "Speed between the ramps."},
    {"pipe.payout.programme[].ramp_s", AS_NUMBER, .range = POSITIVE, .fallback = "10", IN(payout_row, ramp_s),
     .unit = "s",
     .doc = "Time in which the speed rises from 0, and in which it falls to 0, by half cosines. The length "
            "takes "
            "length / speed + ramp."},
    {"pipe.payout.elements_max", AS_INTEGER, .range = LIMITED, .low = 2, .high = 100000, .optional = 1,
     AT(out.sim.pipe.payout.elements_max),
     .doc = "Elements for which there is memory. Absent: as many as the programme needs if nothing retires."},
};

struct top_part top_part_of(const struct check *c) {
  const struct pipe_def *pipe = &c->draft->out.sim.pipe;
  struct top_part top = {pipe->elements, pipe->elements, pipe->length_m / pipe->elements};
  if (!given(c, "pipe.mesh"))
    return top;
  const struct mesh_segment *part = &c->draft->mesh[pipe->mesh_segment_count - 1].part;
  top = (struct top_part){0, part->elements, part->length_m / part->elements};
  for (int i = 0; i < pipe->mesh_segment_count; i++)
    top.elements += c->draft->mesh[i].part.elements;
  return top;
}

int is_mesh_readable(const struct check *c) {
  const struct pipe_def *pipe = &c->draft->out.sim.pipe;
  if (!given(c, "pipe.mesh"))
    return is_given_well(c, "pipe.elements") && is_given_well(c, "pipe.length_m");
  for (int i = 0; i < pipe->mesh_segment_count; i++)
    if (!is_item_readable(c, "pipe.mesh", i))
      return 0;
  return is_readable(c, "pipe.mesh") && pipe->mesh_segment_count > 0;
}

double fastest_payout(const struct check *c, const struct top_part *top, double *shortest_m) {
  const double element = feed_shortest(c, top->element_m);
  *shortest_m = SHORTEST_SHARE * element;
  return pipe_feed_speed_max(element, c->draft->out.sim.step_s);
}

double least_payout(const struct top_part *top) {
  return -(top->equal - 1 - SHORTEST_SHARE) * top->element_m;
}

// Elements of the pipe where paid_m is the most that is out.
static int elements_for(const struct check *c, const struct top_part *top, double paid_m) {
  return top->elements + feed_elements(c, top->element_m, paid_m, LONGER_SHARE);
}

// One row by itself, and after the row before.
static void check_row(const struct check *c, int i, const struct top_part *top) {
  const struct payout_row *row = &c->draft->out.sim.pipe.payout.row[i];
  double shortest, fastest = fastest_payout(c, top, &shortest);

  if (!(fabs(row->length_m) >= row->speed_mps * row->ramp_s))
    report(c, key_path("pipe.payout.programme.%d.length_m", i).text,
           "at least speed_mps x ramp_s = %s m, up or down, expected",
           number_text(row->speed_mps * row->ramp_s).text);
  if (is_readable(c, "simulation.step_s") && row->speed_mps > fastest)
    report(c, key_path("pipe.payout.programme.%d.speed_mps", i).text,
           "at most %s m/s expected: the shortest element, %s m, lasts three steps",
           number_text(fastest).text, number_text(shortest).text);
  if (i == 0)
    return;
  const struct payout_row *before = row - 1;
  double end = before->start_s + payout_duration(before);
  if (row->start_s < end)
    report(c, key_path("pipe.payout.programme.%d.start_s", i).text,
           "at least %s s, when the row before has ended, expected", number_text(end).text);
}

static int rows_are_readable(const struct check *c) {
  const struct payout_def *payout = &c->draft->out.sim.pipe.payout;
  for (int i = 0; i < payout->row_count; i++)
    if (!is_item_readable(c, "pipe.payout.programme", i))
      return 0;
  return is_given_well(c, "pipe.payout.programme");
}

// The most that is out at a time; reports a row that recovers more than there is.
static double check_lengths(const struct check *c, const struct top_part *top) {
  const struct payout_def *payout = &c->draft->out.sim.pipe.payout;
  const double held = feed_length(c);
  double paid = 0, most = 0, least = least_payout(top);
  for (int i = 0; i < payout->row_count; i++) {
    paid += payout->row[i].length_m;
    most = fmax(most, paid);
    if (paid > held * (1 + 1e-12))
      report(c, key_path("pipe.payout.programme.%d.length_m", i).text,
             "at most %s m in all expected: pipe.feed holds no more", number_text(held).text);
    if (paid <= least)
      report(
          c, key_path("pipe.payout.programme.%d.length_m", i).text,
          "more than %s m in all expected, so that the part of the mesh at the hang-off, whose elements are "
          "%s m long, keeps two",
          number_text(least).text, number_text(top->element_m).text);
  }
  return most;
}

static void check_payout(const struct check *c) {
  const struct payout_def *payout = &c->draft->out.sim.pipe.payout;
  const char *capacity = "pipe.payout.elements_max";
  if (!given(c, "pipe.payout"))
    return;
  if (is_given_well(c, "pipe.hangoff.kind") && c->draft->out.sim.pipe.hangoff == HANGOFF_FREE)
    report(c, "pipe.payout", "nothing expected where pipe.hangoff.kind is free: no tensioner holds the pipe");
  if (!rows_are_readable(c) || !is_mesh_readable(c) || !is_feed_readable(c))
    return;
  struct top_part top = top_part_of(c);
  if (payout->row_count < 1)
    report(c, "pipe.payout.programme", "at least one row expected");
  if (top.equal < 2)
    report(c, "pipe.payout", "at least two elements in the uppermost part of pipe.mesh expected");
  for (int i = 0; i < payout->row_count; i++)
    check_row(c, i, &top);
  int needed = elements_for(c, &top, check_lengths(c, &top));
  if (is_given_well(c, capacity) && payout->elements_max < needed && !given(c, "pipe.retire"))
    report(c, capacity, "at least %d, which the programme needs, expected", needed);
}

static void resolve_payout(const struct check *c, struct config *out) {
  struct payout_def *payout = &out->sim.pipe.payout;
  double paid = 0, most = 0;
  if (!given(c, "pipe.payout") || given(c, "pipe.payout.elements_max"))
    return;
  struct top_part top = top_part_of(c);
  for (int i = 0; i < payout->row_count; i++) {
    paid += payout->row[i].length_m;
    most = fmax(most, paid);
  }
  payout->elements_max = elements_for(c, &top, most) + 1; // one for the rounding of the sums
}

static const struct key_rows ROWS = KEY_ROWS(KEYS);
static const struct key_group GROUPS[] = {{.rows = &ROWS, .prefix = ""}};
const struct config_section PAYOUT_SECTION = {GROUPS, 1, check_payout, resolve_payout, NULL};
