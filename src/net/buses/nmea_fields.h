// Private to the room: what any sentence that comes in has in common.
#pragma once

#include "sagbend/base/status.h"
#include "sagbend/rig/refusal.h"

#include <stddef.h>

enum { NMEA_SENTENCE_MAX = 80, NMEA_FIELDS = 14 }; // characters without the end of line

struct nmea_fields {
  int count; // NMEA_FIELDS + 1: there are more
  char field[NMEA_FIELDS][NMEA_SENTENCE_MAX];
};

// "$" address, fields, "*", two digits that are the checksum, and nothing that does not print. REFUSAL_COUNT:
// it is one.
enum refusal nmea_check_form(const char *text, size_t size, struct reason *why);

// Whether a sentence of that form has this formatter behind a talker of two letters or digits.
int nmea_has_formatter(const char *text, size_t size, const char *formatter);

// The fields behind the address, as they stand there.
void nmea_split(const char *text, size_t size, struct nmea_fields *out);

// One of the letters, or empty if that is allowed.
int nmea_is_letter(const char *field, const char *letters, int may_be_empty);

// A whole number without sign from low to high; -1: it is none.
long nmea_whole(const char *field, long low, long high);
