#define _POSIX_C_SOURCE 200809L
#include "sweep/rao.h"

#include "hydro/fit_error.h"
#include "sweep/linear_answer.h"
#include "sweep/rao_plan.h"
#include "sweep/rao_results.h"
#include "sweep/wave_fit.h"

#include <stdlib.h>
#include <string.h>

static const double TWO_PI = 6.283185307179586;

struct session {
  const struct rao_options *options;
  const struct rao_case *c;
};

// A point of the results. Records that are missing are counted, damaged ones are errors.
static enum status take_point(struct rao_results *r, const struct sweep_folder *folder, int k,
                              struct reason *why) {
  const struct rao_case *c = r->c;
  struct rao_row *row = &r->row[k];
  struct point_record record;
  double omega = c->grid.omega_radps[k / c->grid.headings],
         heading = c->grid.heading_deg[k % c->grid.headings] * TWO_PI / 360;
  linear_answer(c, omega, heading, row->linear);
  if (rao_has_motions(r))
    hydro_table_interpolate(&c->hydro->motion, omega, heading, row->file);
  enum status status = point_record_read(folder, k + 1, &record, why);
  if (status == STATUS_OK)
    row->is_there = record.outcome == POINT_PASSED;
  point_record_free(&record);
  r->missing += !row->is_there;
  if (status != STATUS_OK || !row->is_there)
    return status;
  struct reason found = {""};
  status = wave_fit(sweep_point_path(folder, k + 1, "record.csv").text, omega, c->settle_s,
                    c->settle_s + RAO_PERIODS * TWO_PI / omega, row->simulated, &found);
  return status == STATUS_OK ? status
                             : fail(why, status, "%.300s; remove %.120s and run the point again", found.text,
                                    sweep_point_path(folder, k + 1, "").text);
}

static void find_worst(struct rao_results *r) {
  for (int k = 0; k < r->rows; k++)
    for (int i = 0; i < 6 && r->row[k].is_there; i++) {
      double difference = rao_difference(r, r->row[k].simulated, r->row[k].linear, i);
      if (!(difference <= r->worst[i].difference))
        r->worst[i] = (struct rao_worst){difference, k};
    }
}

// Whether all points are there and near the linear answer.
static enum status judge(const struct rao_results *r, double tolerance, struct reason *why) {
  if (r->missing)
    return fail(why, STATUS_IO, "%d of %d points have no result; the same command runs them", r->missing,
                r->rows);
  for (int i = 0; i < 6 && tolerance > 0; i++)
    if (!(r->worst[i].difference <= tolerance))
      return fail(why, STATUS_IO,
                  "--tolerance %g: %s differs from the linear answer by %.4g of its peak, at point %d",
                  tolerance, RAO_MOTION[i], r->worst[i].difference, r->worst[i].row + 1);
  return STATUS_OK;
}

static enum status collect(const struct plan *plan, const struct sweep_folder *folder, void *context,
                           struct reason *why) {
  const struct session *s = context;
  struct rao_results r = {.c = s->c, .folder = folder->path, .rows = plan->point_count};
  enum status status = STATUS_OK;
  r.row = calloc((size_t)r.rows, sizeof *r.row);
  if (!r.row)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the results");
  for (int k = 0; k < r.rows && status == STATUS_OK; k++)
    status = take_point(&r, folder, k, why);
  find_worst(&r);
  if (status == STATUS_OK)
    status = rao_write_csv(&r, why);
  if (status == STATUS_OK)
    status = rao_write_json(&r, s->options->json, why);
  if (status == STATUS_OK)
    status = rao_write_plot(&r, why);
  if (status == STATUS_OK && !s->options->json)
    rao_print(&r);
  if (status == STATUS_OK)
    status = judge(&r, s->options->tolerance, why);
  free(r.row);
  return status;
}

// Without an option: "ship-rao" for "cases/ship.yaml".
static void folder_name(const char *case_path, char *out, size_t size) {
  const char *slash = strrchr(case_path, '/'), *name = slash ? slash + 1 : case_path,
             *dot = strrchr(name, '.');
  snprintf(out, size, "%.*s-rao", dot && dot != name ? (int)(dot - name) : (int)strlen(name), name);
}

enum status rao(const struct rao_options *o, struct reason *why) {
  struct rao_case c;
  struct plan plan = {.path = NULL};
  char folder[512], text[400];
  struct session session = {o, &c};
  folder_name(o->case_path, folder, sizeof folder);
  const struct sweep_options options = {.folder = o->folder ? o->folder : folder,
                                        .action = o->action,
                                        .point = o->point,
                                        .jobs = o->jobs,
                                        .collect = collect,
                                        .context = &session};
  enum status status = rao_case_read(o, &c, why);
  if (status == STATUS_OK && hydro_fit_notice(c.hydro, text, sizeof text))
    fprintf(stderr, "%s: notice: vessel.hydro_file: %s\n", o->case_path, text);
  if (status == STATUS_OK)
    status = rao_plan_make(o, &c, &plan, why);
  if (status == STATUS_OK)
    status = sweep_plan(&plan, &options, why);
  plan_free(&plan);
  rao_case_free(&c);
  return status;
}
