// A host with a name that the library has inside, and a build id of its own: prints the version, the two ids
// that the installed library has to tell apart, and the state after so many steps. library_host CASE STEPS
// [close-stderr]
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

int main(int argc, char **argv) {
  sagbend_error e = {.size = sizeof e};
  sagbend_case *c = NULL;
  sagbend_sim *s = NULL;
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
  return 0;
}
