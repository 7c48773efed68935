// Findings: runs with the same complaint about equipment of the same kind, together in one row of the
// register.
#pragma once

#include "lab/judge/judge.h"

struct finding {
  char id[8];    // "A-01": its place in the register
  char grade;    // 'A', 'B', 'C'
  char kind[48]; // of the equipment
  enum failure_group group;
  enum criterion complaint;
  int *run; // indices in the judgement; owned
  int run_count;
  int worst; // the index of the run that goes furthest, which has the test sheet
};
struct findings {
  struct finding *item; // A before B before C; single failures before the others; the largest effect first
  int count;
};
// STATUS_NO_MEMORY is the only failure. Release with findings_free in every case.
enum status findings_make(const struct judgement *j, struct findings *out);
void findings_free(struct findings *all);

// The criterion that gives a run its grade; CRITERION_COUNT: it passed.
enum criterion findings_complaint(const struct judged_run *run);
// The finding of a run of the judgement, by its index; NULL: it passed or was not judged.
const struct finding *findings_of(const struct findings *all, int run);
// Whether the owner accepts each of its runs.
int finding_is_accepted(const struct judgement *j, const struct finding *f);

// What is wrong, and why it counts: sentences.
const char *finding_sentence(const struct finding *f);
const char *finding_reason(const struct finding *f);
// The modes of its runs, each once: "to_full, to_zero". The text is cut to the size.
void finding_modes(const struct judgement *j, const struct finding *f, char *out, size_t size);
