// The operator's seat of a live view. A browser takes it once with a token that the console prints, and keeps
// it by a cookie. One browser has it at a time: who takes it with the next token ends the seat of the one
// before.
#pragma once

#include "sagbend/base/status.h"

enum {
  SEAT_SECRET = 33, // 128 random bits in hexadecimal, with the final zero
  SEAT_NAME = 32
};

struct seat {
  char name[SEAT_NAME];     // of the cookie: a browser sends all cookies of a host to each of its ports
  char token[SEAT_SECRET];  // of the next who takes it
  char cookie[SEAT_SECRET]; // of who has it; "": nobody
  unsigned taken;           // how often it was taken: a WebSocket belongs to one of these times
};

enum status seat_open(struct seat *seat, struct reason *why); // STATUS_IO: no random numbers

// Names the cookie after this machine and the address that is served, so that each view has its own, also
// where several machines are reached by ports of one, and a view that starts again the same.
void seat_name(struct seat *seat, const char *address);

// Whether the token is the one that the console has printed. Then it is used up, and the seat has another
// cookie.
int seat_take(struct seat *seat, const char *token);
int seat_is_held(const struct seat *seat, const char *cookie);
