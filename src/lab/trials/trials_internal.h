// What the files of report.html share. Each report_put_* writes one part, in the order of the declarations.
#pragma once

#include "sagbend/case/config.h"
#include "os/files/markup.h"
#include "lab/judge/report_values.h"
#include "lab/judge/sharpness.h"
#include "lab/trials/report.h"

#include "lab/trials/report_template.h" // made of report.html and report.css

struct report {
  const struct judgement *j;
  const struct findings *findings;
  const struct sweep_folder *folder;
  const struct config *config; // of the base with the plan's overrides
  FILE *out;
};

// Writes a piece of the template (report.html): of its conversions %s is text, whose marks are written as
// entities; %.*s a part of one; c, d, f, g as fprintf writes them.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void report_put(FILE *out, const char *piece, ...);

// "gnss-1/off@S1"
struct report_name {
  char text[FAILURE_ID + 32];
};
struct report_name report_id(const struct report *r, const struct judged_run *run);

// Conditions that stand side by side in a field of matrix and results.
enum { REPORT_SIDE_BY_SIDE = 3 };

char report_letter(const struct judged_run *run); // its grade, or the letter of its state
void report_put_letter(const struct report *r,
                       const struct judged_run *run); // a field with colour and letter
void report_put_cell(FILE *out, const char *text);
// <table> and its head. Widths are given because to find them takes minutes in a large report.
struct report_column {
  const char *title;
  int width_mm; // 178 in all
  int is_number;
};
void report_put_head(FILE *out, const struct report_column *columns, int count);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void report_put_number(FILE *out, const char *format, ...);
void report_put_id(FILE *out, const struct report *r, const struct judged_run *run); // "gnss-1/off@S1"
int report_has_sheet(const struct report *r, int run);                               // of the judgement

void report_put_cover(const struct report *r);
void report_put_summary(const struct report *r);
enum status report_put_system(const struct report *r);
void report_put_vessel(const struct report *r); // the drawing in it
void report_put_matrix(const struct report *r);
enum status report_put_worst_case(const struct report *r);
void report_put_register(const struct report *r);
enum status report_put_sheets(const struct report *r);
void report_put_results(const struct report *r);
void report_put_end(const struct report *r); // not tested, sharpness, reproduction, signatures

struct run_record;
// The plots of a run's test sheet beside the run without a failure.
void report_put_plots(const struct report *r, const struct judged_run *run, const struct run_record *with,
                      const struct run_record *without);
