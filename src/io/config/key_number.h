// A number of a configuration by its key: its value in a case, and what the schema says of it.
#pragma once

#include "io/config/config.h"

struct key_number {
  double value; // in the unit of the key, as the text has it
  int is_whole; // an integer is expected
  double least, most;
  const char *unit, *doc;
};

// Reads the case of the request and finds key ("environment.waves.significant_height_m",
// "vessel.thrusters.0.power_w") in it; a key that the case does not give has its default. STATUS_BAD_INPUT:
// it is no key of a number, has no value in this case, or no step depends on it.
enum status config_key_number(const struct config_request *request, const char *key, struct key_number *out,
                              struct reason *why);
