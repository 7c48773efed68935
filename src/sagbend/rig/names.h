// Names of instruments, thrusters and buses, and faults requested by name: by a configuration or by an
// operator, checked in the same way.
#pragma once

#include "sagbend/base/status.h"
#include "sagbend/base/base.h"
#include "sagbend/power/power_def.h"
#include "sagbend/signals/dp_alarm.h"
#include "sagbend/signals/thruster_kind.h"
#include "sagbend/rig/common_error.h"
#include "sagbend/rig/fault.h"

struct hil_names {
  int instrument_count, thruster_count, bus_count, generator_count, tie_count;
  char instrument[MAX_INSTRUMENTS][SIGNAL_NAME], thruster[MAX_THRUSTERS][SIGNAL_NAME],
      bus[MAX_BUSES][SIGNAL_NAME], generator[MAX_GENERATORS][SIGNAL_NAME], tie[MAX_TIES][SIGNAL_NAME];
  enum instrument instrument_kind[MAX_INSTRUMENTS];
  double full_rpm[MAX_THRUSTERS]; // full revolutions of each thruster
  enum thruster_kind thruster_kind[MAX_THRUSTERS];
  int has_tensioner;   // nonzero: one that follows orders
  int has_power_plant; // nonzero: sets or batteries
  int common_count;    // errors that several instruments have in common
  char common[MAX_COMMON_ERRORS][SIGNAL_NAME];
  unsigned common_channels[MAX_COMMON_ERRORS];
  int other_targets[MAX_INSTRUMENTS]; // targets that a reference may take for its own
  int has_fixed_setpoint;             // nonzero: the set-point is part of the model
  int has_bore;                       // nonzero: a pipe that water can fill
};

struct fault_parameter_given {
  char name[SIGNAL_NAME];
  int is_text;
  double number;
  char text[SIGNAL_NAME];
};

struct fault_request {
  char kind[SIGNAL_NAME];
  char target[SIGNAL_NAME]; // a name or "all"; empty where the kind has only one target
  int parameter_count;
  struct fault_parameter_given parameter[FAULT_PARAMETERS + 1]; // room for one too many
};

// Where the error in a request is: in a part of it, or in the parameter of this index (from 0).
enum { FAULT_WRONG_PARAMETER = 0, FAULT_WRONG_KIND = -1, FAULT_WRONG_TARGET = -2, FAULT_MISSING = -3 };

// Checks a request and makes its fault. On failure *where is the place of the error, and why states what was
// expected and what was found.
enum status fault_from_request(const struct hil_names *names, const struct fault_request *request,
                               struct fault *out, int *where, struct reason *why);

// True if a fault from a file could have been requested (sagbend/base/base.h).
int fault_is_valid(const struct hil_names *names, const struct fault *f, struct reason *why);

// The request that makes this fault.
void fault_to_request(const struct hil_names *names, const struct fault *f, struct fault_request *out);

// The sources of alarms, from 0: names of instruments, of thrusters, of buses, then the words. NULL: no more.
const char *dp_alarm_source_at(const struct hil_names *names, int index);
int dp_alarm_source_index(const struct hil_names *names, const char *source); // -1: it is none

// Whether a word can be the source of an alarm: a name of the vessel's equipment, or a word of
// dp_alarm_source_word.
int dp_alarm_source_is_known(const struct hil_names *names, const char *source);

// Whether each alarm names equipment of the vessel, or one of the words (sagbend/signals/dp_alarm.h).
enum status dp_alarm_sources_check(const struct hil_names *names, const struct dp_alarm_list *alarms,
                                   struct reason *why);

// Target of a fault, for people: "gyro-2", "all thrusters", "commands".
struct fault_text {
  char text[64];
};
struct fault_text fault_target_text(const struct hil_names *names, const struct fault *f);
