// Cost of a checkpoint for the simulation thread (copy of the state and its hash into a prepared buffer),
// beside the cost of a step, and cost of the file for its writer. Steps and copies alternate, so that the
// copy meets a cache that a step has used.

#include "log/log/log.h"

#include "scenes.h"
#include "times.h"

#include <unistd.h>

enum { STEPS = 2000, WRITES = 50 };

static void print_row(const char *name, double *us, int count) {
  sort_times(us, count);
  printf("  %-12s %9.2f %9.2f %9.2f\n", name, us[count / 2], us[(int)(0.99 * count)], us[count - 1]);
}

static int measure(const char *elements) {
  static double step_us[STEPS], fill_us[STEPS], write_us[WRITES];
  char set[32], path[64];
  const char *const sets[] = {set};
  snprintf(set, sizeof set, "pipe.elements=%s", elements);
  snprintf(path, sizeof path, "bench-checkpoint-%ld", (long)getpid());
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 1, sets);
  struct sim *sim = shipped_create(&def);
  struct checkpoint_identity identity = {.build = "bench"};
  static struct closed_loop loop;
  struct reason why = {""};
  struct sensor_suite suite = {.state = &suite};
  size_t size = checkpoint_size(sim, &suite);
  loop.sim = sim;
  loop.suite = &suite;
  void *image = malloc(size);
  memset(image, 0, size);
  for (int k = 0; k < STEPS; k++) {
    double begin = now_us();
    sim_step(sim, NULL);
    double middle = now_us();
    checkpoint_fill(image, &identity, &loop);
    step_us[k] = middle - begin;
    fill_us[k] = now_us() - middle;
  }
  for (int k = 0; k < WRITES; k++) {
    double begin = now_us();
    if (checkpoint_write(path, image, size, &why) != STATUS_OK) {
      fprintf(stderr, "%s\n", why.text);
      return 1;
    }
    write_us[k] = now_us() - begin;
  }
  unlink(path);
  printf("%s elements, %zu bytes; us            p50       p99       max\n", elements, size);
  print_row("step", step_us, STEPS);
  print_row("copy", fill_us, STEPS);
  print_row("file", write_us, WRITES);
  free(image);
  shipped_free(sim);
  return 0;
}

int main(void) {
  return measure("48") || measure("100") || measure("240") || measure("1000");
}
