// Cost of a log for the simulation thread: all topics at every step in real time, beside steps of the same
// run without a log. Batches of both alternate, so that they meet the same machine.

#include "log/log/log.h"
#include "run/setup/setup.h"
#include "sagbend/loop/loop.h"
#include "sagbend/signals/signals.h"

#include "times.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEPS = 4000, BATCH = 50 };
static const uint64_t PERIOD_NS = 2000000;

static double percentile(double *us, int count, double p) {
  sort_times(us, count);
  int i = (int)(p * count);
  return us[i < count ? i : count - 1];
}

static struct logger *open_log(const struct setup *setup, const struct plant *plant,
                               const struct closed_loop *closed_loop, const char *path) {
  struct logger *l;
  struct log_session record = {.session = "bench",
                               .version = "0",
                               .build = "bench",
                               .config_path = "jlay-900m.yaml",
                               .config = &setup->config,
                               .command_def = closed_loop->command_def,
                               .node_count = sim_node_count(plant->sim)};
  return logger_open(path, &record, NULL, &l, NULL) == STATUS_OK ? l : NULL;
}

static void run(struct closed_loop *closed_loop, struct logger *l, double *without, double *with,
                double *log_only) {
  uint64_t due_ns = os_now_ns();
  for (int i = 0; i < 2 * STEPS; i++) {
    int logs = i / BATCH % 2, k = i / (2 * BATCH) * BATCH + i % BATCH;
    os_sleep_until_ns(due_ns += PERIOD_NS);
    uint64_t begin_ns = os_now_ns();
    closed_loop_step(closed_loop, NULL);
    uint64_t stepped_ns = os_now_ns();
    if (logs)
      logger_step(l, closed_loop);
    uint64_t end_ns = os_now_ns();
    logger_prefetch(l); // as the simulation thread does after a step
    if (logs)
      log_only[k] = 1e-3 * (double)(end_ns - stepped_ns);
    (logs ? with : without)[k] = 1e-3 * (double)(end_ns - begin_ns);
  }
}

static void print_row(const char *name, double *us) {
  printf("  %-22s %9.2f %9.2f %9.2f %9.2f\n", name, percentile(us, STEPS, 0.5), percentile(us, STEPS, 0.99),
         percentile(us, STEPS, 0.999), percentile(us, STEPS, 1));
}

int main(void) {
  static struct setup setup;
  static struct plant plant;
  static struct closed_loop closed_loop;
  static struct dp_work work;
  static double without[STEPS], with[STEPS], log_only[STEPS];
  char path[64];
  struct case_options options = {.config_path = TEST_SOURCE_DIR "/configs/jlay-900m.yaml"};
  if (setup_load(&setup, &options, stderr) != STATUS_OK ||
      plant_create(&plant, &setup, NULL, NULL) != STATUS_OK)
    return 1;
  setup.config.log = (struct log_def){.buffer_mib = 64}; // every topic at every step
  struct command_def def = setup_command_def(&setup, plant.sim);
  closed_loop_init(&closed_loop, plant.sim, &plant.suite, &def, setup.has_dp ? &setup.dp.def : NULL, &work,
                   &setup.config.scenario, NULL);
  snprintf(path, sizeof path, "bench-log-%d.mcap", (int)getpid());
  struct logger *l = open_log(&setup, &plant, &closed_loop, path);
  if (!l)
    return 1;
  run(&closed_loop, l, without, with, log_only);
  logger_finish(l, &closed_loop, "done", NULL);
  struct logger_report report = logger_report(l);
  uint64_t dropped = 0;
  for (int t = 0; t < LOG_TOPIC_COUNT; t++)
    dropped += report.dropped[t];
  printf("%d elements, every topic at every step, a step each %.0f ms\n", setup.config.sim.pipe.elements,
         1e-6 * (double)PERIOD_NS);
  printf("  us                           p50       p99     p99.9       max\n");
  print_row("step", without);
  print_row("step and log", with);
  print_row("log alone", log_only);
  double median = percentile(without, STEPS, 0.5);
  printf("  the log costs %.2f %% of the median step (%.2f %% with what it does to the caches)\n",
         100 * percentile(log_only, STEPS, 0.5) / median, 100 * (percentile(with, STEPS, 0.5) / median - 1));
  printf("  %" PRIu64 " messages, %" PRIu64 " bytes in the file, %" PRIu64 " left out\n",
         report.written.messages, report.written.bytes, dropped);
  logger_free(l);
  unlink(path);
  plant_free(&plant);
  setup_free(&setup);
  return report.incomplete || dropped ? 1 : 0;
}
