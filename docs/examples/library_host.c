// A host of libsagbend: it holds a vessel for a minute by a law of its own. docs/library.md explains it.
//   cc library_host.c $(pkg-config --cflags --libs sagbend) -o library_host
//   ./library_host configs/jlay-900m.yaml
#include <inttypes.h>
#include <sagbend.h>
#include <stdio.h>

static const char *const in[4] = {"command.engaged", "command.wrench.surge_n", "command.wrench.sway_n",
                                  "command.wrench.yaw_nm"};
// The heading is 0.
static const char *const out[7] = {"vessel.north_m",       "vessel.east_m",          "vessel.surge_mps",
                                   "vessel.sway_mps",      "vessel.control_surge_n", "vessel.control_sway_n",
                                   "vessel.control_yaw_nm"};

int main(int argc, char **argv) {
  sagbend_error e = {.size = sizeof e};
  sagbend_case *c = NULL;
  sagbend_sim *s = NULL;
  uint32_t inputs[4], outputs[7];
  double start[7], now[7];
  if (argc != 2 || sagbend_case_open(argv[1], NULL, 0, SAGBEND_CONTROLLER_CALLER, &c, &e) ||
      sagbend_open(c, &s, &e))
    return fprintf(stderr, "%s:%d:%d: %s\n", e.file, (int)e.line, (int)e.column, e.text), 1;
  for (int i = 0; i < 4; i++)
    if (!(inputs[i] = sagbend_find(s, in[i])))
      return fprintf(stderr, "%s: no input of this case\n", in[i]), 1;
  for (int i = 0; i < 7; i++)
    outputs[i] = sagbend_find(s, out[i]);
  sagbend_status status = sagbend_get(s, outputs, 7, start); // with the wrench that holds the vessel at rest
  while (!status && sagbend_time(s) < 60 && !(status = sagbend_get(s, outputs, 7, now))) {
    const double command[4] = {1, start[4] - 5e4 * (now[0] - start[0]) - 4e5 * now[2],
                               start[5] - 5e4 * (now[1] - start[1]) - 4e5 * now[3], start[6]};
    if ((status = sagbend_set(s, inputs, 4, command, &e)) ||
        (status = sagbend_step(s, (uint64_t)(sagbend_period_s(s) / sagbend_step_s(s) + 0.5), NULL)))
      fprintf(stderr, "%.2f s: %s\n", sagbend_time(s),
              status == SAGBEND_BAD_INPUT ? e.text : sagbend_status_text(status));
  }
  printf("%.2f s, %.3f m north of the start, state %016" PRIx64 "\n", sagbend_time(s), now[0] - start[0],
         sagbend_hash(s));
  sagbend_close(s);
  sagbend_case_close(c);
  return status != SAGBEND_OK;
}
