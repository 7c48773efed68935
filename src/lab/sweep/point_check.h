// What must hold before a point runs: its configuration is valid, ends and finds its controller.
#pragma once

#include "lab/sweep/sweep.h"

// What the configuration of a point says.
struct point_facts {
  char *inputs;               // lines "hash path" of the files on which its steps depend; owned
  char (*verdict)[PLAN_NAME]; // names; owned
  int verdict_count;
  char dp_file[512];    // from the working directory; "": none
  char fixed_port[160]; // that keeps its runs from going on at the same time (plan_controller_fixed_port)
};

// Loads the configuration of a point. Prints its errors. STATUS_BAD_INPUT: there was one. Release with
// point_facts_free in every case.
enum status point_check(const struct plan *p, const struct plan_point *point, struct point_facts *out,
                        FILE *errors);
void point_facts_free(struct point_facts *facts);

// Errors of many points. An error that several points have is printed once, with their number.
struct point_errors {
  struct point_error {
    char *line;
    int first, count; // point, number of points
  } *item;
  int stored, count;
};
void point_errors_add(struct point_errors *e, int point, const char *lines);
void point_errors_print(const struct point_errors *e, FILE *out);
void point_errors_free(struct point_errors *e);
