#include "core/base/shown_text.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

// Length in bytes of the UTF-8 character at text, and its number. 0: there is none (overlong forms and
// surrogates included).
static size_t character_at(const unsigned char *text, uint32_t *number) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const unsigned char first = *text;
  size_t length = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 0;
  if (length < 2) {
    *number = first;
    return length;
  }
  *number = first & (0xffU >> (length + 1));
  for (size_t i = 1; i < length; i++) {
    if (text[i] >> 6 != 2) // also at the end of the text
      return 0;
    *number = *number << 6 | (text[i] & 0x3fU);
  }
  return *number < least[length] || *number > 0x10ffff || (*number >= 0xd800 && *number < 0xe000) ? 0
                                                                                                  : length;
}

// Control characters, line and paragraph separators, marks of direction, zero widths.
static int acts(uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x200b && c <= 0x200f) ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0x061c || c == 0xfeff;
}

void text_show(const char *text, char *out, size_t size) {
  size_t used = 0;
  while (*text && size) {
    char piece[16];
    uint32_t c;
    size_t length = character_at((const unsigned char *)text, &c);
    if (length && !acts(c))
      snprintf(piece, sizeof piece, "%.*s", (int)length, text);
    else if (length && c >= 0x80)
      snprintf(piece, sizeof piece, "\\u{%x}", (unsigned)c);
    else if (c == '\n' || c == '\t' || c == '\r')
      snprintf(piece, sizeof piece, "\\%c", c == '\n' ? 'n' : c == '\t' ? 't' : 'r');
    else
      snprintf(piece, sizeof piece, "\\x%02x", (unsigned char)*text);
    size_t add = strlen(piece);
    if (used + add >= size)
      break;
    memcpy(out + used, piece, add);
    used += add;
    text += length ? length : 1;
  }
  if (size)
    out[used] = '\0';
}

struct shown_text shown(const char *text) {
  struct shown_text out;
  text_show(text, out.text, sizeof out.text);
  return out;
}
