// Solves the ray casts that standard input describes, for reach_test.py. A letter and numbers in each line: B
// limit of a bus; U x y power bus; S direction ahead astern; A from to radius; P a piece begins; V a point; F
// fixed forces; L load and tolerance, which solves, prints "end margin bound pivots nodes" and begins the
// next set.
#include "sagbend/reach/reach.h"

#include <stdio.h>
#include <stdlib.h>

static struct reach set;

static int need(int good) {
  if (!good) {
    fputs("reach_cases: a line that is not understood, or no room\n", stderr);
    exit(2);
  }
  return good;
}

int main(void) {
  char line[256];
  struct reach_unit *unit = NULL;
  double v[4], fixed[3] = {0, 0, 0};
  int bus;
  reach_clear(&set);
  while (fgets(line, sizeof line, stdin)) {
    const char *rest = line + 1;
    switch (line[0]) {
    case 'B':
      need(sscanf(rest, "%lf", v) == 1 && reach_add_bus(&set, v[0]) >= 0);
      break;
    case 'U':
      need(sscanf(rest, "%lf %lf %lf %d", v, v + 1, v + 2, &bus) == 4 &&
           (unit = reach_add_unit(&set, v[0], v[1], v[2], bus)) != NULL);
      break;
    case 'S':
      need(unit && sscanf(rest, "%lf %lf %lf", v, v + 1, v + 2) == 3 &&
           reach_add_segment(unit, v[0], v[1], v[2]));
      break;
    case 'A':
      need(unit && sscanf(rest, "%lf %lf %lf", v, v + 1, v + 2) == 3 &&
           reach_add_sector(unit, v[0], v[1], v[2]));
      break;
    case 'P':
      need(unit && reach_begin_piece(unit));
      break;
    case 'V':
      need(unit && sscanf(rest, "%lf %lf", v, v + 1) == 2 && reach_add_point(unit, v[0], v[1]));
      break;
    case 'F':
      need(sscanf(rest, "%lf %lf %lf", fixed, fixed + 1, fixed + 2) == 3);
      break;
    default: {
      struct reach_answer a;
      need(line[0] == 'L' && sscanf(rest, "%lf %lf %lf %lf", v, v + 1, v + 2, v + 3) == 4);
      reach_solve(&set, fixed, v, v[3], &a);
      printf("%d %.17g %.17g %d %d\n", (int)a.end, a.margin, a.bound, a.pivots, a.nodes);
      reach_clear(&set);
      fixed[0] = fixed[1] = fixed[2] = 0;
    }
    }
  }
  return 0;
}
