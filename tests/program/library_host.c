// A host with a name that the library has inside, and a build id of its own: prints the version, the two ids
// that the installed library has to tell apart, and the state after so many steps. library_host CASE STEPS
// [close-stderr]. HOST_CJSON: it uses cJSON with hooks of its own, which nobody else may call or replace.
#include <inttypes.h>
#include <sagbend.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int fail(void); // enum status fail(struct reason *, ...) of the library is another function
int fail(void) {
  return 1;
}

#ifdef HOST_CJSON
#include <cjson/cJSON.h>
static int calls;
static void *own_malloc(size_t size) {
  calls++;
  return malloc(size);
}
static void begin_host(void) {
  cJSON_InitHooks(&(cJSON_Hooks){own_malloc, free});
}
static int end_host(void) {
  const int by_others = calls;
  cJSON_Delete(cJSON_CreateNumber(1));
  return by_others == 0 && calls == 1;
}
#else
static void begin_host(void) {}
static int end_host(void) {
  return 1;
}
#endif

int main(int argc, char **argv) {
  sagbend_error e = {.size = sizeof e};
  sagbend_case *c = NULL;
  sagbend_sim *s = NULL;
  begin_host();
  if (argc > 3 && !strcmp(argv[3], "close-stderr") && close(STDERR_FILENO) != 0)
    return fail();
  if (argc < 3 || sagbend_case_open(argv[1], NULL, 0, SAGBEND_CONTROLLER_INSIDE, &c, &e) ||
      sagbend_open(c, &s, &e) || sagbend_step(s, strtoull(argv[2], NULL, 10), NULL)) {
    printf("error: %s:%d: %s\n", e.file, (int)e.line, e.text);
    sagbend_case_close(c);
    return fail();
  }
  printf("%s %" PRIu32 " %s\n%" PRIu64 " %016" PRIx64 "\n", sagbend_version(), sagbend_api_version(),
         sagbend_build(), sagbend_steps(s), sagbend_hash(s));
  sagbend_close(s);
  sagbend_case_close(c);
  return end_host() ? 0 : fail();
}
