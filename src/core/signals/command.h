// The command that a step uses: latched at its start, as a pure function of the steps and of what arrived,
// so that a session replays. No clock, no I/O.
#pragma once

#include "core/base/nonblocking.h"
#include "core/base/status.h"
#include "core/base/valid.h"
#include "core/signals/readings.h"

enum command_state {
  COMMAND_WAITING, // none has come yet: the hold wrench
  COMMAND_STANDBY, // a controller is there and asks for nothing: the hold wrench
  COMMAND_FRESH,   // came within the control period
  COMMAND_HELD,    // older than the control period, within the timeout: still applied
  COMMAND_LOST,    // older than the timeout: the configured reaction
  COMMAND_STATE_COUNT
};
const char *command_state_name(enum command_state s); // "waiting", ...

enum command_reaction { REACTION_HOLD_LAST, REACTION_HOLD_WRENCH, REACTION_ZERO };

// Set-point of the thruster at this place in the configuration.
struct thruster_setpoint {
  int enable;
  double revolutions_rpm, pitch, azimuth_rad;
};

// What a command may ask of a thruster, and what becomes of one that no command names.
struct thruster_rule {
  char name[SIGNAL_NAME];
  double revolutions_max_rpm; // of a drive by revolutions, either way; 0: driven by pitch
  double rudder_max_rad;      // of a rudder, either way; negative: none, any azimuth
  uint64_t timeout_steps;
  int stops_on_timeout; // after it: no thrust; otherwise the last set-point stays
};

struct command_def {
  uint64_t period_steps;  // control period: sensors are sent to controllers every so many steps
  uint64_t timeout_steps; // without a command for longer: COMMAND_LOST
  enum command_reaction reaction;
  double wrench_limit[6]; // |component| above it is refused on arrival; 0: unlimited
  int thrusters_only; // a wrench is refused but for what hands over from the hold wrench, see command_check
  double hold_wrench_b[6];
  uint64_t hold_release_steps; // in which the hold wrench goes while commands of thrusters rule, and comes
                               // back after
  int thruster_count;
  struct thruster_rule thruster[MAX_THRUSTERS];
  struct thruster_setpoint hold_setpoint[MAX_THRUSTERS]; // beside the hold wrench
};

// Set-point of one thruster.
struct thruster_command {
  char name[SIGNAL_NAME];
  int enable;             // 0: stop it
  double revolutions_rpm; // of a drive by revolutions; negative: astern, to port for a tunnel
  double pitch;           // of a drive by pitch: share of full, -1 to 1
  double azimuth_rad;     // direction of the thrust from the bow, clockwise; of a rudder: its angle
};

struct command {
  uint64_t sequence;      // of the controller's messages, strictly increasing within a connection
  uint64_t based_on_step; // step of the sensors it answers
  int standby;            // nonzero: nothing asked for
  double wrench_b[6];     // N, N m about the reference point, body frame: acts as it is, beside the thrusters
  int thruster_count;     // thrusters that this command names; the others keep their set-points
  struct thruster_command thrusters[MAX_THRUSTERS];
};

struct command_latch {
  struct command last;      // the newest accepted command
  uint64_t latched_at_step; // step at whose start it was latched
  enum command_state state;
  int has_command;     // a command has come since the start
  uint64_t lost_count; // times the state became COMMAND_LOST
  double applied_b[6]; // wrench of this step
  double hold_share;   // of the hold wrench; 1 unless commands of thrusters rule or ruled a while ago
  struct thruster_setpoint setpoint[MAX_THRUSTERS]; // of this step
  uint64_t set_at_step[MAX_THRUSTERS];              // when a command, or the hold, last set it
};

void command_latch_init(struct command_latch *latch, const struct command_def *def);

// Whether a latch, or a command, from a file is one that this definition can have led to at this step
// (core/base/valid.h).
int command_is_valid(const struct command_def *def, const struct command *c, struct reason *why);
int command_latch_is_valid(const struct command_def *def, const struct command_latch *latch, uint64_t step,
                           struct reason *why);

// A controller that takes over with thrusters asks for what acted beside them and lets it go: the hold
// wrench, and, where one controller follows another at once, what is left of the former's. So much of it,
// each component, is let through where thrusters_only.
enum { HAND_OVER_HOLD_WRENCHES = 4 };

// The gate: known thrusters, within their limits and wrench_limit. STATUS_BAD_INPUT: why says what is not.
enum status command_check(const struct command_def *def, const struct command *c,
                          struct reason *why) NONBLOCKING;

// Call at the start of each step with the newest command that has arrived since the last call, or NULL.
// Sets state, applied_b and setpoint.
void command_latch_step(struct command_latch *latch, const struct command_def *def,
                        const struct command *newest, uint64_t step) NONBLOCKING;
