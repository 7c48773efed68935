// The thread of the steps in mode realtime, and what an order on the run does in it and beside it.
#include "run/host/host_internal.h"

#include "os/process/process.h"
#include "run/host/host.h"

#include <math.h>
#include <string.h>

enum { START_DELAY_NS = 2000000 };
static const uint64_t LONGEST_START_NS = 2000000000;

// ------------------------------------------------------------
// The clock that the steps follow. The pacer holds their due times as moments of the monotonic clock.

static enum os_clock looked_at(const struct step_thread *thread) {
  return thread->clock == RIG_CLOCK_TAI ? OS_CLOCK_TAI : OS_CLOCK_UTC;
}

// The next step is due at the first whole multiple of the step on its clock from soonest_ns on.
static void restart_pacer(struct step_thread *thread, uint64_t soonest_ns, uint64_t period_ns) {
  if (thread->clock != RIG_CLOCK_MONOTONIC)
    soonest_ns = clock_whole_step(soonest_ns, thread->followed.ahead_ns, thread->period_ns);
  pacer_restart(&thread->pacer, soonest_ns, period_ns);
}

static void look_at_clock(struct step_thread *thread) {
  thread->followed.ahead_ns = os_clock_look(looked_at(thread)).ahead_ns;
}

static void follow_clock(struct step_thread *thread) {
  const struct clock_look look = os_clock_look(looked_at(thread));
  pacer_follow(&thread->pacer, &thread->followed, &look);
}

// The moment of the first step, by the monotonic clock: as the session has recorded it, if it is still to
// come, and not far off because UTC was set back since; by how much it is not is noted.
static uint64_t first_due_ns(struct step_thread *thread) {
  const uint64_t soonest_ns = os_now_ns() + START_DELAY_NS;
  const uint64_t recorded_ns =
      thread->first_due_utc_ns + thread->tai_offset_ns - (uint64_t)thread->followed.ahead_ns;
  const int is_near =
      recorded_ns > soonest_ns && recorded_ns - soonest_ns < LONGEST_START_NS + thread->period_ns;
  if (!thread->first_due_utc_ns || is_near)
    return thread->first_due_utc_ns ? recorded_ns : soonest_ns;
  thread->engine->loop.frame.timing.clock.start_late_s = 1e-9 * (double)(int64_t)(soonest_ns - recorded_ns);
  return soonest_ns;
}

static void add_offset(struct offsets *to, double offset_s) {
  to->count++;
  to->sum_s += offset_s;
  if (fabs(offset_s) > fabs(to->worst_s))
    to->worst_s = offset_s;
}

// After the step has begun.
static void note_offset(struct step_thread *thread, uint64_t begin_ns) {
  const struct frame *frame = &thread->engine->loop.frame;
  struct rig_time *out = &thread->engine->loop.frame.timing.clock;
  const struct clock_look look = os_clock_look(looked_at(thread));
  const int64_t late_ns = (int64_t)(begin_ns - pacer_due_ns(&thread->pacer));
  out->is_measured = 1;
  out->clock = thread->clock;
  out->offset_s = 1e-9 * (double)(late_ns + look.ahead_ns - thread->followed.ahead_ns);
  if (thread->is_stamped) {
    const double time_s = (double)(frame->output.step + 1) * frame->target.step_s; // of the step that begins
    const struct clock_look utc =
        thread->clock == RIG_CLOCK_TAI ? os_clock_look(OS_CLOCK_UTC) : look; // leap seconds
    const uint64_t utc_ns = begin_ns + (uint64_t)utc.ahead_ns;
    out->behind_s = 1e-9 * (double)(int64_t)(utc_ns - frame->start_utc_ns) - time_s;
  }
  add_offset(&thread->second, out->offset_s);
  add_offset(&thread->times.offsets, out->offset_s);
}

static double mean_of(const struct offsets *offsets) {
  return offsets->count ? offsets->sum_s / (double)offsets->count : 0;
}

// Once a second.
static void show_offsets(struct step_thread *thread) {
  struct rig_time *out = &thread->engine->loop.frame.timing.clock;
  out->mean_s = mean_of(&thread->second);
  out->worst_s = thread->second.worst_s;
  thread->second = (struct offsets){0};
}

static void show_kernel(const struct usage_seen *seen, struct rig_time *out) {
  const int64_t state = atomic_load_explicit(&seen->clock_state, memory_order_relaxed);
  out->is_known = state != KERNEL_UNKNOWN;
  out->is_synchronised = state == KERNEL_SYNCHRONISED;
  out->estimated_error_s =
      1e-6 * (double)atomic_load_explicit(&seen->clock_estimated_us, memory_order_relaxed);
  out->largest_error_s = 1e-6 * (double)atomic_load_explicit(&seen->clock_largest_us, memory_order_relaxed);
  out->frequency_ppm = 1e-3 * (double)atomic_load_explicit(&seen->clock_frequency_ppb, memory_order_relaxed);
  out->tai_offset_s = (double)atomic_load_explicit(&seen->clock_tai_s, memory_order_relaxed);
}

static void show_clock(const struct step_thread *thread, struct rig_time *out) {
  out->session_mean_s = mean_of(&thread->times.offsets);
  out->session_worst_s = thread->times.offsets.worst_s;
  out->jumps = thread->followed.jumps;
  out->jump_periods = thread->followed.periods;
  out->newest_jump_s = 1e-9 * (double)thread->followed.newest_jump_ns;
  show_kernel(&thread->seen, out);
}

// ------------------------------------------------------------

static void note_latched(struct step_thread *thread, uint64_t received_ns) {
  uint64_t latched_ns = os_now_ns() - received_ns;
  histogram_add(&thread->times.latched_ns, latched_ns);
  thread->engine->loop.frame.timing.command_latched.last_us = 1e-3 * (double)latched_ns;
}

// Takes the command that found the ring full. It is older than one that found room again, and then
// superseded. Returns 1 if it is the newest.
static int take_from_slot(struct step_thread *thread, int any, uint64_t number, struct command *newest,
                          struct dp_alarm_list *alarms, uint64_t *received_ns) {
  const struct sim_output *now = &thread->engine->loop.frame.output;
  const struct arrived_command *last = thread->links.newest ? slot_take(thread->links.newest) : NULL;
  if (!last)
    return 0;
  int is_newest = !any || last->number > number;
  if (any)
    logger_superseded(thread->logger, now->step, now->time_s, is_newest ? newest : &last->command);
  if (is_newest) {
    *newest = last->command;
    *alarms = last->alarms;
    *received_ns = last->received_ns;
  }
  return is_newest;
}

// Copies the newest command out of ring and slot and logs the older ones as superseded. NULL: none has
// arrived. A command that came during a hold waits in kept. received_ns: 0 if nothing states when it came.
static const struct command *take_newest_command(struct step_thread *thread, struct command *newest,
                                                 struct dp_alarm_list *alarms, uint64_t *received_ns) {
  const struct sim_output *now = &thread->engine->loop.frame.output;
  const struct arrived_command *next;
  uint64_t number = 0;
  int any = thread->has_kept;

  *received_ns = 0;
  if (any) {
    *newest = thread->kept;
    *alarms = thread->kept_alarms;
  }
  thread->has_kept = 0;
  while ((next = ring_front(thread->links.commands))) {
    if (any)
      logger_superseded(thread->logger, now->step, now->time_s, newest);
    *newest = next->command;
    *alarms = next->alarms;
    *received_ns = next->received_ns;
    number = next->number;
    any = 1;
    ring_release(thread->links.commands);
  }
  any |= take_from_slot(thread, any, number, newest, alarms, received_ns);
  return any ? newest : NULL;
}

int step_thread_last_command(struct step_thread *thread, struct command *out, struct dp_alarm_list *alarms) {
  uint64_t received_ns;
  return take_newest_command(thread, out, alarms, &received_ns) != NULL;
}

// Makes no steps from now on, until an operator resumes the run. Called by the thread itself.
static void step_thread_hold(struct step_thread *thread, enum held hold) {
  thread->holds += hold != HELD_NOT && thread->hold == HELD_NOT;
  if (hold == HELD_NOT && thread->hold != HELD_NOT) { // the next step is due now
    look_at_clock(thread);
    restart_pacer(thread, os_now_ns(), thread->pacer.period_ns);
  }
  thread->hold = hold;
  thread->overrun.in_a_row = 0; // late steps before a hold and after it are not in a row
  thread->unshown = 1;
}

// The step that is due keeps its time; the following ones have the new period.
static void step_thread_set_rate(struct step_thread *thread, double rate) {
  uint64_t period_ns = (uint64_t)((double)thread->period_ns / rate + 0.5);
  thread->rate = rate;
  restart_pacer(thread, pacer_due_ns(&thread->pacer), period_ns > 0 ? period_ns : 1);
}

// ---- what an order on the run does in this thread, and beside it ----
//
// Orders on the run: when steps are made, and of which session. Each has a row here, which ORDER_TABLE
// (sagbend/orders/orders.h) names. What to do with an order depends on who makes the steps: in mode realtime
// the step thread, in lockstep the main thread, between two steps.

struct run_order {
  enum status (*accept)(struct host *host, const struct order *order, struct reason *why); // NULL: always
  void (*note)(struct host *host, const struct order *order);                              // NULL: nothing
  void (*in_thread)(struct step_thread *thread, const struct order *order) NONBLOCKING;    // NULL: nothing
  void (*in_lockstep)(struct host *host, const struct order *order);                       // NULL: nothing
};
typedef void thread_act(struct step_thread *thread, const struct order *order) NONBLOCKING;
static thread_act hold_thread, release_thread, set_pace, save_in_thread, end_thread;

// ---- Pause, resume ----
static void note_operator(struct host *host, const struct order *order) {
  memcpy(host->hold_operator, order->operator_name, sizeof host->hold_operator);
}

static void hold_thread(struct step_thread *thread, const struct order *order) {
  (void)order;
  if (thread->hold == HELD_NOT)
    step_thread_hold(thread, HELD_BY_PAUSE);
}

static void release_thread(struct step_thread *thread, const struct order *order) {
  (void)order;
  step_thread_hold(thread, HELD_NOT);
}

static void begin_hold(struct host *host, const struct order *order) {
  (void)order;
  host_begin_hold(host, HELD_BY_PAUSE, "ordered");
}

static void end_hold(struct host *host, const struct order *order) {
  (void)order;
  host_end_hold(host);
}

static const struct run_order RUN_PAUSE = {
    .note = note_operator, .in_thread = hold_thread, .in_lockstep = begin_hold};
static const struct run_order RUN_RESUME = {
    .note = note_operator, .in_thread = release_thread, .in_lockstep = end_hold};

// ---- Rate: in lockstep it is refused ----
static void note_rate(struct host *host, const struct order *order) {
  host->rate = order->rate;
}

static void set_pace(struct step_thread *thread, const struct order *order) {
  step_thread_set_rate(thread, order->rate);
}

static const struct run_order RUN_RATE = {.note = note_rate, .in_thread = set_pace};

// ---- Mark: the event that reports the order is all of it ----
static const struct run_order RUN_MARK = {0};

// ---- Snapshot ----
static enum status accept_snapshot(struct host *host, const struct order *order, struct reason *why) {
  return snapshots_accept(&host->snapshots, order->name, why);
}

static void save_in_thread(struct step_thread *thread, const struct order *order) {
  snapshots_take(thread->snapshots, order->name, &thread->engine->loop);
}

static void save(struct host *host, const struct order *order) {
  snapshots_take(&host->snapshots, order->name, &host->session->engine.loop);
}

static const struct run_order RUN_SNAPSHOT = {
    .accept = accept_snapshot, .in_thread = save_in_thread, .in_lockstep = save};

// ---- The end, and another session after it; in lockstep the loop asks what is noted ----
static void note_stop(struct host *host, const struct order *order) {
  (void)order;
  host->session->stop.ordered = 1;
}

static void end_thread(struct step_thread *thread, const struct order *order) {
  (void)order;
  thread->stopping = 1;
}

static const struct run_order RUN_STOP = {.note = note_stop, .in_thread = end_thread};
static const struct run_order RUN_RESTORE = {.accept = host_accept_restore, .in_thread = end_thread};
static const struct run_order RUN_RESET = {.accept = host_accept_reset, .in_thread = end_thread};

// ---- The table ----
#define ACTS_LOOP(act)                              NULL
#define ACTS_RUN(id)                                &RUN_##id
#define ACTS_GATE(act)                              NULL
#define ACTS_ASK(act)                               NULL
#define ACTS_MANAGER(act)                           NULL
#define ROW(ID, word, number, payload, effect, ...) [ORDER_##ID] = ACTS_##effect,
static const struct run_order *const ORDERS[] = {ORDER_TABLE(ROW)};
#undef ROW

enum status host_accept_order(struct host *host, const struct order *order, struct reason *why) {
  const struct run_order *run = ORDERS[order->kind];
  if (host->next.asked)
    return fail(why, STATUS_BAD_INPUT, "another session is about to begin");
  return run && run->accept ? run->accept(host, order, why) : STATUS_OK;
}

void host_note_order(struct host *host, const struct order *order) {
  const struct run_order *run = ORDERS[order->kind];
  if (run && run->note)
    run->note(host, order);
}

void host_obey_order(struct host *host, const struct order *order) {
  const struct run_order *run = ORDERS[order->kind];
  if (run && run->in_lockstep)
    run->in_lockstep(host, order);
}

// Obeys an order on the run. Called by the thread itself.
static void step_thread_obey(struct step_thread *thread, const struct order *order) {
  const struct run_order *run = ORDERS[order->kind];
  if (run && run->in_thread)
    run->in_thread(thread, order);
}

// ---- a period ----

static void apply_orders(struct step_thread *thread) {
  const struct sim_output *now = &thread->engine->loop.frame.output;
  const struct order *order;

  while ((order = ring_front(thread->links.orders))) {
    logger_order(thread->logger, now->step, now->time_s, order);
    engine_order(thread->engine, order);
    step_thread_obey(thread, order);
    thread->unshown = 1;
    ring_release(thread->links.orders);
  }
}

static void update_usage(struct step_thread *thread) {
  const struct usage_seen *seen = &thread->seen;
  struct real_time *out = &thread->engine->loop.frame.timing.real_time;
  out->minor_faults = atomic_load_explicit(&seen->minor_faults, memory_order_relaxed);
  out->major_faults = atomic_load_explicit(&seen->major_faults, memory_order_relaxed);
  out->waits = atomic_load_explicit(&seen->waits, memory_order_relaxed);
  out->preemptions = atomic_load_explicit(&seen->preemptions, memory_order_relaxed);
}

static void show_pace(const struct step_thread *thread, struct timing *timing) {
  timing->rate = thread->rate;
  timing->hold = thread->hold;
  timing->holds = thread->holds;
}

void step_thread_show(const struct step_thread *thread, struct timing *timing) {
  const struct late_step *newest = late_steps_newest(&thread->late, 0);
  if (newest) {
    timing->real_time.late = *newest;
    timing->real_time.worst = thread->late.worst;
  }
  timing->late_steps = thread->pacer.misses;
  timing->lost_periods = thread->pacer.skipped;
  timing->lag_s = pacer_lag_s(&thread->pacer);
  show_clock(thread, &timing->clock);
  show_pace(thread, timing);
}

// Called before the step, so that its verdicts see the time lost until it began.
static void update_lateness(struct step_thread *thread) {
  update_usage(thread);
  step_thread_show(thread, &thread->engine->loop.frame.timing);
}

static void update_step_times(struct step_thread *thread, uint64_t begin_ns, uint64_t wakeup_ns) {
  struct timing *timing = &thread->engine->loop.frame.timing;
  timing->ended_ns = os_now_ns();
  uint64_t step_ns = timing->ended_ns - begin_ns;

  histogram_add(&thread->times.step_ns, step_ns);
  histogram_add(&thread->times.wakeup_ns, wakeup_ns);
  timing->step_us = 1e-3 * (double)step_ns;
  timing->wakeup_us = 1e-3 * (double)wakeup_ns;
  timing->dropped_frames = thread->dropped_before + ring_dropped(thread->links.frames);
}

// For the next frame, so that this one does not wait.
static void update_percentiles(struct step_thread *thread) {
  struct frame *frame = &thread->engine->loop.frame;
  if ((frame->output.step + 1) % thread->timing_every != 0)
    return;
  times_fill(&thread->times, &frame->timing);
  show_offsets(thread);
}

static void hand_over_frame(struct step_thread *thread) {
  struct frame *place = ring_claim(thread->links.frames);
  if (!place)
    return; // full: the ring counts the dropped frame
  *place = thread->engine->loop.frame;
  ring_commit(thread->links.frames);
  thread->unshown = 0;
}

static void hand_over_nodes(struct step_thread *thread) {
  const struct sim_output *output = &thread->engine->loop.frame.output;
  if (!thread->nodes_every || output->step % thread->nodes_every != 0)
    return;

  struct node_frame *place = ring_claim(thread->links.nodes);
  if (!place)
    return;
  place->step = output->step;
  place->time_s = output->time_s;
  place->count = sim_node_count(thread->engine->loop.sim);
  sim_get_nodes(thread->engine->loop.sim, place->nodes);
  ring_commit(thread->links.nodes);
}

static void wake_server(const struct step_thread *thread) {
  if (thread->links.served)
    wake_ring(thread->links.served);
}

void step_thread_start_pacing(struct step_thread *thread) {
  thread->engine->loop.clock.now_ns = os_now_ns;
  sim_set_clock(thread->engine->loop.sim, os_now_ns);
  if (thread->goes_on) { // a clock that was set meanwhile is a jump
    pacer_restart(&thread->pacer, os_now_ns() + START_DELAY_NS, thread->period_ns);
    if (thread->clock != RIG_CLOCK_MONOTONIC)
      follow_clock(thread);
    else
      look_at_clock(thread);
  } else {
    look_at_clock(thread);
    pacer_init(&thread->pacer, first_due_ns(thread), thread->period_ns);
    times_clear(&thread->times);
  }
  step_thread_set_rate(thread, thread->rate > 0 ? thread->rate : 1);
}

static void sleep_until_due(const struct step_thread *thread) {
  uint64_t due_ns = pacer_due_ns(&thread->pacer),
           most_ns = thread->pacer.period_ns / 2; // also at other rates
  uint64_t spin_ns = thread->spin_ns < most_ns ? thread->spin_ns : most_ns;
  os_sleep_until_ns(due_ns - spin_ns);
  if (spin_ns > 0)
    os_spin_until_ns(due_ns);
}

void step_thread_wait(struct step_thread *thread) {
  if (thread->hold != HELD_NOT) {
    os_sleep_until_ns(os_now_ns() + HOLD_PERIOD_NS);
    return;
  }
  sleep_until_due(thread);
  if (thread->clock == RIG_CLOCK_MONOTONIC)
    return;
  follow_clock(thread);
  if (os_now_ns() < pacer_due_ns(&thread->pacer)) // the clock was set
    sleep_until_due(thread);
}

// In place of a step: shows what orders have changed, and keeps the newest command for the next step.
static void stand_still(struct step_thread *thread) {
  struct command command;
  struct dp_alarm_list alarms;
  uint64_t received_ns;
  if (take_newest_command(thread, &command, &alarms, &received_ns)) {
    thread->kept = command;
    thread->kept_alarms = alarms;
    thread->has_kept = 1;
  }
  if (!thread->unshown)
    return;
  struct frame *place = ring_claim(thread->links.frames);
  if (!place)
    return; // the next look tries again
  *place = thread->engine->loop.frame;
  closed_loop_show_orders(&thread->engine->loop, place);
  show_pace(thread, &place->timing);
  ring_commit(thread->links.frames);
  thread->unshown = 0;
  wake_server(thread);
}

// Halts the run by itself: it makes no steps until an operator resumes it.
static void halt(struct step_thread *thread) {
  struct real_time *out = &thread->engine->loop.frame.timing.real_time;
  out->halts++;
  out->halted_after = thread->overrun.in_a_row;
  step_thread_hold(thread, HELD_BY_HALT);
  update_lateness(thread);
  stand_still(thread); // shows it at once
}

// Ends the period. A step that was late leaves the times of its stages; too many of them halt the run.
static void end_period(struct step_thread *thread, uint64_t deadline_ns, uint64_t skipped_before) {
  struct closed_loop *loop = &thread->engine->loop;
  uint64_t now_ns = os_now_ns();
  pacer_end(&thread->pacer, now_ns);
  if (thread->pacer.missed)
    late_steps_add(&thread->late, &loop->frame.output, now_ns > deadline_ns ? now_ns - deadline_ns : 0,
                   &loop->clock);
  if (overrun_is_reached(&thread->overrun, thread->pacer.missed, thread->pacer.skipped - skipped_before))
    halt(thread);
}

// The times of the step before, which are complete now.
static void show_stages(struct closed_loop *loop) {
  for (int i = 0; i < STEP_STAGE_COUNT; i++)
    loop->frame.timing.stage_us[i] = 1e-3 * (double)loop->clock.stage_ns[i];
}

void step_thread_work(struct step_thread *thread) {
  struct closed_loop *loop = &thread->engine->loop;
  struct command command;
  struct dp_alarm_list alarms;
  uint64_t received_ns, begin_ns = os_now_ns();
  apply_orders(thread);
  const int is_due = begin_ns >= pacer_due_ns(&thread->pacer); // the end of a hold, or another rate, moves it
  if (!is_due || thread->hold != HELD_NOT || thread->stopping) {
    stand_still(thread);
    return;
  }
  uint64_t deadline_ns = pacer_due_ns(&thread->pacer) + thread->pacer.period_ns;
  uint64_t skipped_before = thread->pacer.skipped;
  uint64_t wakeup_ns = pacer_begin(&thread->pacer, begin_ns);
  show_stages(loop);
  note_offset(thread, begin_ns);
  step_clock_begin(&loop->clock, begin_ns, wakeup_ns);
  update_lateness(thread);
  const struct command *newest = take_newest_command(thread, &command, &alarms, &received_ns);
  if (received_ns > 0)
    note_latched(thread, received_ns);
  step_clock_end(&loop->clock, STEP_ORDERS);

  engine_step(thread->engine, newest, &alarms);
  update_step_times(thread, begin_ns, wakeup_ns);

  hand_over_frame(thread);
  hand_over_nodes(thread);
  wake_server(thread);
  update_percentiles(thread);
  step_clock_end(&loop->clock, STEP_HAND_OVER);
  checkpointer_offer(thread->checkpointer, loop);
  step_clock_end(&loop->clock, STEP_CHECKPOINT);
  logger_step(thread->logger, loop);
  step_clock_end(&loop->clock, STEP_LOG);

  end_period(thread, deadline_ns, skipped_before);
  logger_prefetch(thread->logger);
}

// The thread requests its privileges itself, when all memory that it touches exists: memory is locked first,
// still at normal priority.
static void request_privileges(struct step_thread *thread) {
  thread->number = os_thread_number();
  if (thread->cpu >= 0)
    os_set_cpu(thread->cpu, &thread->no_cpu);
  if (thread->priority > 0) {
    os_lock_memory(&thread->no_lock);
    os_set_fifo_priority(thread->priority, &thread->no_fifo);
  }
  if (thread->priority <= 0 || *thread->no_lock.text)
    memory_populate(NULL); // what it cannot prevent, the page faults, is counted
  thread->at_start = usage_now();
  atomic_store(&thread->ready, 1);
  wake_server(thread);
}

static int may_step(const struct step_thread *thread) {
  const struct sim_output *output = &thread->engine->loop.frame.output;
  return !output->fault && !thread->stopping && !atomic_load_explicit(&thread->stop, memory_order_relaxed) &&
         (!thread->steps_total || output->step < thread->steps_total);
}

void step_thread_run(void *step_thread) {
  struct step_thread *thread = step_thread;
  os_name_thread("step");
  request_privileges(thread);
  step_thread_start_pacing(thread);
  while (may_step(thread)) {
    pulse_beat(&thread->pulse->step_beats);
    step_thread_wait(thread);
    step_thread_work(thread);
  }
  apply_orders(thread); // accepted at the last moment: they stand in the log and in the last checkpoint
  struct usage now = usage_now();
  now = usage_since(&now, &thread->at_start);
  thread->usage = usage_sum(&now, &thread->usage_before);
  atomic_store(&thread->done, 1);
  wake_server(thread);
}
