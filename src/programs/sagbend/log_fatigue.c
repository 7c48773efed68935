// sagbend log fatigue: the fatigue of a logged session. A log that this program can recompute is recomputed,
// with every step counted and compared with the log. From another one the nodes' messages are counted, with
// what their sampling costs: the same count of every other message shows it. The error grows with the square
// of the interval where the stress is smooth in time, and in proportion to it where it is not.
#include "os/cli/cli.h"
#include "os/files/files.h"
#include "programs/sagbend/sagbend_program_internal.h"
#include "run/replay/replay.h"
#include "sagbend/sim/sim.h"
#include "sagbend/steel/steel.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum status curve_of(const char *name, struct sn_curve_def *curve, struct reason *why) {
  *curve = (struct sn_curve_def){.name = sn_curve_by_name(name),
                                 .environment = SN_PROTECTED,
                                 .scf = 1,
                                 .reference_m = SN_REFERENCE_M,
                                 .exponent = -1};
  return curve->name != SN_OWN
             ? STATUS_OK
             : fail(why, STATUS_BAD_INPUT, "--curve: one of" SN_CURVE_NAMES " expected, got '%.40s'", name);
}

// What is counted: that of the session, or of the options.
static enum status take_options(const struct log_fatigue_order *order, struct sim_def *sim,
                                struct reason *why) {
  struct fatigue_def *f = &sim->fatigue;
  if (f->enabled && !order->curve && order->wall_m == 0 && order->scf == 0)
    return STATUS_OK;
  if (!f->enabled && !order->curve)
    return fail(why, STATUS_BAD_INPUT, "--curve is missing: the session of %s has no pipe.fatigue",
                order->path);
  if (!f->enabled) {
    const struct fatigue_def usual = {.interval_s = FATIGUE_INTERVAL_S,
                                      .gate_pa = FATIGUE_GATE_PA,
                                      .window_s = FATIGUE_WINDOW_S,
                                      .allowance = FATIGUE_ALLOWANCE};
    *f = usual;
    for (int k = 0; k <= sim->pipe.type_count; k++)
      f->wall_m[k] = sim->code_check.steel[k].wall_m;
  }
  if (order->curve && curve_of(order->curve, &f->curve, why) != STATUS_OK)
    return STATUS_BAD_INPUT;
  if (order->curve && order->in_air)
    f->curve.environment = SN_AIR;
  f->curve.scf = order->scf > 0 ? order->scf : f->curve.scf;
  for (int k = 0; k <= sim->pipe.type_count; k++) {
    const double outer = pipe_steel_diameter(pipe_type_of(&sim->pipe, k));
    f->wall_m[k] = order->wall_m > 0 ? order->wall_m : f->wall_m[k];
    if (!(f->wall_m[k] > 0 && 2 * f->wall_m[k] < outer))
      return fail(why, STATUS_BAD_INPUT, "--wall: the wall of the steel, below half of %g m, expected",
                  outer);
  }
  f->enabled = f->beside = 1;
  return STATUS_OK;
}

static void print_result(const struct fatigue_result *r) {
  printf("%-22s %.6g\n", "damage", r->damage);
  printf("%-22s %.6g m, point %.0f\n", "largest at", r->arc_m, r->point);
}

// ---- Plot ----

static int by_arc(const void *a, const void *b) {
  const struct fatigue_place *x = a, *y = b;
  return (x->arc_m > y->arc_m) - (x->arc_m < y->arc_m);
}

// The damage along the pipe; sorts the places.
static enum status plot(const char *name, struct fatigue_place *places, int count, struct reason *why) {
  char script[512];
  struct output_file file;
  if (strlen(name) > sizeof script - 8 || strchr(name, '"') || strchr(name, '\\'))
    return fail(why, STATUS_BAD_INPUT, "--plot: a shorter name without quotes and backslashes expected");
  snprintf(script, sizeof script, "%s.gp", name);
  enum status status = output_file_open_atomic(&file, script, why);
  if (status != STATUS_OK)
    return status;
  qsort(places, (size_t)count, sizeof *places, by_arc);
  fputs("$damage << EOD\n", file.stream);
  for (int i = 0; i < count; i++)
    fprintf(file.stream, "%.9g %.9g\n", places[i].arc_m, places[i].damage);
  fprintf(file.stream,
          "EOD\nset terminal pngcairo size 1000,500 noenhanced font 'DejaVu Sans,10'\nset output \"%s.png\"\n"
          "set grid\nset xlabel \"arc length from the lower end (m)\"\nset ylabel \"fatigue damage\"\n"
          "plot $damage using 1:2 with lines linewidth 2 notitle\n",
          name);
  status = output_file_close(&file, why);
  if (status == STATUS_OK)
    gnuplot_draw(NULL, script, script);
  return status;
}

// ---- From the nodes' messages ----

enum { THINNED = 2 }; // counts: of every message, of every other one

struct node_count {
  double arc_m, middle_m; // of the lower node of an element, which its material keeps; of its middle
  struct fatigue_element e[THINNED];
};

struct counts {
  struct fatigue_section section;
  double gate_pa;
  struct node_count *node; // per element
  size_t count, capacity;
  double (*stress)[FATIGUE_POINTS]; // per node of a message
  size_t nodes;
  uint64_t messages;
  double first_s, last_s;
};

// The count of the element above this arc length; hint: where it is likely to be. NULL: no memory.
static struct node_count *node_at(struct counts *c, double arc_m, size_t hint) {
  for (size_t k = 0; k < c->count; k++) {
    struct node_count *node = &c->node[(hint + k) % c->count];
    if (fabs(node->arc_m - arc_m) < 1e-6)
      return node;
  }
  if (c->count == c->capacity) {
    const size_t capacity = 2 * c->capacity + 64;
    struct node_count *more = realloc(c->node, capacity * sizeof *more);
    if (!more)
      return NULL;
    c->node = more, c->capacity = capacity;
  }
  c->node[c->count] = (struct node_count){.arc_m = arc_m};
  return &c->node[c->count++];
}

// The stresses in the middle of element i. Those of a node are the means of its two elements: smoother along
// the pipe by h^2/8 times the second derivative. With it and with the interpolation between four nodes
//   middle = [5 (s_i + s_(i+1)) - (s_(i-1) + s_(i+2))]/8.
static void middle_stresses(const struct counts *c, size_t i, size_t nodes, double stress[FATIGUE_POINTS]) {
  const size_t before = i > 0 ? i - 1 : i, after = i + 2 < nodes ? i + 2 : i + 1;
  for (int q = 0; q < FATIGUE_POINTS; q++)
    stress[q] =
        0.125 * (5 * (c->stress[i][q] + c->stress[i + 1][q]) - (c->stress[before][q] + c->stress[after][q]));
}

static enum status count_message(struct counts *c, const Sagbend__V1__Nodes *m, double time_s,
                                 struct reason *why) {
  const size_t n = m->n_wall_tension_n;
  if (m->n_bending_2_nm != n || m->n_bending_3_nm != n || m->n_arc_length_m != n)
    return fail(why, STATUS_IO,
                "the messages of the nodes have no arc lengths, wall tension and bending moments");
  if (n > c->nodes) {
    void *more = realloc(c->stress, n * sizeof *c->stress);
    if (!more)
      return fail(why, STATUS_NO_MEMORY, "out of memory");
    c->stress = more, c->nodes = n;
  }
  for (size_t i = 0; i < n; i++) {
    const double moment[2] = {m->bending_2_nm[i], m->bending_3_nm[i]};
    fatigue_stresses(&c->section, m->wall_tension_n[i], moment, c->stress[i]);
  }
  for (size_t i = 0; i + 1 < n; i++) {
    struct node_count *node = node_at(c, m->arc_length_m[i], i);
    double stress[FATIGUE_POINTS];
    if (!node)
      return fail(why, STATUS_NO_MEMORY, "out of memory");
    node->middle_m = 0.5 * (m->arc_length_m[i] + m->arc_length_m[i + 1]);
    middle_stresses(c, i, n, stress);
    for (int k = 0; k < THINNED; k++)
      if (k == 0 || c->messages % 2 == 0)
        rainflow_sample(&node->e[k], &c->section.curve, c->gate_pa, stress);
  }
  c->first_s = c->messages == 0 ? time_s : c->first_s;
  c->last_s = time_s;
  c->messages++;
  return STATUS_OK;
}

static enum status read_nodes(struct counts *c, const char *path, struct reason *why) {
  struct mcap_reader *reader;
  struct mcap_message message;
  int more = 0;
  enum status status = log_open(path, MCAP_STRICT, &reader, why);
  if (status != STATUS_OK)
    return status;
  while (status == STATUS_OK && (more = mcap_reader_next(reader, &message, why)) > 0) {
    if (log_topic_of(message.channel) != LOG_NODES)
      continue;
    ProtobufCMessage *content;
    status = log_unpack(&message, &content, why) == STATUS_OK ? STATUS_OK : STATUS_IO;
    if (content)
      status = count_message(c, (const Sagbend__V1__Nodes *)content, 1e-9 * (double)message.log_time_ns, why);
    log_free(content);
  }
  mcap_reader_close(reader);
  return more < 0 ? STATUS_IO : status;
}

// places: NULL, or where the largest of each node goes.
static double largest_of(const struct counts *c, int k, struct fatigue_result *at,
                         struct fatigue_place *places) {
  double most = 0;
  for (size_t i = 0; i < c->count; i++) {
    double total[FATIGUE_POINTS], here = 0;
    rainflow_ended(&c->node[i].e[k], &c->section.curve, total);
    for (int q = 0; q < FATIGUE_POINTS; q++)
      if (total[q] > most)
        most = total[q],
        *at = (struct fatigue_result){.damage = most, .arc_m = c->node[i].middle_m, .point = q};
    for (int q = 0; q < FATIGUE_POINTS; q++)
      here = fmax(here, total[q]);
    if (places)
      places[i] = (struct fatigue_place){.arc_m = c->node[i].middle_m, .damage = here};
  }
  return most;
}

static enum status count_nodes(const struct log_fatigue_order *order, const struct sim_def *sim,
                               struct reason *why) {
  const char *const path = order->path;
  struct counts c = {.gate_pa = sim->fatigue.gate_pa};
  struct fatigue_result result = {.damage = 0}, thinned = result;
  c.section =
      fatigue_section_of(&sim->fatigue.curve, pipe_steel_diameter(&sim->pipe.line), sim->fatigue.wall_m[0]);
  enum status status = read_nodes(&c, path, why);
  if (status == STATUS_OK && c.messages < 4)
    status = fail(why, STATUS_IO, "%s: messages of the pipe's nodes expected, got %llu", path,
                  (unsigned long long)c.messages);
  struct fatigue_place *places = calloc(c.count + 1, sizeof *places);
  if (status == STATUS_OK && !places)
    status = fail(why, STATUS_NO_MEMORY, "out of memory");
  if (status == STATUS_OK) {
    const double all = largest_of(&c, 0, &result, places), half = largest_of(&c, 1, &thinned, NULL);
    const double interval = (c.last_s - c.first_s) / (double)(c.messages - 1);
    print_result(&result);
    printf("%-22s the nodes' messages, one each %.4g s; sections other than the line pipe count as it\n",
           "from", interval);
    const double lost = all > 0 ? fmax(all - half, 0) / all : 0; // by every other message
    printf("%-22s %.2g to %.2g of the damage is missed by the sampling, more where the moment peaks between "
           "nodes\n",
           "error", lost / 3, lost);
    printf("%-22s %.6g 1/s over %.6g s\n", "rate", all / (c.last_s - c.first_s), c.last_s - c.first_s);
  }
  if (status == STATUS_OK && order->plot)
    status = plot(order->plot, places, (int)c.count, why);
  free(places);
  free(c.stress);
  free(c.node);
  return status;
}

// ---- By recomputing ----

static enum status plot_recomputed(const struct sim *sim, const char *name, struct reason *why) {
  const int count = sim_fatigue_along(sim, NULL, 0);
  struct fatigue_place *places = calloc((size_t)count + 1, sizeof *places);
  if (!places)
    return fail(why, STATUS_NO_MEMORY, "out of memory");
  sim_fatigue_along(sim, places, count);
  const enum status status = plot(name, places, count, why);
  free(places);
  return status;
}

static void print_recomputed(const struct replay *replay, enum replay_result result) {
  const struct fatigue_result r = sim_fatigue(replay->engine.plant.sim);
  print_result(&r);
  printf("%-22s %.6g 1/s, standby %.6g h\n", "rate", r.rate_1ps, r.standby_h);
  printf("%-22s the session recomputed, %llu steps, %s\n", "from", (unsigned long long)replay->steps_replayed,
         result == REPLAY_EQUAL ? "equal to the log" : "equal as far as the log goes");
}

enum status log_fatigue(const struct log_fatigue_order *order, struct reason *why) {
  const struct replay_options options = {.verify = 1};
  static struct replay replay; // too large for a small stack
  enum replay_result result = REPLAY_DIFFERENT;
  int counts_itself = 0;
  enum status status = replay_open(&replay, &options, order->path, stderr, why);
  if (status == STATUS_OK && !replay.setup.config.sim.pipe.elements)
    status = fail(why, STATUS_BAD_INPUT, "%s: the session has no pipe", order->path);
  if (status == STATUS_OK) {
    counts_itself = replay.setup.config.sim.fatigue.enabled;
    status = take_options(order, &replay.setup.config.sim, why);
  }
  const int counts_otherwise = counts_itself && replay.setup.config.sim.fatigue.beside;
  replay.in_series = 1; // its report is not printed
  struct reason cannot = {""};
  const enum status verified = status == STATUS_OK && !order->from_nodes && !counts_otherwise
                                   ? replay_verify(&replay, &result, &cannot)
                                   : STATUS_BAD_INPUT;
  if (verified == STATUS_NO_MEMORY)
    status = fail(why, verified, "%s", cannot.text);
  const int is_recomputed = verified == STATUS_OK && result != REPLAY_DIFFERENT && replay.steps_replayed > 0;
  if (is_recomputed)
    print_recomputed(&replay, result);
  if (is_recomputed && order->plot)
    status = plot_recomputed(replay.engine.plant.sim, order->plot, why);
  if (!is_recomputed && status == STATUS_OK) {
    if (!order->from_nodes)
      fprintf(stderr, "sagbend log: notice: %s\n",
              counts_otherwise
                  ? "the session counts fatigue itself, with other options: counting the nodes' messages"
              : cannot.text[0] ? cannot.text
                               : "the session cannot be recomputed to equal states");
    status = count_nodes(order, &replay.setup.config.sim, why);
  }
  cJSON_Delete(replay.report);
  replay_close(&replay);
  return status;
}
