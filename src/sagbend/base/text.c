// Numbers and names as text, and text as people and JSON may see it.
#define _GNU_SOURCE // fopencookie
#include "sagbend/base/base.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int number_range_read(const char *text, int most, struct number_range *out) {
  double part[3] = {0, 0, 1};
  int parts = 0;
  for (const char *at = text;; at++) {
    char *end;
    part[parts] = strtod(at, &end);
    if (end == at || !isfinite(part[parts]))
      return 0;
    parts++;
    if (*end && (*end != ':' || parts == 3))
      return 0;
    at = end;
    if (!*at)
      break;
  }
  double last = parts == 1 ? part[0] : part[1], steps = floor((last - part[0]) / part[2] + 1e-9);
  if (parts == 2 || !(part[2] > 0) || !(steps >= 0) || !(steps < most))
    return 0;
  *out = (struct number_range){part[0], last, part[2], (int)steps + 1};
  return 1;
}

// ------------------------------------------------------------
enum { FEWEST_DIGITS = 6, MOST_DIGITS = 17 }; // 17 digits distinguish any two doubles

struct number_text number_text(double x) {
  struct number_text out;
  int digits = FEWEST_DIGITS;

  do {
    NONBLOCKING_EXEMPT(snprintf(out.text, sizeof out.text, "%.*g", digits, x));
  } while (digits++ < MOST_DIGITS && !(strtod(out.text, NULL) == x));
  return out;
}

// ------------------------------------------------------------
int peer_name_is_valid(const char *name) {
  size_t length = strlen(name);
  for (size_t i = 0; i < length; i++)
    if (name[i] < 0x20 || name[i] > 0x7e)
      return 0;
  return length > 0 && name[0] != ' ' && name[length - 1] != ' ';
}

// Not tolower, which depends on the locale.
static char small(char c) {
  return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

int peer_name_is_same(const char *a, const char *b) {
  while (*a && small(*a) == small(*b)) {
    a++;
    b++;
  }
  return small(*a) == small(*b);
}

// ------------------------------------------------------------
static const uint32_t LEAST[] = {0, 0, 0x80, 0x800, 0x10000}; // number of a character of that many bytes
static const char DIGITS[] = "0123456789abcdef";

// Length in bytes of the UTF-8 character at text, and its number. 0: there is none (overlong forms and
// surrogates included).
static size_t character_at(const unsigned char *text, uint32_t *number) {
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
  return *number < LEAST[length] || *number > 0x10ffff || (*number >= 0xd800 && *number < 0xe000) ? 0
                                                                                                  : length;
}

// Control characters, line and paragraph separators, marks of direction, zero widths, and the two numbers
// beside them that are no characters, which XML permits in no form.
static int acts(uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x200b && c <= 0x200f) ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0x061c || c == 0xfeff ||
         c == 0xfffe || c == 0xffff;
}

static size_t put_hex(char *out, uint32_t number, int least) {
  size_t used = 0;
  for (int shift = 20; shift >= 0; shift -= 4)
    if (number >> shift || shift < 4 * least)
      out[used++] = DIGITS[number >> shift & 15];
  return used;
}

static size_t take(const char **text, size_t length, char *piece) {
  memcpy(piece, *text, length);
  piece[length] = '\0';
  *text += length;
  return length;
}

size_t text_show_next(const char **text, char piece[SHOWN_PIECE]) {
  const unsigned char *at = (const unsigned char *)*text;
  uint32_t c;
  size_t length = character_at(at, &c), used = 0;
  if (length && !acts(c))
    return take(text, length, piece);
  *text += length ? length : 1;
  piece[used++] = '\\';
  if (length && c >= 0x80) {
    piece[used++] = 'u';
    piece[used++] = '{';
    used += put_hex(piece + used, c, 1);
    piece[used++] = '}';
  } else if (*at == '\n' || *at == '\t' || *at == '\r') {
    piece[used++] = *at == '\n' ? 'n' : *at == '\t' ? 't' : 'r';
  } else {
    piece[used++] = 'x';
    used += put_hex(piece + used, *at, 2);
  }
  piece[used] = '\0';
  return used;
}

size_t text_show_next_json(const char **text, char piece[SHOWN_PIECE]) {
  uint32_t c;
  size_t length = character_at((const unsigned char *)*text, &c), used = 0;
  if (length && (c < 0x7f || !acts(c)))
    return take(text, length, piece);
  *text += length ? length : 1;
  piece[used++] = '\\';
  piece[used++] = 'u';
  used += put_hex(piece + used, length ? c : 0xfffd, 4); // none that acts needs more
  piece[used] = '\0';
  return used;
}

void text_show(const char *text, char *out, size_t size) {
  size_t used = 0;
  while (*text && size) {
    char piece[SHOWN_PIECE];
    size_t length = text_show_next(&text, piece);
    if (used + length >= size)
      break;
    memcpy(out + used, piece, length);
    used += length;
  }
  if (size)
    out[used] = '\0';
}

struct shown_text shown(const char *text) {
  struct shown_text out;
  text_show(text, out.text, sizeof out.text);
  return out;
}

// ------------------------------------------------------------

struct text_stream {
  char **text, *bytes;
  size_t *size, used, room;
  int failed;
};

static ssize_t text_stream_write(void *cookie, const char *bytes, size_t size) {
  struct text_stream *s = cookie;
  if (s->used + size >= s->room) {
    const size_t room = 2 * (s->used + size) + 256;
    char *more = s->failed ? NULL : realloc(s->bytes, room);
    s->failed |= !more;
    if (!more)
      return -1;
    s->bytes = more;
    s->room = room;
  }
  memcpy(s->bytes + s->used, bytes, size);
  s->used += size;
  s->bytes[s->used] = '\0';
  return (ssize_t)size;
}

static int text_stream_close(void *cookie) {
  struct text_stream *s = cookie;
  const int failed = s->failed;
  if (failed) {
    free(s->bytes);
  } else {
    *s->text = s->bytes;
    *s->size = s->used;
  }
  free(s);
  return failed ? -1 : 0;
}

FILE *text_stream_open(char **text, size_t *size) {
  struct text_stream *s = calloc(1, sizeof *s);
  *text = NULL;
  *size = 0;
  if (!s)
    return NULL;
  s->text = text;
  s->size = size;
  s->bytes = calloc(1, s->room = 256);
  FILE *stream =
      s->bytes ? fopencookie(s, "w",
                             (cookie_io_functions_t){.write = text_stream_write, .close = text_stream_close})
               : NULL;
  if (!stream) {
    free(s->bytes);
    free(s);
  }
  return stream;
}
