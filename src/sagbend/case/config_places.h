// Where the keys of a configuration or DP file stand, for checks that know more than one file.
#pragma once

#include "sagbend/base/status.h"

struct config_places;

enum config_file_kind { CONFIG_FILE, DP_CONFIG_FILE };

// Reads the file with its overrides once more. NULL: it is no regular file, such as a pipe, or cannot be
// read.
struct config_places *config_places_open(const char *path, const char *const *overrides, int override_count,
                                         enum config_file_kind kind);
void config_places_close(struct config_places *places); // accepts NULL

// "FILE:LINE:COLUMN" of the value of a key such as "vessel.thrusters.0.position_b_m"; where it is absent, of
// the section in which it is missing.
struct config_place {
  char text[200];
  int is_withheld; // others may not read the file: what it says is not to be quoted
};
struct config_place config_place_of(const struct config_places *places, const char *key);
int config_place_is_given(const struct config_places *places, const char *key);

// Calls found for each number in degrees beyond a full turn.
void config_places_turns(const struct config_places *places,
                         void (*found)(void *context, const char *key, double degrees), void *context);
