// The runner of all Check programs in this directory.
#pragma once

#include <check.h>
#include <stdlib.h>

// The share of a long scene that is run. Under sanitizers, which find faults of memory and are many times
// slower, tools/check sets SAGBEND_SHORT: there a tenth does.
static inline double scene_share(void) {
  return getenv("SAGBEND_SHORT") ? 0.1 : 1;
}

static inline int run_suite(Suite *suite) {
  SRunner *r = srunner_create(suite);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed > 0;
}

static inline TCase *add_case(Suite *suite, const char *name, double timeout_s) {
  TCase *t = tcase_create(name);
  tcase_set_timeout(t, timeout_s);
  suite_add_tcase(suite, t);
  return t;
}
