#include "net/buses/nmea_fields.h"

#include "net/buses/telegram.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static int hex(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

enum refusal nmea_check_form(const char *text, size_t size, struct reason *why) {
  if (size > NMEA_SENTENCE_MAX)
    return REFUSED_NMEA_LENGTH;
  if (size < 9 || text[0] != '$' || text[size - 3] != '*' || hex(text[size - 2]) < 0 ||
      hex(text[size - 1]) < 0)
    return REFUSED_NMEA_FORM;
  for (size_t i = 1; i < size - 3; i++)
    if (text[i] < 0x20 || text[i] > 0x7e || text[i] == '*' || text[i] == '$')
      return REFUSED_NMEA_FORM;
  const unsigned sum = telegram_checksum(text + 1, size - 4);
  if ((int)sum == hex(text[size - 2]) * 16 + hex(text[size - 1]))
    return REFUSAL_COUNT;
  fail(why, STATUS_BAD_INPUT, "the checksum of the sentence expected, got *%.2s instead of *%02X",
       text + size - 2, sum);
  return REFUSED_NMEA_CHECKSUM;
}

int nmea_has_formatter(const char *text, size_t size, const char *formatter) {
  return size > 6 && isalnum((unsigned char)text[1]) && isalnum((unsigned char)text[2]) &&
         strncmp(text + 3, formatter, 3) == 0 && (text[6] == ',' || text[6] == '*');
}

void nmea_split(const char *text, size_t size, struct nmea_fields *out) {
  size_t used = 0;
  memset(out, 0, sizeof *out);
  for (size_t i = 6; i < size - 3; i++)
    if (text[i] == ',') {
      if (++out->count > NMEA_FIELDS)
        return;
      used = 0;
    } else if (out->count > 0) {
      out->field[out->count - 1][used++] = text[i];
    }
}

int nmea_is_letter(const char *field, const char *letters, int may_be_empty) {
  return *field ? !field[1] && strchr(letters, *field) != NULL : may_be_empty;
}

long nmea_whole(const char *field, long low, long high) {
  size_t digits = strspn(field, "0123456789");
  if (!digits || field[digits] || digits > 9)
    return -1;
  long number = strtol(field, NULL, 10);
  return number >= low && number <= high ? number : -1;
}
