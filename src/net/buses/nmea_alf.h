// ALF, the alert sentence of IEC 61162-1 and IEC 62923-2. Pure functions: no state. docs/nmea.md lists the
// fields.
//
// The first sentence of an alert has its title, which is the source of the alarm; the second one has the
// text. Identifiers: ALF_FIRST + the kind.
#pragma once

#include "sagbend/signals/dp_alarm.h"
#include "sagbend/rig/refusal.h"
#include "net/buses/nmea.h"

#include <stddef.h>

enum { ALF_FIRST = 10001 };

struct nmea_alf {
  int number;   // 1 or 2: of this sentence
  int sequence; // 0 to 9: of the message, whose sentences have the same
  enum dp_alarm_severity severity;
  int is_active;
  long identifier, instance;
  char text[DP_ALARM_TEXT]; // of the first sentence the title, of the second one the description
};

// Reads one sentence without its end of line that has this formatter. REFUSAL_COUNT: it is one. why: filled
// if there is more to report.
enum refusal nmea_alf_read(const char *text, size_t size, struct nmea_alf *out, struct reason *why);
enum dp_alarm_kind nmea_alf_kind(const struct nmea_alf *alf); // an identifier of others: ALARM_OTHER

// What the two sentences of an alarm are written from.
struct nmea_alert {
  const struct dp_alarm *alarm;
  int instance;  // of the source, from 1
  int is_active; // it has come; 0: it has ended
  double utc_s;  // when, since 1970
  int sequence;  // 0 to 9
  int revision;  // 1 to 99
};
// Writes the first or the second with \r\n, the text cut to the 82 characters of a sentence. Returns its
// length; 0: an alarm without text has no second one.
size_t nmea_alf_write(const struct nmea_alert *alert, int number, const char *talker, char out[NMEA_MAX]);
