#include "lab/capability/weather.h"

static const struct weather TABLE[WEATHER_NUMBERS + 1] = {
    {0, 0, 3.5, 0},          {1.5, 0.1, 3.5, 0.25},   {3.4, 0.4, 4.5, 0.5},    {5.4, 0.8, 5.5, 0.75},
    {7.9, 1.3, 6.5, 0.75},   {10.7, 2.1, 7.5, 0.75},  {13.8, 3.1, 8.5, 0.75},  {17.1, 4.2, 9.0, 0.75},
    {20.7, 5.7, 10.0, 0.75}, {24.4, 7.4, 10.5, 0.75}, {28.4, 9.5, 11.5, 0.75}, {32.6, 12.1, 12.0, 0.75},
};

struct weather weather_of(int number) {
  return TABLE[number];
}

struct weather weather_at(double wind_mps) {
  int i = 1;
  while (i < WEATHER_NUMBERS && wind_mps > TABLE[i].wind_mps)
    i++;
  const struct weather *a = &TABLE[i - 1], *b = &TABLE[i];
  double t = (wind_mps - a->wind_mps) / (b->wind_mps - a->wind_mps);
  return (struct weather){wind_mps, a->wave_height_m + t * (b->wave_height_m - a->wave_height_m),
                          a->peak_period_s + t * (b->peak_period_s - a->peak_period_s),
                          a->current_mps + t * (b->current_mps - a->current_mps)};
}

double weather_zero_crossing_s(const struct weather *weather) {
  return weather->peak_period_s / 1.4049;
}
