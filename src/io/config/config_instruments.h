// Keys of a rig's instruments, for the table of a configuration, and their checks.
#pragma once

#include "io/config/config_draft.h"

// clang-format off
#define IN_INSTRUMENT(member) .offset = offsetof(struct instrument_def, member)
#define IN_ERROR(member) .offset = offsetof(struct instrument_error, member)
#define ERROR_KEY(name, kept, text) \
  {"instruments[].errors[]." name, AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN_ERROR(kept), .doc = text}

#define INSTRUMENT_KEYS                                                                                                      \
  {"rig", AS_SECTION, .optional = 1, .doc = "What all instruments share."},                                           \
  {"rig.seed", AS_INTEGER, .range = LIMITED, .low = 0, .high = 999999999, .fallback = "1",                            \
   .offset = offsetof(struct config_draft, rig_seed),                                                                 \
   .doc = "Of the random streams, one for each instrument by its name."},                                             \
  {"instruments", AS_ITEMS, .size = MAX_INSTRUMENTS, .optional = 1,                                                   \
   .offset = offsetof(struct config_draft, out.suite.instruments.instrument), .item_size = sizeof(struct instrument_def), \
   .count_offset = offsetof(struct config_draft, out.suite.instruments.count),                                          \
   .doc = "What a controller knows of the vessel; without it, the exact state. docs/instruments.md"},                 \
  {"instruments[].name", AS_TEXT, .size = SIGNAL_NAME, IN_INSTRUMENT(name), .doc = "Of its own; in messages and events."}, \
  {"instruments[].kind", AS_WORD, .word_offset = offsetof(struct instrument_def, kind),                               \
   .words = {"gnss", "gyro", "motion", "wind", "speed_log", "load_cell", "hangoff_angle", "touchdown"},               \
   .doc = "What it is."},                                                                                             \
  {"instruments[].position_b_m", AS_VECTOR, .size = 3, .fallback = "0", IN_INSTRUMENT(position_b_m), .unit = "m",     \
   .doc = "Of the antenna or sensor, body frame."},                                                                   \
  {"instruments[].rate_hz", AS_NUMBER, .range = LIMITED, .low = 0.001, .high = 1000, IN_INSTRUMENT(rate_hz), .unit = "Hz", \
   .doc = "Rate of its telegrams, at most one in a step. Each telegram is measured at the step nearest to its time."},                       \
  {"instruments[].latency_s", AS_NUMBER, .range = LIMITED, .low = 0, .high = 60, .fallback = "0", IN_INSTRUMENT(latency_s), \
   .unit = "s", .doc = "Time from measurement to reading. The telegram is read at the first step that is not earlier."},                                    \
  {"instruments[].share", AS_NUMBER, .range = POSITIVE, .optional = 1, IN_INSTRUMENT(share),                          \
   .doc = "load_cell only: of the tension at the hang-off, that it carries; 1 where it is not given."},               \
  {"instruments[].errors", AS_ITEMS, .size = MAX_ERRORS, .optional = 1, IN_INSTRUMENT(error),                         \
   .item_size = sizeof(struct instrument_error), .count_offset = offsetof(struct instrument_def, error_count),        \
   .doc = "How it errs, by quantity; exact without."},                                                                \
  {"instruments[].errors[].quantity", AS_TEXT, .size = SIGNAL_NAME, IN_ERROR(quantity),                                  \
   .doc = "position_m, heading_deg, ...: one of its kind's (docs/instruments.md). The numbers beside it are in its unit."}, \
  ERROR_KEY("white", white, "Standard deviation of white noise, fresh in each telegram."),                            \
  ERROR_KEY("markov", markov, "Standard deviation of a Gauss-Markov process."),                                       \
  ERROR_KEY("markov_time_s", markov_time_s, "Time constant of the Gauss-Markov process, s."),                         \
  ERROR_KEY("walk", walk, "Random walk: its standard deviation after 1 s, growing with the square root of time."),    \
  {"instruments[].errors[].bias", AS_NUMBER, .fallback = "0", IN_ERROR(bias), .doc = "The same in every run."},       \
  ERROR_KEY("bias_random", bias_random, "Standard deviation of a bias that is drawn once, at the start."),            \
  {"instruments[].errors[].scale", AS_NUMBER, .range = LIMITED, .low = -1, .high = 1, .fallback = "0", IN_ERROR(scale), \
   .doc = "Share of the value that is added to it."},                                                                 \
  ERROR_KEY("quantum", quantum, "Resolution: values are multiples of it."),                                           \
  ERROR_KEY("range", range, "Magnitude beyond which it is cut off and the telegram is not valid; 0: none.")
// clang-format on

// Checks and completes the instruments: channels of quantities, radians, the order of kinds.
void config_check_instruments(const struct node *root, struct config_draft *draft, struct error_list *errors);
