#include "run/recorder.h"

#include "core/base/steps.h"
#include "hil/old_names.h"

#include "session/node_row.h"
#include "session/session.h"

#include <inttypes.h>
#include <math.h>

struct column {
  const char *name;
  double value;
};
enum { MAX_COLUMNS = 2 * QUANTITY_COUNT + PORT_COUNT + LOSS_COUNT + 4 };

static struct column *add(struct column *column, const char *name, double value) {
  *column = (struct column){name, value};
  return column + 1;
}

// Lists the columns in order: time and step, the quantities of hil/quantities.inc, the terms of the ledger,
// the times of the step, former names. Header and rows come from the same list.
static int columns_of(const struct frame *f, const struct loop_target *target,
                      struct column columns[MAX_COLUMNS]) {
  static const char *const work[] = {
#define X(id, name) "work_" #name "_j",
      PORT_TABLE(X)
#undef X
  };
  static const char *const loss[] = {
#define X(id, name) "dissipated_" #name "_j",
      LOSS_TABLE(X)
#undef X
  };
  const struct loop_view view = loop_view_of(f, target);
  struct column *c = columns;
  c = add(c, "time_s", f->output.time_s);
  c = add(c, "step", (double)f->output.step);
  for (int q = 0; q < QUANTITY_COUNT; q++)
    if (quantity_exists((enum quantity)q, &f->output))
      c = add(c, quantity_table[q].name, quantity_value((enum quantity)q, &view));
  for (int i = 0; i < PORT_COUNT; i++)
    c = add(c, work[i], f->ledger.total_work_j[i]);
  for (int i = 0; i < LOSS_COUNT; i++)
    c = add(c, loss[i], f->ledger.total_loss_j[i]);
  c = add(c, "step_us", f->timing.step_us);
  c = add(c, "wakeup_us", f->timing.wakeup_us);
  const struct old_name *old;
  for (int i = 0; (old = old_name_in(OLD_IN_RECORD, i)); i++)
    if (quantity_exists(old->quantity, &f->output))
      c = add(c, old->name, quantity_value(old->quantity, &view));
  return (int)(c - columns);
}

static uint64_t every(double asked_s, double default_s, double step_s) {
  return steps_in_period(asked_s > 0 ? asked_s : default_s, step_s);
}

enum status recorder_open(struct recorder *r, const struct options *o, const struct config *config,
                          struct reason *why) {
  *r = (struct recorder){
      .series_every = every(o->record_every_s, 0.1, config->sim.step_s),
      .shapes_every = every(o->shapes_every_s, 10, config->sim.step_s),
      .pipe = &config->sim.pipe,
  };
  enum status status = output_file_open(&r->series, o->record_path, why);
  if (status == STATUS_OK)
    status = output_file_open(&r->shapes, o->shapes_path, why);
  if (status == STATUS_OK)
    status = output_file_open(&r->hashes, o->hashes_path, why);
  if (status != STATUS_OK)
    return status;
  if (r->shapes.stream) {
    fputs("time_s,", r->shapes.stream);
    node_row_header(r->shapes.stream);
    fputc('\n', r->shapes.stream);
  }
  return STATUS_OK;
}

static void print_number(FILE *out, double value, char before) {
  if (before)
    fputc(before, out);
  if (isnan(value))
    fputs("nan", out); // never "-nan"
  else
    fprintf(out, "%.12g", value);
}

void recorder_frame(struct recorder *r, const struct frame *f, const struct loop_target *target) {
  struct column columns[MAX_COLUMNS];
  FILE *out = r->series.stream;
  if (!out || f->output.step % r->series_every != 0)
    return;
  int count = columns_of(f, target, columns);
  if (!r->series_begun++) {
    for (int i = 0; i < count; i++)
      fprintf(out, "%s%s", i ? "," : "", columns[i].name);
    fputc('\n', out);
  }
  for (int i = 0; i < count; i++)
    print_number(out, columns[i].value, i ? ',' : 0);
  fputc('\n', out);
}

int recorder_wants_nodes(const struct recorder *r, uint64_t step) {
  return r->shapes.stream && step >= r->next_shape_step;
}

void recorder_nodes(struct recorder *r, uint64_t step, double time_s, int count,
                    const struct sim_node *nodes) {
  FILE *out = r->shapes.stream;
  r->next_shape_step = (step / r->shapes_every + 1) * r->shapes_every;
  double arc_m = 0;
  for (int i = 0; i < count; i++) {
    print_number(out, time_s, 0);
    fputc(',', out);
    node_row(out, arc_m, &nodes[i]);
    arc_m += pipe_element_length(r->pipe, i);
    fputc('\n', out);
  }
  fputc('\n', out); // a blank line between shapes makes blocks for gnuplot
}

void recorder_hash(struct recorder *r, uint64_t step, uint64_t hash) {
  if (r->hashes.stream)
    fprintf(r->hashes.stream, "%" PRIu64 " %016" PRIx64 "\n", step, hash);
}

enum status recorder_close(struct recorder *r, struct reason *why) {
  struct output_file *const files[] = {&r->series, &r->shapes, &r->hashes};
  enum status worst = STATUS_OK;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    enum status status = output_file_close(files[i], why);
    if (status != STATUS_OK)
      worst = status;
  }
  return worst;
}
