// Datagrams of sentences and their TAG blocks.
#include "net/groups/groups.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char TOKEN[GROUP_TOKEN] = "UdPbC"; // with its final zero

int group_is_source(const char *text) {
  for (int i = 0; i < 6; i++)
    if (i < 2 ? !isupper((unsigned char)text[i]) : !isdigit((unsigned char)text[i]))
      return 0;
  return !text[6];
}

unsigned telegram_checksum(const char *text, size_t size) {
  unsigned sum = 0;
  for (size_t i = 0; i < size; i++)
    sum ^= (unsigned char)text[i];
  return sum;
}

int telegram_hex(const char *two) {
  char digits[3] = {two[0], two[1], 0}, *end;
  long value = strtol(digits, &end, 16);
  return strspn(digits, "0123456789ABCDEFabcdef") == 2 && !*end ? (int)value : -1;
}

// A whole number of at most nine digits at text, not beyond end. Returns the first character behind it; NULL:
// there is none.
static const char *read_whole(const char *text, const char *end, int *out) {
  const char *at = text;
  for (*out = 0; at < end && isdigit((unsigned char)*at) && at - text < 9; at++)
    *out = *out * 10 + (*at - '0');
  return at > text && (at == end || !isdigit((unsigned char)*at)) ? at : NULL;
}

// "1-2-34": place, total, number.
static int read_group(const char *text, const char *end, struct tag *out) {
  int *const to[] = {&out->place, &out->total, &out->number};
  for (int i = 0; i < 3; i++) {
    text = read_whole(text, end, to[i]);
    if (!text || (i < 2 ? text == end || *text != '-' : text != end))
      return 0;
    text++;
  }
  return out->total >= 1 && out->total <= GROUP_SENTENCES && out->place >= 1 && out->place <= out->total;
}

// UNIX time in seconds or in milliseconds: in seconds it has at most ten digits until the year 2286.
static int read_time(const char *text, size_t size, double *utc_s) {
  double number = 0;
  for (size_t i = 0; i < size; i++) {
    if (!isdigit((unsigned char)text[i]))
      return 0;
    number = number * 10 + (text[i] - '0');
  }
  *utc_s = size > 10 ? number / 1000 : number;
  return size > 0 && size <= 15;
}

static int read_word(const char *text, size_t size, char out[TAG_WORD]) {
  if (!size || size >= TAG_WORD)
    return 0;
  memcpy(out, text, size);
  out[size] = 0;
  return 1;
}

static enum tag_fault fault(enum tag_fault what, struct reason *why, const char *expected, const char *found,
                            size_t size) {
  char shown[TAG_MAX + 1];
  size_t kept = size < TAG_MAX ? size : TAG_MAX;
  for (size_t i = 0; i < kept; i++)
    shown[i] = (char)(isprint((unsigned char)found[i]) ? found[i] : '?');
  shown[kept] = 0;
  fail(why, STATUS_BAD_INPUT, "%s expected in the TAG block, got '%s'", expected, shown);
  return what;
}

// One parameter "k:value". Those with another letter are passed over.
static enum tag_fault read_parameter(const char *text, size_t size, struct tag *out, struct reason *why) {
  const char *value = text + 2, *end = text + size;
  if (size < 2 || text[1] != ':')
    return fault(TAG_FORM, why, "parameters such as s:HE0001", text, size);
  if (*text == 's' && !read_word(value, size - 2, out->source))
    return fault(TAG_FORM, why, "s: with 1 to 15 characters", text, size);
  if (*text == 'd' && !read_word(value, size - 2, out->destination))
    return fault(TAG_FORM, why, "d: with 1 to 15 characters", text, size);
  if (*text == 'n' && read_whole(value, end, &out->line) != end)
    return fault(TAG_FORM, why, "n: with a whole number", text, size);
  if (*text == 'g' && !read_group(value, end, out))
    return fault(TAG_FORM, why, "g: with place, total and number, as g:1-2-34,", text, size);
  if (*text == 'c' && !read_time(value, size - 2, &out->utc_s))
    return fault(TAG_FORM, why, "c: with a UNIX time in s or ms", text, size);
  return TAG_GOOD;
}

// One block from its first backslash; *size_read is 0 if it does not begin with one.
static enum tag_fault read_block(const char *text, size_t size, struct tag *out, size_t *size_read,
                                 struct reason *why) {
  const char *end = memchr(text + 1, '\\', size - 1);
  *size_read = 0;
  if (!end)
    return fault(size > TAG_MAX ? TAG_LENGTH : TAG_FORM, why, "a second backslash", text, size);
  const size_t block = (size_t)(end - text) + 1;
  if (block > TAG_MAX)
    return fault(TAG_LENGTH, why, "at most 80 characters", text, block);
  if (block < 5 || text[block - 4] != '*' || telegram_hex(text + block - 3) < 0)
    return fault(TAG_CHECKSUM, why, "* and two hexadecimal digits at the end", text, block);
  const unsigned sum = telegram_checksum(text + 1, block - 5);
  char expected[40];
  snprintf(expected, sizeof expected, "the checksum *%02X", sum);
  if ((int)sum != telegram_hex(text + block - 3))
    return fault(TAG_CHECKSUM, why, expected, text, block);
  for (const char *at = text + 1, *last = text + block - 4; at < last;) {
    const char *comma = memchr(at, ',', (size_t)(last - at)), *stop = comma ? comma : last;
    const enum tag_fault wrong = read_parameter(at, (size_t)(stop - at), out, why);
    if (wrong != TAG_GOOD)
      return wrong;
    at = stop + 1;
  }
  *size_read = block;
  return TAG_GOOD;
}

enum tag_fault tag_read(const char *line, size_t size, struct tag *out, size_t *size_read,
                        struct reason *why) {
  *out = (struct tag){.line = -1, .utc_s = NAN};
  *size_read = 0;
  while (*size_read < size && line[*size_read] == '\\') {
    size_t block;
    const enum tag_fault wrong = read_block(line + *size_read, size - *size_read, out, &block, why);
    if (wrong != TAG_GOOD)
      return wrong;
    *size_read += block;
  }
  return TAG_GOOD;
}

size_t tag_write(const struct tag *tag, char out[TAG_MAX + 1]) {
  char body[TAG_MAX + 1] = "";
  int used = 0;
  const char *comma = "";
#define PUT(...) used += snprintf(body + used, sizeof body - (size_t)used, __VA_ARGS__), comma = ","
  if (tag->total > 0)
    PUT("%sg:%d-%d-%d", comma, tag->place, tag->total, tag->number);
  if (*tag->source)
    PUT("%ss:%.15s", comma, tag->source);
  if (*tag->destination)
    PUT("%sd:%.15s", comma, tag->destination);
  if (tag->line >= 0)
    PUT("%sn:%d", comma, tag->line % 1000);
  if (!isnan(tag->utc_s))
    PUT("%sc:%.0f", comma, floor(tag->utc_s * 1000));
#undef PUT
  return (size_t)snprintf(out, TAG_MAX + 1, "\\%s*%02X\\", body, telegram_checksum(body, strlen(body)));
}

enum datagram_kind datagram_kind(const char *data, size_t size, size_t *begin) {
  static const char others[][GROUP_TOKEN] = {"RaUdP", "RrUdP", "RpUdP", "NkPgN"};
  *begin = 0;
  if (size >= GROUP_TOKEN && !memcmp(data, TOKEN, GROUP_TOKEN)) {
    *begin = GROUP_TOKEN;
    return DATAGRAM_SENTENCES;
  }
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (size >= GROUP_TOKEN && !memcmp(data, others[i], GROUP_TOKEN))
      return DATAGRAM_OTHER;
  return size > 0 && (*data == '$' || *data == '!' || *data == '\\') ? DATAGRAM_PLAIN : DATAGRAM_WRONG;
}

size_t datagram_write(const struct tag *tag, const char *sentence, size_t size, char out[GROUP_DATAGRAM]) {
  char block[TAG_MAX + 1];
  const size_t length = tag_write(tag, block);
  if (length > TAG_MAX || GROUP_TOKEN + length + size > GROUP_DATAGRAM)
    return 0;
  memcpy(out, TOKEN, GROUP_TOKEN);
  memcpy(out + GROUP_TOKEN, block, length);
  memcpy(out + GROUP_TOKEN + length, sentence, size);
  return GROUP_TOKEN + length + size;
}
