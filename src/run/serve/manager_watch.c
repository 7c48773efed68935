// Watching the session's process.
#include "os/process/process.h"
#include "run/serve/serve_internal.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

static const uint64_t ASK_EVERY_NS = 1000000000;

static double seconds_since(uint64_t moment_ns) {
  return 1e-9 * (double)(os_now_ns() - moment_ns);
}

// Asks the session for its active faults about once a second; its main thread answers in every state. In fast
// mode there is nobody to ask.
static void ask(struct manager *m) {
  static const struct order question = {.kind = ORDER_LIST, .operator_name = "sagbend serve"};
  Sagbend__V1__Receipt *receipt = NULL;
  if (!*m->child.ready.session || !*m->child.ready.commands || (m->keys && !m->own))
    return;
  if (!m->probe && operator_line_open(m->child.ready.commands, m->own, &m->probe, NULL) != STATUS_OK)
    return;
  if (m->is_asked && operator_line_take(m->probe, 0, &receipt, NULL) == OPERATOR_RECEIPT)
    m->answered_ns = os_now_ns();
  wire_free_receipt(receipt);
  if (m->is_asked && os_now_ns() - m->asked_ns < ASK_EVERY_NS)
    return;
  if (!m->is_asked)
    m->answered_ns = os_now_ns();
  m->is_asked = 1;
  m->asked_ns = os_now_ns();
  operator_line_send(m->probe, &question, NULL);
}

static void kill_it(struct manager *m, const char *why) {
  fprintf(stderr, "sagbend serve: the session %s: killed\n", why);
  child_signal(&m->child, SIGKILL);
  m->is_killed = 1;
}

static void check_times(struct manager *m) {
  const struct serve_options *o = m->options;
  if (m->is_killed)
    return;
  if (m->stopped_by && seconds_since(m->stopped_ns) > o->grace_s)
    kill_it(m, "does not end");
  else if (m->is_asked && o->hang_limit_s > 0 && seconds_since(m->answered_ns) > o->hang_limit_s) {
    m->is_hung = 1;
    kill_it(m, "does not answer");
  }
}

static void describe_end(const struct manager *m, struct wire_session_end *end) {
  size_t size = sizeof end->text;
  if (m->is_hung)
    snprintf(end->text, size, "it did not answer for %g s and was killed", m->options->hang_limit_s);
  else if (m->is_killed)
    snprintf(end->text, size, "it did not end within %g s after %s stopped it, and was killed",
             seconds_since(m->stopped_ns), m->stopped_by ? m->stopped_by : "");
  else if (end->signal)
    snprintf(end->text, size, "it was ended by signal %u (%s)", (unsigned)end->signal,
             strsignal((int)end->signal));
  else if (m->stopped_by)
    snprintf(end->text, size, "%s stopped it; exit status %u", m->stopped_by, (unsigned)end->exit_status);
  else
    snprintf(end->text, size, "it ended by itself with exit status %u", (unsigned)end->exit_status);
}

static void take_end(struct manager *m, int wait_status) {
  struct wire_session_end *end = &m->last;
  memset(end, 0, sizeof *end);
  memcpy(end->case_name, m->loaded, sizeof end->case_name);
  if (WIFSIGNALED(wait_status))
    end->signal = (uint32_t)WTERMSIG(wait_status);
  else
    end->exit_status = (uint32_t)WEXITSTATUS(wait_status);
  describe_end(m, end);
  end->line_count = m->child.line_count;
  memcpy(end->line, m->child.line, sizeof end->line);
  fprintf(stderr, "sagbend serve: the session of %s has ended: %s\n", m->loaded, end->text);
  m->has_last = 1;
  m->last_ns = os_now_ns();
  m->stopped_by = NULL;
  operator_line_close(m->probe);
  m->probe = NULL;
}

void manager_watch(struct manager *m) {
  int wait_status;
  if (!m->child.process.id)
    return;
  child_read(&m->child);
  if (child_has_ended(&m->child, &wait_status)) {
    take_end(m, wait_status);
    return;
  }
  ask(m);
  check_times(m);
}
