// The section pipe.payout: the programme of the tensioner.
#include "sagbend/case/case_internal.h"

#include "sagbend/base/base.h"

#include <math.h>
#include <stdio.h>

// Shares of the length of an element: the top element is split where it exceeds its own length by the first
// share of the next, and merged with its neighbour below the second (sagbend/lay/remesh.c).
static const double LONGER_SHARE = 0.1, SHORTEST_SHARE = PIPE_SHORTEST_SHARE;

static const struct key_def PAYOUT_KEYS[] = {
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

static double tally_shortest(const struct check *c, double top_m);

double fastest_payout(const struct check *c, const struct top_part *top, double *shortest_m) {
  const double element = tally_shortest(c, top->element_m);
  *shortest_m = SHORTEST_SHARE * element;
  return pipe_tally_speed_max(element, c->draft->out.sim.step_s);
}

double least_payout(const struct top_part *top) {
  return -(top->equal - 1 - SHORTEST_SHARE) * top->element_m;
}

static int tally_elements(const struct check *c, double top_m, double paid_m, double longer_share);

// Elements of the pipe where paid_m is the most that is out.
static int elements_for(const struct check *c, const struct top_part *top, double paid_m) {
  return top->elements + tally_elements(c, top->element_m, paid_m, LONGER_SHARE);
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
  const double held = tally_length(c);
  double paid = 0, most = 0, least = least_payout(top);
  for (int i = 0; i < payout->row_count; i++) {
    paid += payout->row[i].length_m;
    most = fmax(most, paid);
    if (paid > held * (1 + 1e-12))
      report(c, key_path("pipe.payout.programme.%d.length_m", i).text,
             "at most %s m in all expected: pipe.tally holds no more", number_text(held).text);
    if (paid <= least)
      report(c, key_path("pipe.payout.programme.%d.length_m", i).text,
             "more than %s m in all expected: the part of the mesh at the hang-off, whose elements are %s m "
             "long, keeps at least two",
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
    report(c, "pipe.payout", "is not allowed with pipe.hangoff.kind free: no tensioner holds the pipe");
  if (!rows_are_readable(c) || !is_mesh_readable(c) || !is_tally_readable(c))
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

static const struct key_rows PAYOUT_ROWS = KEY_ROWS(PAYOUT_KEYS);
static const struct key_group PAYOUT_GROUPS[] = {{.rows = &PAYOUT_ROWS, .prefix = ""}};
const struct config_section PAYOUT_SECTION = {PAYOUT_GROUPS, 1, check_payout, resolve_payout, NULL};

// ------------------------------------------------------------
// The section pipe.retire: laid pipe that leaves the computation.

// A clamped end disturbs a pipe under the tension H over some lengths sqrt(EI / H).
static const double BENDING_LENGTHS = 6;

static const struct key_def RETIRE_KEYS[] = {
    {"pipe.retire", AS_SECTION, .optional = 1,
     .doc = "Laid pipe far beyond the touchdown leaves the computation, and returns where it is recovered. "
            "Absent: all pipe is computed."},
    {"pipe.retire.anchor_m", AS_NUMBER, .range = POSITIVE, AT(out.sim.pipe.retire.anchor_m), .unit = "m",
     .doc =
         "Length of laid pipe that stays in the computation beyond the touchdown. Its friction has to hold "
         "all changes of the bottom tension."},
    {"pipe.retire.stored_max", AS_INTEGER, .range = LIMITED, .low = 1, .high = 100000, .fallback = "400",
     AT(out.sim.pipe.retire.stored_max),
     .doc = "Nodes that can return. Where recovery comes to pipe that retired before these, the tensioner "
            "brakes."},
};

static void check_place(const struct check *c) {
  const struct sim_def *sim = &c->draft->out.sim;
  if (!given(c, "pipe.payout") && !given(c, "pipe.tensioner"))
    report(c, "pipe.retire", "needs pipe.payout or pipe.tensioner: without them no pipe is laid");
  if (is_readable(c, "environment.seabed_friction_axial") &&
      is_readable(c, "environment.seabed_friction_lateral") &&
      !(sim->env.friction.coefficient[0] > 0 && sim->env.friction.coefficient[1] > 0))
    report(c, "pipe.retire",
           "needs environment.seabed_friction_axial and seabed_friction_lateral above 0: friction holds the "
           "laid pipe");
}

static void check_retire(const struct check *c) {
  const struct sim_def *sim = &c->draft->out.sim;
  const double force = sim->statics.horizontal_force_n;
  if (!given(c, "pipe.retire"))
    return;
  check_place(c);
  if (!is_given_well(c, "pipe.retire.anchor_m") || !is_given_well(c, "statics.horizontal_force_n") ||
      !is_given_well(c, "pipe.bending_stiffness_nm2") || !(force > 0))
    return;
  const double *stiffness = sim->pipe.line.bending_stiffness_nm2;
  double least = BENDING_LENGTHS * sqrt(fmax(stiffness[0], stiffness[1]) / force);
  if (sim->pipe.retire.anchor_m < least)
    report(c, "pipe.retire.anchor_m",
           "at least %s m expected: 6 sqrt(EI / H), with the bending stiffness of the pipe and "
           "statics.horizontal_force_n, beside what friction needs to hold changes of the tension",
           number_text(least).text);
}

static const struct key_rows RETIRE_ROWS = KEY_ROWS(RETIRE_KEYS);
static const struct key_group RETIRE_GROUPS[] = {{.rows = &RETIRE_ROWS, .prefix = ""}};
const struct config_section RETIRE_SECTION = {RETIRE_GROUPS, 1, check_retire, NULL, NULL};

// ------------------------------------------------------------
// The section statics.

static const struct key_def STATICS_KEYS[] = {
    {"statics", AS_SECTION, .optional = 1, .doc = "Static equilibrium from which a run with a pipe starts."},
    {"statics.horizontal_force_n", AS_NUMBER, .range = NOT_NEGATIVE, .optional = 1,
     AT(out.sim.statics.horizontal_force_n), .unit = "N",
     .doc = "Horizontal tension at the hang-off along the lay azimuth. Exactly one of horizontal_force_n and "
            "hangoff_position_m."},
    {"statics.hangoff_position_m", AS_VECTOR, .size = 2, .optional = 1,
     AT(out.sim.statics.hangoff_position_m), .unit = "m",
     .doc = "Horizontal position of the hang-off: north, east (x, y). Exactly one of horizontal_force_n and "
            "hangoff_position_m."},
    {"statics.weight_compensation", AS_WORD, .fallback = "none", .words = {"none", "pipe"},
     WORD_AT(out.sim.statics.weight_compensation),
     .doc = "Weight compensation: a constant upward force at the hang-off, so that the vessel floats level. "
            "pipe: it carries the vertical force of the pipe in equilibrium. none: no compensation."},
    {"statics.current", AS_WORD, .fallback = "initial", .words = {"initial", "none"},
     WORD_AT(out.sim.statics.current),
     .doc = "Current in the statics. initial: the drag of the current at time 0 acts on the pipe. none: "
            "still water."},
    {"statics.friction", AS_WORD, .fallback = "laid", .words = {"laid", "none"},
     WORD_AT(out.sim.statics.friction),
     .doc = "Seabed friction in the statics. laid: friction holds the pipe as laid, at the touchdown "
            "tension. none: smooth seabed."},
    {"statics.unstable", AS_WORD, .fallback = "refuse", .words = {"refuse", "leave"},
     WORD_AT(out.sim.statics.unstable),
     .doc = "Treatment of an unstable equilibrium. refuse: the statics fail and report the unstable mode. "
            "leave: they continue to a neighbouring stable equilibrium and report it."},
};

static void check_statics(const struct check *c) {
  int has_pipe = given(c, "pipe") != NULL;

  check_allowed(c, "statics", has_pipe, "needs a pipe");
  if (has_pipe && given(c, "statics"))
    check_one_of(c, "statics", "horizontal_force_n", "hangoff_position_m");
  if (has_pipe && !given(c, "statics"))
    report(c, "statics",
           "a section with horizontal_force_n or hangoff_position_m expected: the pipe needs it");
}

static void resolve_statics(const struct check *c, struct config *out) {
  if (given(c, "pipe"))
    out->sim.statics.kind =
        given(c, "statics.hangoff_position_m") ? STATICS_HANGOFF_POSITION : STATICS_HORIZONTAL_FORCE;
}

static const struct key_rows STATICS_ROWS = KEY_ROWS(STATICS_KEYS);
static const struct key_group STATICS_GROUPS[] = {{.rows = &STATICS_ROWS, .prefix = ""}};
const struct config_section STATICS_SECTION = {STATICS_GROUPS, 1, check_statics, resolve_statics, NULL};

// ------------------------------------------------------------
// The section pipe.tally: what the tensioner pays out after the pipe that hangs at the start.

// Between two nodes; beyond it the event large_bend is raised.
static const double LARGE_BEND_RAD = 0.5235987755982988;

static const struct key_def FEED_KEYS[] = {
    {"pipe.tally", AS_ITEMS, .size = MAX_TALLY_PARTS, .optional = 1,
     ITEMS_IN(config_draft, tally, tally_draft, out.sim.pipe.tally.part_count),
     .doc =
         "Pipe that comes through the hang-off as it is paid out, in parts with elements of equal length: "
         "joints, buckle arrestors, pull-head, wire. Absent: the uppermost part of pipe.mesh, without end."},
    {"pipe.tally[].length_m", AS_NUMBER, .range = POSITIVE, IN(tally_draft, part.length_m), .unit = "m",
     .doc = "Unstretched length of this part."},
    {"pipe.tally[].elements", AS_INTEGER, .range = LIMITED, .low = 1, .high = 100000,
     IN(tally_draft, part.elements), .doc = "Number of elements in this part."},
    {"pipe.tally[].section", AS_TEXT, .size = SECTION_NAME, .optional = 1, IN(tally_draft, section),
     .doc = "Name of the pipe section in pipe.sections that this part is made of. Absent: the properties "
            "given under pipe."},
    {"pipe.tally[].endless", AS_FLAG, .fallback = "false", IN(tally_draft, is_endless),
     .doc = "Part without end, with elements of length_m / elements. Allowed in the last part only. Where "
            "the last part ends, the tensioner brakes."},
};

int is_tally_readable(const struct check *c) {
  for (int i = 0; i < c->draft->out.sim.pipe.tally.part_count; i++)
    if (!is_item_readable(c, "pipe.tally", i))
      return 0;
  return is_readable(c, "pipe.tally");
}

double tally_length(const struct check *c) {
  const int count = c->draft->out.sim.pipe.tally.part_count;
  double sum = 0;
  for (int i = 0; i < count; i++)
    sum += c->draft->tally[i].part.length_m;
  return count == 0 || c->draft->tally[count - 1].is_endless ? (double)INFINITY : sum;
}

static double tally_shortest(const struct check *c, double top_m) {
  double shortest = top_m;
  for (int i = 0; i < c->draft->out.sim.pipe.tally.part_count; i++)
    shortest = fmin(shortest, c->draft->tally[i].part.length_m / c->draft->tally[i].part.elements);
  return shortest;
}

static int tally_elements(const struct check *c, double top_m, double paid_m, double longer_share) {
  const int parts = c->draft->out.sim.pipe.tally.part_count;
  double elements = 0, left = paid_m;
  if (parts == 0)
    return left > 0 ? (int)fmin(floor(left / top_m + 1 - longer_share), 1e9) : 0;
  for (int i = 0; i < parts && left > 0; i++) {
    const struct mesh_segment *part = &c->draft->tally[i].part;
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

static void check_tally(const struct check *c) {
  const int count = c->draft->out.sim.pipe.tally.part_count;
  for (int i = 0; i < c->draft->out.sim.pipe.mesh_segment_count && given(c, "pipe.mesh"); i++)
    check_slack(c, "pipe.mesh", i, c->draft->mesh[i].section, &c->draft->mesh[i].part);
  if (!given(c, "pipe.tally"))
    return;
  if (!given(c, "pipe.payout") && !given(c, "pipe.tensioner"))
    report(c, "pipe.tally", "needs pipe.payout or pipe.tensioner: without them no pipe is paid out");
  if (count < 1)
    report(c, "pipe.tally", "at least one part expected");
  for (int i = 0; i < count; i++) {
    struct key_path section = key_path("pipe.tally.%d.section", i),
                    endless = key_path("pipe.tally.%d.endless", i);
    if (is_readable(c, section.text) && config_section_number(c->draft, c->draft->tally[i].section) < 0)
      report(c, section.text, "the name of one of pipe.sections expected");
    if (i < count - 1 && is_readable(c, endless.text) && c->draft->tally[i].is_endless)
      report(c, endless.text, "false expected: only the last part can be endless");
    check_slack(c, "pipe.tally", i, c->draft->tally[i].section, &c->draft->tally[i].part);
  }
}

static void resolve_tally(const struct check *c, struct config *out) {
  struct tally_def *tally = &out->sim.pipe.tally;
  for (int i = 0; i < tally->part_count; i++) {
    tally->part[i] = c->draft->tally[i].part;
    tally->part[i].type = config_section_number(c->draft, c->draft->tally[i].section);
    tally->is_endless = c->draft->tally[i].is_endless;
  }
}

static const struct key_rows FEED_ROWS = KEY_ROWS(FEED_KEYS);
static const struct key_group FEED_GROUPS[] = {{.rows = &FEED_ROWS, .prefix = ""}};
const struct config_section TALLY_SECTION = {FEED_GROUPS, 1, check_tally, resolve_tally, NULL};
