// The report of the trials: results.json (schema sagbend-trials/2), junit.xml, report.html, and a few lines
// for people.
#pragma once

#include "lab/judge/findings.h"

enum status report_write(const struct judgement *j, const struct sweep_folder *folder, struct reason *why);
void report_print(const struct judgement *j, const struct sweep_folder *folder);

// The files of report_write.
int report_write_json(const struct judgement *j, const struct findings *findings,
                      const struct sweep_folder *folder, FILE *out);
int report_write_junit(const struct judgement *j, FILE *out);
int report_write_html(const struct judgement *j, const struct findings *findings,
                      const struct sweep_folder *folder, FILE *out);

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
