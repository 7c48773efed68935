// Wind with the sea and the current that belong to it: the conditions of DNV-ST-0111 (December 2021), table
// of the numbers 1 to 11.
#pragma once

enum { WEATHER_NUMBERS = 11 };

struct weather {
  double wind_mps;
  double wave_height_m, peak_period_s; // significant height, JONSWAP of the standard
  double current_mps;
};

// Number 0: calm.
struct weather weather_of(int number);
// The condition of a wind speed, linear between the numbers; below number 1 height and current fall with the
// wind to zero at constant period. Not beyond the last number.
struct weather weather_at(double wind_mps);
// Zero-crossing period of the standard's spectrum.
double weather_zero_crossing_s(const struct weather *weather);
