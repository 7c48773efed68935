// What a run in mode realtime asks of the system, and what the system denies.
#include "run/host/realtime.h"

#include "sagbend/rig/host_event.h"
#include "os/process/process.h"
#include "os/process/serving.h"

#include <stdio.h>
#include <string.h>

void realtime_keep_cpus_awake(struct realtime *rt) {
  if (rt->host->setup.config.run.keep_cpus_awake)
    rt->host->privileges.cpus_awake = os_keep_cpus_awake(&rt->awake_file, &rt->no_awake) == STATUS_OK;
}

void realtime_let_cpus_sleep(struct realtime *rt) {
  os_let_cpus_sleep(rt->awake_file);
}

// Never without that of the step thread, which it would then keep from its work.
static void raise_serving(struct realtime *rt) {
  const struct config *c = &rt->host->setup.config;
  int below = c->run.realtime_priority - 1;
  int own = c->run.serving_priority < below ? c->run.serving_priority : below;
  if (rt->host->privileges.fifo && own > 0)
    rt->host->privileges.serving_fifo = serving_raise(own, &rt->no_serving) == STATUS_OK;
  if (c->run.serving_cpu >= 0)
    serving_bind(c->run.serving_cpu, &rt->no_serving_cpu);
}

static void report_denied(struct realtime *rt) {
  const struct step_thread *thread = &rt->thread;
  struct host *host = rt->host;
  enum { DENIABLE = 6 };
  const char *denied[DENIABLE] = {thread->no_fifo.text, thread->no_lock.text, thread->no_cpu.text,
                                  rt->no_awake.text,    rt->no_serving.text,  rt->no_serving_cpu.text};
  char line[DENIABLE * sizeof thread->no_fifo.text] = "";
  for (int i = 0; i < DENIABLE; i++)
    if (*denied[i])
      snprintf(line + strlen(line), sizeof line - strlen(line), "%s%s", *line ? "; " : "", denied[i]);
  if (*line)
    console_line(&host->outlets.console, "notice: steps may be late: %s", line);
}

void realtime_take_privileges(struct realtime *rt) {
  const struct step_thread *thread = &rt->thread;
  struct host *host = rt->host;
  host->privileges.fifo = thread->priority > 0 && !*thread->no_fifo.text;
  host->privileges.locked = thread->priority > 0 && !*thread->no_lock.text;
  rt->losses_reported = serving_losses();
  raise_serving(rt);
  report_denied(rt);
}

void realtime_give_back_priority(void) {
  serving_lower();
}

void realtime_watch_priorities(struct realtime *rt) {
  const struct sim_output *now = &rt->host->session->last.output;
  unsigned losses = serving_losses();
  if (losses == rt->losses_reported)
    return;
  rt->losses_reported = losses;
  event_watch_log(
      &rt->host->session->watch, now->step, now->time_s, EVENT_NAME(priority_lost),
      "the thread of the sockets computed for %d ms without a wait: it goes on without SCHED_FIFO",
      SERVING_BUSY_MS);
}
