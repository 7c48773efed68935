// The table of verification cases: what each one computes and where its reference comes from.
#include "verification/report/cases.h"

#include "verification/harness/case_functions.h"

#include <string.h>

#define GIUSTI "A. Giusti, Spatial formulation for the dynamics of floating rigid bodies (2016)"
#define BETSCH "P. Betsch, R. Siebert (Int. J. Numer. Meth. Engng 79, 2009)"
#define THESIS "N. Saefstroem, thesis (NTNU 2009)"
static const struct verify_case CASES[] = {
#define SUBJECT(id, title)
#define CASE(function, name, title, setup, reference) {name, title, setup, reference, function},
#include "verification/harness/cases.inc"
#undef CASE
#undef SUBJECT
};

// The index of the case with which a subject begins: its enumerator has the value of the next one.
enum {
#define SUBJECT(id, title)                            BEGIN_##id, BEFORE_##id = BEGIN_##id - 1,
#define CASE(function, name, title, setup, reference) INDEX_##function,
#include "verification/harness/cases.inc"
#undef CASE
#undef SUBJECT
};

static const struct {
  int begin;
  const char *title;
} SUBJECTS[] = {
#define SUBJECT(id, title) {BEGIN_##id, title},
#define CASE(function, name, title, setup, reference)
#include "verification/harness/cases.inc"
#undef CASE
#undef SUBJECT
};

const char *verify_subject_at(int index) {
  for (size_t i = 0; i < sizeof SUBJECTS / sizeof *SUBJECTS; i++)
    if (SUBJECTS[i].begin == index)
      return SUBJECTS[i].title;
  return NULL;
}

int verify_count(void) {
  return (int)(sizeof CASES / sizeof *CASES);
}
const struct verify_case *verify_at(int index) {
  return &CASES[index];
}

const struct verify_case *verify_find(const char *name) {
  for (int i = 0; i < verify_count(); i++)
    if (strcmp(CASES[i].name, name) == 0)
      return &CASES[i];
  return NULL;
}
