// Orders on the run: when steps are made, and of which session. Each has a row here, which ORDER_TABLE
// (sagbend/orders/orders.h) names. What to do with an order depends on who makes the steps: in mode realtime
// the step thread, in lockstep the main thread, between two steps.
#include "run/host/host.h"
#include "run/host/host_internal.h"

#include <string.h>

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

void step_thread_obey(struct step_thread *thread, const struct order *order) {
  const struct run_order *run = ORDERS[order->kind];
  if (run && run->in_thread)
    run->in_thread(thread, order);
}
