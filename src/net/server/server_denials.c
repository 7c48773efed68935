// What was denied: counts, and events with who it was. A flood of denials makes few events: of each reason
// some at once, then one in a while, and from time to time the number of those without one.
#include "sagbend/rig/host_event.h"
#include "net/zmtp/clock.h"
#include "net/server/server_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SUM_EVERY_MS = 10000 };

static void leave_unreported(struct guard *guard, enum denial denial) {
  if (!guard->counts.unreported++)
    guard->next_sum_ms = clock_ms() + SUM_EVERY_MS;
  guard->unreported[denial]++;
}

// An event would be a message to the peer that does not read.
void server_deny_without_event(struct server *server, enum denial denial) {
  server->guard.counts.denied[denial]++;
  leave_unreported(&server->guard, denial);
}

void server_deny(struct server *server, enum denial denial, const char *who, const char *what) {
  struct guard *guard = &server->guard;
  guard->counts.denied[denial]++;
  // Each reason has its own budget, so that a flood for one reason does not hide who is denied for another.
  if (!event_budget_take(&guard->event_budget[denial])) {
    leave_unreported(guard, denial);
    return;
  }
  char name[WIRE_NAME], text[GATE_TEXT];
  snprintf(name, sizeof name, "denied_%s", denial_name(denial));
  snprintf(text, sizeof text, "%s: %s", *who ? who : "a peer", what ? what : denial_help(denial));
  server_report(server, name, text);
}

void server_deny_failure(struct server *server, enum zmtp_failure failure, const char *who,
                         const char *socket) {
  static const enum denial denials[] = {
      [ZMTP_NO_FAILURE] = DENIED_UNFINISHED,     [ZMTP_MALFORMED] = DENIED_HANDSHAKE,
      [ZMTP_WRONG_MECHANISM] = DENIED_MECHANISM, [ZMTP_WRONG_HANDSHAKE] = DENIED_HANDSHAKE,
      [ZMTP_UNKNOWN_KEY] = DENIED_UNKNOWN_KEY,   [ZMTP_WRONG_ROLE] = DENIED_ROLE,
      [ZMTP_WRONG_MESSAGE] = DENIED_MESSAGE,
  };
  char text[WIRE_MAX_TEXT + 1];
  snprintf(text, sizeof text, "%s%s", socket,
           failure == ZMTP_WRONG_ROLE ? "this socket is for controllers and operators"
                                      : denial_help(denials[failure]));
  server_deny(server, denials[failure], who, text);
}

void server_report_denials(struct server *server) {
  struct guard *guard = &server->guard;
  if (!guard->counts.unreported || clock_ms() < guard->next_sum_ms)
    return;
  char text[WIRE_MAX_TEXT + 1];
  uint64_t sum = 0;
  size_t used = 0;
  for (int i = 0; i < DENIAL_COUNT; i++)
    sum += guard->unreported[i];
  guard->next_sum_ms = clock_ms() + SUM_EVERY_MS;
  if (!sum)
    return;
  used = (size_t)snprintf(text, sizeof text, "%" PRIu64 " more denied, without an event of their own:", sum);
  for (int i = 0; i < DENIAL_COUNT; i++)
    if (guard->unreported[i] && used < sizeof text)
      used += (size_t)snprintf(text + used, sizeof text - used, " %s %" PRIu64, denial_name((enum denial)i),
                               guard->unreported[i]);
  memset(guard->unreported, 0, sizeof guard->unreported);
  server_report(server, EVENT_NAME(denied), text);
}
