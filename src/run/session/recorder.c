#include "run/session/session_internal.h"

#include "run/setup/setup.h"
#include "sagbend/base/base.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  MAX_COLUMNS = QUANTITY_COUNT + PORT_COUNT + LOSS_COUNT + 4,
  RING_BYTES = 8 << 20, // at least
  RING_SHAPES = 8,      // at least
  STACK_BYTES = 256 * 1024
};
static const uint64_t WAIT_FOR_ROOM_NS = 1000000; // between attempts
static const uint64_t PATIENCE_NS = 6000000000;   // after a signal: more than a pipe may take

static struct record_column *add(struct record_column *column, const char *name, double value) {
  *column = (struct record_column){name, value};
  return column + 1;
}

// Lists the columns in order: time and step, the quantities of sagbend/rig/quantities.inc, the terms of the
// ledger, the times of the step, former names. Header and rows come from the same list.
static int columns_of(const struct frame *f, const struct loop_target *target,
                      struct record_column columns[MAX_COLUMNS]) {
  static const char *const work[] = {
#define X(id, name, feature) "work_" #name "_j",
      PORT_TABLE(X)
#undef X
  };
  static const char *const loss[] = {
#define X(id, name, feature) "dissipated_" #name "_j",
      LOSS_TABLE(X)
#undef X
  };
  const struct loop_view view = loop_view_of(f, target);
  struct record_column *c = columns;
  c = add(c, "time_s", f->output.time_s);
  c = add(c, "step", (double)f->output.step);
  for (int q = 0; q < QUANTITY_COUNT; q++)
    if (quantity_exists((enum quantity)q, &view))
      c = add(c, quantity_table[q].name, quantity_value((enum quantity)q, &view));
  for (int i = 0; i < PORT_COUNT; i++)
    c = add(c, work[i], f->ledger.total_work_j[i]);
  for (int i = 0; i < LOSS_COUNT; i++)
    c = add(c, loss[i], f->ledger.total_loss_j[i]);
  c = add(c, "step_us", f->timing.step_us);
  c = add(c, "wakeup_us", f->timing.wakeup_us);
  return (int)(c - columns);
}

static uint64_t every(double asked_s, double default_s, double step_s) {
  return steps_in_period(asked_s > 0 ? asked_s : default_s, step_s);
}

enum status recorder_open(struct recorder *r, const struct run_options *o, const struct config *config,
                          struct reason *why) {
  *r = (struct recorder){
      .series_every = every(o->record_every_s, 0.1, config->sim.step_s),
      .shapes_every = every(o->shapes_every_s, 10, config->sim.step_s),
  };
  const char *path[RECORD_KIND_COUNT] = {o->record_path, o->shapes_path, o->hashes_path, o->laid_route_path};
  for (int kind = 0; kind < RECORD_KIND_COUNT; kind++) {
    enum status status = output_file_open(&r->file[kind], path[kind], why);
    if (status != STATUS_OK)
      return status;
  }
  FILE *shapes = r->file[RECORD_SHAPE].stream;
  if (shapes) {
    fputs("time_s,", shapes);
    node_row_header(shapes);
    fputc('\n', shapes);
  }
  FILE *laid = r->file[RECORD_LAID].stream;
  if (laid)
    fputs("time_s,event,node,s_m,north_m,east_m,down_m,effective_tension_n,slip_axial_m,slip_lateral_m,"
          "residual_curvature_1pm\n",
          laid);
  return STATUS_OK;
}

static size_t ring_bytes(int node_count) {
  size_t shape = sizeof(struct record_item) + (size_t)node_count * sizeof(struct sim_node) + BYTE_RING_HEAD;
  size_t bytes = RING_BYTES;
  while (bytes < RING_SHAPES * shape)
    bytes *= 2;
  return bytes;
}

static void record_writer_run(void *context);

enum status recorder_start(struct recorder *r, int drops, int node_count, struct reason *why) {
  int is_requested = 0;
  for (int kind = 0; kind < RECORD_KIND_COUNT; kind++)
    is_requested |= r->file[kind].stream != NULL;
  if (!is_requested)
    return STATUS_OK;

  r->drops = drops;
  size_t bytes = ring_bytes(node_count);
  struct record_writer *writer = aligned_alloc(BYTE_RING_LINE, sizeof *writer); // a multiple of its alignment
  void *mem = aligned_alloc(BYTE_RING_LINE, bytes);
  enum status status = STATUS_NO_MEMORY;
  if (writer && mem) {
    memset(writer, 0, sizeof *writer);
    byte_ring_init(&writer->ring, mem, bytes);
    writer->recorder = r;
    status = os_thread_start(&writer->thread, STACK_BYTES, record_writer_run, writer, why);
  } else {
    fail(why, status, "out of memory for the record");
  }
  if (status != STATUS_OK) {
    free(mem);
    free(writer);
    return status;
  }
  r->writer = writer;
  r->is_requested = 1;
  return STATUS_OK;
}

static void hurry(struct recorder *r) {
  for (int kind = 0; kind < RECORD_KIND_COUNT; kind++)
    output_file_hurry(&r->file[kind]);
}

// Room for the content of an item, or NULL if it is dropped.
static void *claim(struct recorder *r, const struct record_item *head, size_t content_bytes) {
  struct byte_ring *ring = &r->writer->ring;
  struct record_item *item;
  uint64_t hurried_ns = 0;
  while (!(item = byte_ring_claim(ring, sizeof *item + content_bytes, ring->capacity))) {
    if (!r->drops && os_stop_waits()) { // nobody else looks at signals while this waits
      hurry(r);
      hurried_ns = hurried_ns ? hurried_ns : os_now_ns();
      r->drops = os_now_ns() - hurried_ns > PATIENCE_NS;
    }
    if (r->drops) {
      r->missing[head->kind]++;
      return NULL;
    }
    os_sleep_until_ns(os_now_ns() + WAIT_FOR_ROOM_NS);
  }
  *item = *head;
  item->missing_before = r->missing[head->kind] - r->noted[head->kind];
  r->noted[head->kind] = r->missing[head->kind];
  return item + 1;
}

static void hand_over(struct recorder *r, const struct record_item *head, const void *content, size_t bytes) {
  void *place = claim(r, head, bytes);
  if (!place)
    return;
  memcpy(place, content, bytes);
  byte_ring_commit(&r->writer->ring);
}

void recorder_begin_session(struct recorder *r) {
  r->next_row_step = r->next_shape_step = 0;
  r->laid_is_known = 0;
}

// A node has retired or returned since the frame before.
static void add_laid(struct recorder *r, const struct sim_output *o) {
  const int retired = o->retired_nodes > r->laid_nodes;
  const uint64_t changes = retired ? o->retired_nodes - r->laid_nodes : r->laid_nodes - o->retired_nodes;
  r->missing[RECORD_LAID] += changes - 1; // of dropped frames
  const struct record_item head = {
      .kind = RECORD_LAID, .count = retired, .step = o->step, .time_s = o->time_s};
  const struct record_laid laid = {.number = (retired ? o->retired_nodes : r->laid_nodes) - 1,
                                   .node = retired ? o->retired : r->laid};
  hand_over(r, &head, &laid, sizeof laid);
}

static void watch_laid(struct recorder *r, const struct sim_output *o) {
  if (!r->file[RECORD_LAID].stream || !o->has_retiring)
    return;
  if (r->laid_is_known && o->retired_nodes != r->laid_nodes)
    add_laid(r, o);
  r->laid_is_known = 1;
  r->laid_nodes = o->retired_nodes;
  r->laid = o->retired;
}

void recorder_frame(struct recorder *r, const struct frame *f, const struct loop_target *target) {
  struct record_column columns[MAX_COLUMNS];
  if (!r->writer)
    return;
  watch_laid(r, &f->output);
  if (!r->file[RECORD_ROW].stream || f->output.step % r->series_every != 0)
    return;
  if (f->output.step < r->next_row_step) // another session begins
    r->next_shape_step = 0;
  else if (r->next_row_step)
    r->missing[RECORD_ROW] += (f->output.step - r->next_row_step) / r->series_every; // of dropped frames
  r->next_row_step = f->output.step + r->series_every;
  int count = columns_of(f, target, columns);
  const struct record_item head = {.kind = RECORD_ROW, .count = count, .step = f->output.step};
  hand_over(r, &head, columns, (size_t)count * sizeof *columns);
}

int recorder_wants_nodes(const struct recorder *r, uint64_t step) {
  return r->writer && r->file[RECORD_SHAPE].stream && step >= r->next_shape_step;
}

void recorder_nodes(struct recorder *r, uint64_t step, double time_s, int count,
                    const struct sim_node *nodes) {
  const struct record_item head = {.kind = RECORD_SHAPE, .count = count, .step = step, .time_s = time_s};
  r->next_shape_step = (step / r->shapes_every + 1) * r->shapes_every;
  hand_over(r, &head, nodes, (size_t)count * sizeof *nodes);
}

void recorder_hash(struct recorder *r, uint64_t step, uint64_t hash) {
  const struct record_item head = {.kind = RECORD_HASH, .step = step};
  if (r->writer && r->file[RECORD_HASH].stream)
    hand_over(r, &head, &hash, sizeof hash);
}

uint64_t recorder_missing(const struct recorder *r) {
  return r->missing[RECORD_ROW] + r->missing[RECORD_SHAPE] + r->missing[RECORD_LAID];
}

static void record_note_missing(FILE *out, enum record_kind kind, uint64_t missing);

static void stop_writer(struct recorder *r) {
  if (!r->writer)
    return;
  atomic_store(&r->writer->stop, 1);
  hurry(r);
  os_thread_join(&r->writer->thread);
  for (int kind = 0; kind < RECORD_KIND_COUNT; kind++)
    if (r->file[kind].stream)
      record_note_missing(r->file[kind].stream, (enum record_kind)kind, r->missing[kind] - r->noted[kind]);
  free(r->writer->ring.bytes);
  free(r->writer);
  r->writer = NULL;
}

enum status recorder_close(struct recorder *r, struct reason *why) {
  enum status worst = STATUS_OK;
  stop_writer(r);
  for (int kind = 0; kind < RECORD_KIND_COUNT; kind++) {
    enum status status = output_file_close(&r->file[kind], why);
    if (status != STATUS_OK)
      worst = status;
  }
  r->failed |= worst != STATUS_OK;
  return worst;
}

// ------------------------------------------------------------
// The thread that writes the recorder's files.

static const uint64_t LOOK_EVERY_NS = 5000000;

static void print_number(FILE *out, double value, char before) {
  if (before)
    fputc(before, out);
  if (isnan(value))
    fputs("nan", out); // never "-nan"
  else
    fprintf(out, "%.12g", value);
}

static void write_row(struct record_writer *writer, FILE *out, const struct record_item *item) {
  const struct record_column *column = (const void *)(item + 1);
  if (!writer->series_begun++) {
    for (int i = 0; i < item->count; i++)
      fprintf(out, "%s%s", i ? "," : "", column[i].name);
    fputc('\n', out);
  }
  for (int i = 0; i < item->count; i++)
    print_number(out, column[i].value, i ? ',' : 0);
  fputc('\n', out);
}

static void write_shape(FILE *out, const struct record_item *item) {
  const struct sim_node *nodes = (const void *)(item + 1);
  for (int i = 0; i < item->count; i++) {
    print_number(out, item->time_s, 0);
    fputc(',', out);
    node_row(out, &nodes[i]);
    fputc('\n', out);
  }
  fputc('\n', out); // a blank line between shapes makes blocks for gnuplot
}

static void write_hash(FILE *out, const struct record_item *item) {
  const uint64_t *hash = (const void *)(item + 1);
  fprintf(out, "%" PRIu64 " %016" PRIx64 "\n", item->step, *hash);
}

static void write_laid(FILE *out, const struct record_item *item) {
  const struct record_laid *laid = (const void *)(item + 1);
  const struct sim_laid_node *node = &laid->node;
  const double values[] = {
      node->arc_length_m, node->position_n_m[0], node->position_n_m[1], node->position_n_m[2],
      node->tension_n,    node->slip_m[0],       node->slip_m[1],       node->residual_curvature_1pm};
  print_number(out, item->time_s, 0);
  fprintf(out, ",%s,%" PRIu64, item->count ? "retired" : "returned", laid->number);
  for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    print_number(out, values[i], ',');
  fputc('\n', out);
}

// 0: writes nothing
static void record_note_missing(FILE *out, enum record_kind kind, uint64_t missing) {
  static const char *const names[RECORD_KIND_COUNT] = {"rows", "shapes", "hashes", "laid nodes"};
  if (missing)
    fprintf(out, "# %" PRIu64 " %s missing here\n", missing, names[kind]);
}

static void write_item(struct record_writer *writer, const struct record_item *item) {
  FILE *out = writer->recorder->file[item->kind].stream;
  record_note_missing(out, item->kind, item->missing_before);
  switch (item->kind) {
  case RECORD_ROW:
    write_row(writer, out, item);
    break;
  case RECORD_SHAPE:
    write_shape(out, item);
    break;
  case RECORD_HASH:
    write_hash(out, item);
    break;
  case RECORD_LAID:
    write_laid(out, item);
    break;
  case RECORD_KIND_COUNT:
    break;
  }
}

// body of the thread: ends after a stop, when the ring is empty
static void record_writer_run(void *context) {
  struct record_writer *writer = context;
  int stop = 0;
  while (!stop) {
    stop = atomic_load(&writer->stop); // read before the ring, which then contains everything
    const struct record_item *item;
    while ((item = byte_ring_front(&writer->ring))) {
      write_item(writer, item);
      byte_ring_release(&writer->ring);
    }
    if (!stop)
      os_sleep_until_ns(os_now_ns() + LOOK_EVERY_NS);
  }
}
