#include "verification/report/papers.h"

#include "verification/harness/case_functions.h"
#include "verification/report/cases.h"

#include <stdio.h>

// A row begins a paper, or has a place; without a case it says why there is none.
static const struct {
  const char *paper, *place;
  verify_case_run *run;
  const char *agreement;
} ROWS[] = {
#define PAPER(title)                    {title, NULL, NULL, NULL},
#define ROW(place, function, agreement) {NULL, place, function, agreement},
#define OPEN(place, evidence)           {NULL, place, NULL, evidence},
#include "verification/report/papers.inc"
#undef PAPER
#undef ROW
#undef OPEN
};

static const char *name_of(verify_case_run *run) {
  for (int i = 0; i < verify_count(); i++)
    if (verify_at(i)->run == run)
      return verify_at(i)->name;
  return "";
}

void papers_print(void) {
  printf("# The papers, row by row\n"
         "Made by `sagbend verify --papers` from the list in `src/verification/report/papers.inc`: what the papers "
         "print, the\n"
         "verification case that judges it ([verification.md](verification.md), "
         "[verification-cases.md](verification-cases.md)), and how\n"
         "it agrees. A dash: no case can judge it, for the reason given. The available copies of the papers "
         "have no drawings; what is\n"
         "read off a figure is what text and captions state of it.\n");
  for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
    if (ROWS[i].paper)
      printf("\n## %s\n| equation, figure, table | case | agreement |\n|---|---|---|\n", ROWS[i].paper);
    else if (ROWS[i].run)
      printf("| %s | `%s` | %s |\n", ROWS[i].place, name_of(ROWS[i].run), ROWS[i].agreement);
    else
      printf("| %s | - | %s |\n", ROWS[i].place, ROWS[i].agreement);
}
