// What the sockets deny to those who connect, beside refused messages (hil/refusal.h), and the counters.
#pragma once

#include <stdint.h>

// The table makes enum, counter names and event texts.
#define DENIAL_TABLE(X)                                                                                      \
  X(DENIED_UNKNOWN_KEY, unknown_key,                                                                         \
    "a key that is not in the list of admitted keys, which is read at the start only")                       \
  X(DENIED_ROLE, role, "an admitted key in another role")                                                    \
  X(DENIED_MECHANISM, mechanism, "a connection without a key where keys are required")                       \
  X(DENIED_HANDSHAKE, handshake, "a handshake that is malformed, forged, replayed or for another server")    \
  X(DENIED_UNFINISHED, unfinished, "a connection that ended, or took too long, before its handshake")        \
  X(DENIED_MESSAGE, message, "a message that is forged, replayed, altered, malformed or too large")          \
  X(DENIED_TOO_MANY, too_many, "a connection beyond the largest number")                                     \
  X(DENIED_RATE, rate, "messages beyond the largest rate")                                                   \
  X(DENIED_UNREAD, unread, "a message to a peer that does not read: its queue is full")
#define X(name, text, help) name,
enum denial { DENIAL_TABLE(X) DENIAL_COUNT };
#undef X
const char *denial_name(enum denial d); // "unknown_key"; counters and events carry it
const char *denial_help(enum denial d); // for people

struct security_counts {
  int keys_required;
  uint64_t connections; // to the command socket, open now
  uint64_t admitted;    // handshakes with an admitted key, of both sockets
  uint64_t denied[DENIAL_COUNT];
  uint64_t unreported; // denials without an event of their own: there were too many
  uint64_t take_overs; // ordered by operators
};
