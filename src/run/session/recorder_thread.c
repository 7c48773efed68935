// The thread that writes the recorder's files.
#include "run/session/session_internal.h"

#include "run/setup/node_row.h"

#include <inttypes.h>
#include <math.h>

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

void record_note_missing(FILE *out, enum record_kind kind, uint64_t missing) {
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

void record_writer_run(void *context) {
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
