// What the sockets deny to those who connect, beside refused messages (sagbend/rig/refusal.h), and the counters.
#pragma once

#include <stdint.h>

// The table makes enum, counter names and event texts.
#define DENIAL_TABLE(X)                                                                                      \
  X(DENIED_UNKNOWN_KEY, unknown_key,                                                                         \
    "a key that is not in the list of admitted keys, which is read at the start only",                       \
    "Add the public key to the list of admitted keys and start the simulator again.")                        \
  X(DENIED_ROLE, role, "an admitted key in another role",                                                    \
    "Make a key of the right role: `sagbend keygen --role ROLE FILE`.")                                      \
  X(DENIED_MECHANISM, mechanism, "a connection without a key where keys are required",                       \
    "Give the client a key (`--key`, `--server-key`).")                                                      \
  X(DENIED_HANDSHAKE, handshake, "a handshake that is malformed, forged, replayed or for another server",    \
    "Check the server's public key at the client. If it is right, look who else connects.")                  \
  X(DENIED_UNFINISHED, unfinished, "a connection that ended, or took too long, before its handshake",        \
    "Nothing, if it is rare: a client has given up. Many of them: a port scan, or a client with a wrong "    \
    "server key.")                                                                                           \
  X(DENIED_MESSAGE, message, "a message that is forged, replayed, altered, malformed or too large",          \
    "Use a client of ZeroMQ 4 with CURVE; look for a device that alters traffic.")                           \
  X(DENIED_TOO_MANY, too_many, "a connection beyond the largest number",                                     \
    "Close clients that are not needed.")                                                                    \
  X(DENIED_RATE, rate, "messages beyond the largest rate", "Let the client send less often.")                \
  X(DENIED_UNREAD, unread, "a message to a peer that does not read: its queue is full",                      \
    "Let the client read what it has subscribed to.")
#define X(name, text, help, advice) name,
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
