#include "os/files/z85.h"

#include <string.h>

static const char DIGITS[] =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

enum { BASE = 85, WORD = 4, GROUP = 5 }; // 4 bytes are 5 characters

void z85_write_key(const uint8_t key[Z85_KEY_BYTES], char out[Z85_KEY_TEXT]) {
  for (int word = 0; word < Z85_KEY_BYTES / WORD; word++) {
    uint32_t value = 0;
    for (int i = 0; i < WORD; i++)
      value = value << 8 | key[word * WORD + i];
    for (int i = GROUP - 1; i >= 0; i--, value /= BASE)
      out[word * GROUP + i] = DIGITS[value % BASE];
  }
  out[Z85_KEY_TEXT - 1] = '\0';
}

static int read_word(const char *text, uint8_t out[WORD]) {
  uint64_t value = 0;
  for (int i = 0; i < GROUP; i++) {
    const char *digit = strchr(DIGITS, text[i]);
    value = value * BASE + (uint64_t)(digit ? digit - DIGITS : 0);
    if (!digit)
      return 0;
  }
  for (int i = 0; i < WORD; i++)
    out[i] = (uint8_t)(value >> (24 - 8 * i));
  return value <= UINT32_MAX;
}

int z85_read_key(const char *text, uint8_t out[Z85_KEY_BYTES]) {
  int good = strlen(text) == Z85_KEY_TEXT - 1;
  for (int word = 0; good && word < Z85_KEY_BYTES / WORD; word++)
    good = read_word(text + word * GROUP, out + word * WORD);
  if (!good)
    memset(out, 0, Z85_KEY_BYTES);
  return good;
}
