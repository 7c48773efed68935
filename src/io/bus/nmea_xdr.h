// Private to the room: XDR, the measurements of transducers with their names. Transducers that one sentence
// of the standard's length does not hold go into further ones, so that each part has a number.
#pragma once

#include "io/bus/nmea_text.h"

// Appends the fields of one part, from 0, of an instrument's sentence; nothing beyond the last part.
void nmea_xdr_put_instrument(struct nmea_text *out, enum nmea_sentence sentence,
                             const struct reading *reading, int part);

// The same of the item at index of nmea_power_count.
void nmea_xdr_put_power(struct nmea_text *out, const struct nmea_origin *origin,
                        const struct power_feedback *power, int index, int part);
