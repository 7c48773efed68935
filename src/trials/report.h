// The report of the trials: results.json (schema sagbend-trials/1), junit.xml, report.html, and a few lines
// for people.
#pragma once

#include "trials/judgement.h"

// Findings with the same complaint about equipment of the same kind stand in one row of the register.
struct finding {
  char grade, kind[32], complaint[32];
  int *run; // indices in the judgement; owned
  int run_count;
};
struct findings {
  struct finding *item;
  int count;
};
// STATUS_NO_MEMORY is the only failure. Release with findings_free in every case.
enum status findings_make(const struct judgement *j, struct findings *out);
void findings_free(struct findings *all);
// The criterion that gives a run its grade; CRITERION_COUNT: it passed.
enum criterion findings_complaint(const struct judged_run *run);

enum status report_write(const struct judgement *j, const struct sweep_folder *folder, struct reason *why);
void report_print(const struct judgement *j, const struct sweep_folder *folder);

// The files of report_write.
int report_write_json(const struct judgement *j, const struct findings *findings,
                      const struct sweep_folder *folder, FILE *out);
int report_write_junit(const struct judgement *j, FILE *out);
int report_write_html(const struct judgement *j, const struct findings *findings,
                      const struct sweep_folder *folder, FILE *out);
// The plots of a run's test sheet, where its record is there. Returns 0 without memory.
int report_put_plots(FILE *out, const struct judgement *j, const struct judged_run *run,
                     const struct sweep_folder *folder);
