// Verdicts of a run: for people, for programs, for a CI that reads JUnit XML.
#pragma once

#include "run/session/session.h"

#include <cjson/cJSON.h>

// How a verdict stood at the end of a session. Unfinished: it held, but its time was not over.
enum verdict_end { VERDICT_END_PASSED, VERDICT_END_FAILED, VERDICT_END_NOT_JUDGED, VERDICT_END_UNFINISHED };

// How a verdict stands in a session that ends before the run does.
enum verdict_end verdicts_end_of(const struct session *session, int verdict);
const char *verdicts_end_word(enum verdict_end end); // in the summary
int verdicts_failed(const struct session *session);  // how many make the run fail
int verdicts_passed(const struct session *session);  // neither failed nor not judged nor unfinished
void verdicts_print(const struct session *session);  // on stdout, a line each
void verdicts_add(cJSON *root, const struct session *session);
// Writes the verdicts as JUnit XML and closes the file, if it is open. why names it.
enum status verdicts_write_junit(const struct session *session, struct output_file *file, struct reason *why);
