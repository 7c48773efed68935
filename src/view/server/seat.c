#include "view/server/seat.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

void seat_name(struct seat *seat, const char *address) {
  unsigned char bytes[crypto_generichash_BYTES_MIN];
  char text[512], host[65] = "", digits[9];
  gethostname(host, sizeof host - 1);
  int size = snprintf(text, sizeof text, "%s %.300s", host, address);
  crypto_generichash(bytes, sizeof bytes, (const unsigned char *)text, (unsigned long long)size, NULL, 0);
  sodium_bin2hex(digits, sizeof digits, bytes, 4);
  snprintf(seat->name, sizeof seat->name, "sagbend-operator-%s", digits);
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
