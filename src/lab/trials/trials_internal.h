// The report of the trials: results.json (schema sagbend-trials/2), junit.xml, report.html, and a few lines
// for people.
#pragma once

#include "lab/trials/report_template.h" // made of report.html and report.css

#include "lab/judge/judge.h"
#include "os/files/files.h"
#include "sagbend/case/case.h"

#include <stddef.h>

enum status report_write(const struct judgement *j, const struct sweep_folder *folder, struct reason *why);
void report_print(const struct judgement *j, const struct sweep_folder *folder);

// The files of report_write.
int report_write_json(const struct judgement *j, const struct findings *findings,
                      const struct sweep_folder *folder, FILE *out);
int report_write_junit(const struct judgement *j, FILE *out);

// What the parts of the report share.
enum { REPORT_COMMAND = 4096 };
const char *report_object(const struct trial_plan *p); // what was tried, by its name
// The command that repeats a run, for a shell.
void report_command(const struct judgement *j, const struct judged_run *run, char *out, size_t size);
// The run that has the log of a run, and its path from the folder of the results; NULL: there is no log.
const struct observation *report_log(const struct judged_run *run, char *path, size_t size);
// Whether the record of a run belongs to the report: of a finding A or B, of the run without a failure, of a
// declared worst-case failure.
int report_needs_record(const struct judgement *j, const struct judged_run *run);

// ------------------------------------------------------------
// The events of a failure (sweep.h), as the report shows them.

enum { EVENT_TEXT = 96, EVENT_PARAMETERS = 6 };

struct report_event {
  char name[EVENT_TEXT], fault[EVENT_TEXT], target[EVENT_TEXT]; // target "": none
  double at_s, duration_s;
  struct {
    char key[EVENT_TEXT], value[EVENT_TEXT];
  } more[EVENT_PARAMETERS];
  int more_count;
};

// Takes the next event off the text. Returns 0 at its end.
int report_event_next(const char **events, struct report_event *out);

// ------------------------------------------------------------
// What the files of report.html share. Each report_put_* writes one part, in the order of the declarations.

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

// "gnss-1/no_output@S1"
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
void report_put_id(FILE *out, const struct report *r, const struct judged_run *run); // "gnss-1/no_output@S1"
int report_has_sheet(const struct report *r, int run);                               // of the judgement

enum status report_put_system(const struct report *r);
void report_put_matrix(const struct report *r);
enum status report_put_worst_case(const struct report *r);
void report_put_register(const struct report *r);
enum status report_put_sheets(const struct report *r);
void report_put_results(const struct report *r);
void report_put_end(const struct report *r); // not tested, seeded faults, reproduction, signatures

struct run_record;

// ------------------------------------------------------------
// 1, 2 or 5 times a power of ten, so that a span of an axis has at most so many steps.
double report_round_step(double span, int most);

// report.pdf from report.html (report_pdf of os/cli/cli.h).
void report_write_pdf(const char *folder);

// ------------------------------------------------------------
// The order in which the runs of trials are made, and a run by its name.
