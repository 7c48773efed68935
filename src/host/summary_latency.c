#include "host/summary_parts.h"

#include <math.h>
#include <stdio.h>

// Null without a measurement.
static cJSON *add_percentiles(cJSON *to, const char *name, const struct latency *t) {
  cJSON *o = cJSON_AddObjectToObject(to, name);
  double none = t->count ? 0 : (double)NAN;
  cJSON_AddNumberToObject(o, "p50", t->p50_us + none);
  cJSON_AddNumberToObject(o, "p99", t->p99_us + none);
  cJSON_AddNumberToObject(o, "p999", t->p999_us + none);
  cJSON_AddNumberToObject(o, "max", t->max_us + none);
  return o;
}

static void add_bucket(void *array, struct histogram_bucket bucket) {
  const double pair[] = {1e-3 * (double)bucket.upper_ns, (double)bucket.count};
  cJSON_AddItemToArray(array, cJSON_CreateDoubleArray(pair, 2));
}

// histogram_us: for each bucket that is not empty its upper end and its count.
static void add_histogram(cJSON *to, const char *name, const struct histogram *h) {
  struct latency t;
  times_fill_latency(h, &t);
  cJSON *o = add_percentiles(to, name, &t);
  cJSON_AddNumberToObject(o, "count", (double)t.count);
  histogram_visit(h, add_bucket, cJSON_AddArrayToObject(o, "histogram_us"));
}

void summary_add_latency(cJSON *root, const struct host *host) {
  struct latency step, wakeup;
  times_fill_latency(&host->session->times.step_ns, &step);
  times_fill_latency(&host->session->times.wakeup_ns, &wakeup);
  add_percentiles(root, "step_us", &step);
  add_percentiles(root, "wakeup_us", &wakeup);
  cJSON *o = cJSON_AddObjectToObject(root, "latency");
  add_histogram(o, "step_us", &host->session->times.step_ns);
  add_histogram(o, "wakeup_us", &host->session->times.wakeup_ns);
  add_histogram(o, "step_end_to_sensors_sent_us", &host->session->sent_ns);
  add_histogram(o, "command_received_to_latched_us", &host->session->times.latched_ns);
}

static void print(const char *name, const struct histogram *h) {
  struct latency t;
  times_fill_latency(h, &t);
  if (t.count)
    printf("%-20s p50 %.0f  p99 %.0f  p99.9 %.0f  max %.0f us\n", name, t.p50_us, t.p99_us, t.p999_us,
           t.max_us);
}

void summary_print_latency(const struct host *host) {
  print("step time", &host->session->times.step_ns);
  print("wake-up latency", &host->session->times.wakeup_ns);
  print("Sensors sent", &host->session->sent_ns);
  print("commands latched", &host->session->times.latched_ns);
}
