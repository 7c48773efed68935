// Prints the variables of a case: number, name, kind, type, unit. library_variables CASE inside|caller
// [KEY=VALUE...] It is compiled only while the structs of the API stand as in version 1: members stay where
// they are, new ones come at the end.
#include "sagbend/sagbend.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define AT(type, member, offset)                                                                             \
  _Static_assert(offsetof(type, member) == (offset), #type "." #member " has moved")
AT(sagbend_error, status, 8);
AT(sagbend_error, line, 12);
AT(sagbend_error, column, 16);
AT(sagbend_error, file, 20);
AT(sagbend_error, key, 276);
AT(sagbend_error, text, 372);
AT(sagbend_file, path, 8);
AT(sagbend_file, text, 16);
AT(sagbend_file, bytes, 24);
AT(sagbend_variable, id, 8);
AT(sagbend_variable, kind, 12);
AT(sagbend_variable, type, 16);
AT(sagbend_variable, flags, 20);
AT(sagbend_variable, name, 24);
AT(sagbend_variable, unit, 32);
AT(sagbend_variable, meaning, 40);
AT(sagbend_variable, least, 48);
AT(sagbend_variable, most, 56);
AT(sagbend_event, step, 8);
AT(sagbend_event, time_s, 16);
AT(sagbend_event, name, 24);
AT(sagbend_event, text, 56);
AT(sagbend_verdict, name, 8);
AT(sagbend_verdict, result, 16);
AT(sagbend_verdict, violated_step, 24);
AT(sagbend_verdict, worst_value, 32);
AT(sagbend_verdict, worst_margin, 40);
_Static_assert(SAGBEND_BAD_INPUT == 1 && SAGBEND_NO_MEMORY == 2 && SAGBEND_NOT_CONVERGED == 3 &&
                   SAGBEND_IO == 4 && SAGBEND_FAULT == 5 && SAGBEND_WRONG_CALL == 6,
               "a status has another number");
_Static_assert(SAGBEND_OUTPUT == 0 && SAGBEND_READING == 1 && SAGBEND_INPUT == 2 && SAGBEND_REAL == 0 &&
                   SAGBEND_INTEGER == 1 && SAGBEND_BOOLEAN == 2 && SAGBEND_CAN_BE_UNDEFINED == 1 &&
                   SAGBEND_EXISTS == 2,
               "a kind, type or flag has another number");
_Static_assert(SAGBEND_CONTROLLER_INSIDE == 0 && SAGBEND_CONTROLLER_CALLER == 1 &&
                   SAGBEND_CONTROLLER_ALONE == 2,
               "a kind of controller has another number");
_Static_assert(SAGBEND_PASSED == 0 && SAGBEND_FAILED == 1 && SAGBEND_NOT_JUDGED == 2 &&
                   SAGBEND_NODE_COLUMNS == 6,
               "another number");

int main(int argc, char **argv) {
  static const char *const kinds[] = {"output", "reading", "input"}, *const types[] = {"real", "integer",
                                                                                       "boolean"};
  sagbend_error e = {.size = sizeof e};
  sagbend_case *c = NULL;
  sagbend_sim *s = NULL;
  if (argc < 3)
    return 2;
  const int controller =
      strcmp(argv[2], "inside") != 0 ? SAGBEND_CONTROLLER_CALLER : SAGBEND_CONTROLLER_INSIDE;
  if (sagbend_case_open(argv[1], (const char *const *)argv + 3, (size_t)argc - 3, controller, &c, &e) ||
      sagbend_open(c, &s, &e))
    return fprintf(stderr, "%s\n", e.text), 1;
  for (size_t i = 0; i < sagbend_variable_count(s); i++) {
    sagbend_variable v = {.size = sizeof v};
    if (sagbend_variable_at(s, i, &v) != SAGBEND_OK)
      return 1;
    printf("%" PRIu32 "\t%s\t%s\t%s\t%s\n", v.id, v.name, kinds[v.kind], types[v.type], v.unit);
  }
  sagbend_close(s);
  sagbend_case_close(c);
  return 0;
}
