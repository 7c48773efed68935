// Private to the room: XDR, the measurements of transducers with their names. Transducers that one sentence
// of the standard's length does not hold go into further ones, so that each part has a number.
#pragma once

#include "net/buses/nmea_text.h"

// Append the fields of one part; nothing beyond the last part.
nmea_fields nmea_xdr_put_tension, nmea_xdr_put_angle, nmea_xdr_put_touchdown, nmea_xdr_put_payout,
    nmea_xdr_put_tensioner, nmea_xdr_put_wire, nmea_xdr_put_power;
