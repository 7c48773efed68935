// Names of what a rig has, and faults asked for by name: by a configuration or by an operator, checked the
// same way.
#pragma once

#include "core/base/status.h"
#include "core/base/valid.h"
#include "hil/fault.h"

struct hil_names {
  int instrument_count, thruster_count, bus_count;
  char instrument[MAX_INSTRUMENTS][SIGNAL_NAME], thruster[MAX_THRUSTERS][SIGNAL_NAME],
      bus[MAX_BUSES][SIGNAL_NAME];
  enum instrument instrument_kind[MAX_INSTRUMENTS];
  double full_rpm[MAX_THRUSTERS]; // full revolutions of each thruster
  int is_tunnel[MAX_THRUSTERS];   // it has no azimuth
};

struct fault_parameter_given {
  char name[SIGNAL_NAME];
  int is_text;
  double number;
  char text[SIGNAL_NAME];
};

struct fault_request {
  char kind[SIGNAL_NAME];
  char target[SIGNAL_NAME]; // a name or "all"; empty where the kind has but one target
  int parameter_count;
  struct fault_parameter_given parameter[FAULT_PARAMETERS + 1]; // room for one too many
};

// What is wrong with a request: a part of it, or the parameter of this index.
enum { FAULT_WRONG_PARAMETER = 0, FAULT_WRONG_KIND = -1, FAULT_WRONG_TARGET = -2, FAULT_MISSING = -3 };

// The fault that is asked for. *where is set and why filled with "what expected, got what" otherwise.
enum status fault_from_request(const struct hil_names *names, const struct fault_request *request,
                               struct fault *out, int *where, struct reason *why);

// Whether a fault from a file is one that could have been asked for (core/base/valid.h).
int fault_is_valid(const struct hil_names *names, const struct fault *f, struct reason *why);

// The other way round: what it would have been asked for with.
void fault_to_request(const struct hil_names *names, const struct fault *f, struct fault_request *out);

// What a fault acts on, for people: "gyro-2", "all thrusters", "commands".
struct fault_text {
  char text[64];
};
struct fault_text fault_target_text(const struct hil_names *names, const struct fault *f);
