#include "view/server/seat.h"

#include <sodium.h>
#include <string.h>

static void make_secret(char out[SEAT_SECRET]) {
  unsigned char bytes[SEAT_SECRET / 2];
  randombytes_buf(bytes, sizeof bytes);
  sodium_bin2hex(out, SEAT_SECRET, bytes, sizeof bytes);
}

// In a time that says nothing about where they differ.
static int is_same(const char *secret, const char *given) {
  return strlen(secret) == SEAT_SECRET - 1 && strlen(given) == SEAT_SECRET - 1 &&
         sodium_memcmp(secret, given, SEAT_SECRET - 1) == 0;
}

enum status seat_open(struct seat *seat, struct reason *why) {
  memset(seat, 0, sizeof *seat);
  if (sodium_init() < 0)
    return fail(why, STATUS_IO, "no random numbers from the system");
  make_secret(seat->token);
  return STATUS_OK;
}

int seat_take(struct seat *seat, const char *token) {
  if (!is_same(seat->token, token))
    return 0;
  make_secret(seat->token);
  make_secret(seat->cookie);
  seat->taken++;
  return 1;
}

int seat_is_held(const struct seat *seat, const char *cookie) {
  return is_same(seat->cookie, cookie);
}
