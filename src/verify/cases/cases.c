// The table of verification cases: what each one computes and where its reference comes from.
#include "verify/cases/cases.h"

#include <string.h>

#define GIUSTI "A. Giusti, Spatial formulation for the dynamics of floating rigid bodies (2016)"
#define BETSCH "P. Betsch, R. Siebert (Int. J. Numer. Meth. Engng 79, 2009)"
#define THESIS "N. Saefstroem, thesis (NTNU 2009)"
static const struct verify_case CASES[] = {
#define CASE(function, name, title, setup, reference) {name, title, setup, reference, function},
#include "verify/cases/cases.inc"
#undef CASE
};

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
