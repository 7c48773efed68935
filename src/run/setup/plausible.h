// What is valid and yet hardly meant: a unit, an axis or a sign that is wrong, and a DP file that does not
// belong to the vessel. Each finding names a key with its place. docs/configuration.md
#pragma once

#include "run/setup/setup_setup.h"

// Calls say for each finding, "FILE:LINE:COLUMN: notice: KEY: TEXT" without a line end; one that cannot be
// meant has "error" in place of "notice". sim: NULL where there is none, as after a failure of the statics.
// Returns the number of errors.
int plausible_check(const struct setup *setup, const struct case_options *options, const struct sim *sim,
                    void (*say)(void *context, const char *line), void *context);
