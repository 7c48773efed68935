// Reads TRC, the thruster control data of IEC 61162-1. Pure functions.
#pragma once

#include "sagbend/base/status.h"
#include "sagbend/rig/refusal.h"

#include <stddef.h>

struct nmea_trc {
  int thruster;       // number, from 1
  int has_rpm;        // 0: the field is empty, or its mode is V
  int rpm_is_percent; // of full revolutions
  double rpm;
  int has_pitch;
  double pitch_percent;
  int has_azimuth;
  double azimuth_deg; // 0 to 360
};

// Reads one sentence without its end of line: $ttTRC,number,rpm,mode,pitch,mode,azimuth,location,status*hh.
// REFUSAL_COUNT: it is a command. why: filled if there is more to report.
enum refusal nmea_trc_read(const char *text, size_t size, struct nmea_trc *out, struct reason *why);
