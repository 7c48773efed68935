// Signals: what a register can contain.
#pragma once

#include "sagbend/rig/frame.h"
#include "sagbend/rig/names.h"
#include "sagbend/rig/quantity.h"
#include "net/buses/modbus_def.h"
#include "net/gate/bus_master.h"

enum signal_scope {
  SCOPE_SESSION,
  SCOPE_THRUSTER,
  SCOPE_BUS,
  SCOPE_GENERATOR,
  SCOPE_TIE,
  SCOPE_ALARM,
  SCOPE_INSTRUMENT
};

// Identifier, scope, name, 1 if a master writes it, 1 if it is yes or no, unit, meaning.
#define MODBUS_SIGNAL_TABLE(X)                                                                               \
  X(SIGNAL_STANDBY, SCOPE_SESSION, "command.standby", 1, 1, "", "1: the master asks for nothing")            \
  X(SIGNAL_BEAT, SCOPE_SESSION, "command.heartbeat", 1, 0, "", "any value: the master is alive")             \
  X(SIGNAL_BASED_ON, SCOPE_SESSION, "command.based_on_step", 1, 0, "",                                       \
    "step of the readings that this request answers")                                                        \
  X(SIGNAL_IN_COMMAND, SCOPE_SESSION, "command.in_command", 0, 1, "", "1: this master is in command")        \
  X(SIGNAL_STATE, SCOPE_SESSION, "command.state", 0, 0, "", "0 waiting, 1 standby, 2 fresh, 3 held, 4 lost") \
  X(SIGNAL_ACCEPTED, SCOPE_SESSION, "command.accepted", 0, 0, "", "commands accepted, of all controllers")   \
  X(SIGNAL_REFUSED, SCOPE_SESSION, "command.refused", 0, 0, "", "commands refused, of all controllers")      \
  X(SIGNAL_STEP, SCOPE_SESSION, "session.step", 0, 0, "", "steps completed")                                 \
  X(SIGNAL_TIME, SCOPE_SESSION, "session.time_s", 0, 0, "s", "simulated time")                               \
  X(SIGNAL_LIFE, SCOPE_SESSION, "session.heartbeat", 0, 0, "", "steps completed, modulo 65536")              \
  X(SIGNAL_HELD, SCOPE_SESSION, "session.held", 0, 0, "",                                                    \
    "0 steps are made, 1 paused by an operator, 2 halted: readings stand still")                             \
  X(SIGNAL_ALL_AVAILABLE, SCOPE_SESSION, "power.available_w", 0, 0, "W", "power available, all buses")       \
  X(SIGNAL_ALL_USED, SCOPE_SESSION, "power.used_w", 0, 0, "W", "power drawn, all buses")                     \
  X(SIGNAL_TENSIONER_SET_MODE, SCOPE_SESSION, "tensioner.mode_set", 1, 0, "",                                \
    "order: 0 brake, 1 tension, 2 speed")                                                                    \
  X(SIGNAL_TENSIONER_SET_TENSION, SCOPE_SESSION, "tensioner.tension_set_n", 1, 0, "N",                       \
    "set-point of the mode tension")                                                                         \
  X(SIGNAL_TENSIONER_SET_SPEED, SCOPE_SESSION, "tensioner.speed_set_mps", 1, 0, "m/s",                       \
    "set-point of the mode speed, negative: recovery")                                                       \
  X(SIGNAL_TENSIONER_MODE, SCOPE_SESSION, "tensioner.mode", 0, 0, "",                                        \
    "mode in effect, measured: 0 brake, 1 tension, 2 speed")                                                 \
  X(SIGNAL_TENSIONER_BRAKE, SCOPE_SESSION, "tensioner.brake", 0, 1, "", "1: the brake is engaged, measured") \
  X(SIGNAL_TENSIONER_SOURCE, SCOPE_SESSION, "tensioner.source", 0, 0, "",                                    \
    "who gave the order in force: 0 the configuration, 1 a controller, 2 an operator")                       \
  X(SIGNAL_TENSIONER_TENSION, SCOPE_SESSION, "tensioner.tension_n", 0, 0, "N",                               \
    "tension at the grip, measured")                                                                         \
  X(SIGNAL_PAYOUT_LENGTH, SCOPE_SESSION, "tensioner.paid_out_m", 0, 0, "m",                                  \
    "length paid out since the start, measured")                                                             \
  X(SIGNAL_PAYOUT_SPEED, SCOPE_SESSION, "tensioner.payout_mps", 0, 0, "m/s", "its speed, measured")          \
  X(SIGNAL_ALARMS_ACTIVE, SCOPE_SESSION, "alarms.active", 0, 0, "",                                          \
    "alarms and warnings of the controller in force")                                                        \
  X(SIGNAL_ALARMS_RAISED, SCOPE_SESSION, "alarms.raised", 0, 0, "", "alarms and messages raised so far")     \
  X(SIGNAL_ALARM, SCOPE_ALARM, "alarm", 0, 1, "", "1: an alarm or warning of this kind is in force")         \
  X(SIGNAL_ALARM_SET, SCOPE_ALARM, "command.alarm", 1, 1, "", "1: the master reports an alarm of this kind") \
  X(SIGNAL_ENABLE, SCOPE_THRUSTER, "enable", 1, 1, "", "1: run")                                             \
  X(SIGNAL_SET_REVOLUTIONS, SCOPE_THRUSTER, "revolutions_set_rpm", 1, 0, "rpm",                              \
    "set-point, negative astern or to port")                                                                 \
  X(SIGNAL_SET_PITCH, SCOPE_THRUSTER, "pitch_set", 1, 0, "", "set-point, share of full pitch, -1 to 1")      \
  X(SIGNAL_SET_AZIMUTH, SCOPE_THRUSTER, "azimuth_set_deg", 1, 0, "deg",                                      \
    "set-point, thrust direction clockwise from the bow; main propeller: rudder angle")                      \
  X(SIGNAL_READY, SCOPE_THRUSTER, "ready", 0, 1, "", "1: takes commands")                                    \
  X(SIGNAL_RUNNING, SCOPE_THRUSTER, "running", 0, 1, "", "1: turns")                                         \
  X(SIGNAL_REVOLUTIONS, SCOPE_THRUSTER, "revolutions_rpm", 0, 0, "rpm", "feedback")                          \
  X(SIGNAL_PITCH, SCOPE_THRUSTER, "pitch", 0, 0, "", "feedback")                                             \
  X(SIGNAL_AZIMUTH, SCOPE_THRUSTER, "azimuth_deg", 0, 0, "deg", "feedback, -180 to 180")                     \
  X(SIGNAL_POWER, SCOPE_THRUSTER, "power_w", 0, 0, "W", "power drawn")                                       \
  X(SIGNAL_AVAILABLE, SCOPE_BUS, "available_w", 0, 0, "W", "power available")                                \
  X(SIGNAL_USED, SCOPE_BUS, "used_w", 0, 0, "W", "power drawn")                                              \
  X(SIGNAL_CLOSED, SCOPE_BUS, "closed", 0, 1, "", "1: the breaker is closed")                                \
  X(SIGNAL_LIMITED, SCOPE_BUS, "limited", 0, 1, "", "1: set-points are scaled down to the available power")  \
  X(SIGNAL_FREQUENCY, SCOPE_BUS, "frequency_pu", 0, 0, "", "with sets: per unit, 0: dark")                   \
  X(SIGNAL_VOLTAGE, SCOPE_BUS, "voltage_pu", 0, 0, "", "with sets: per unit")                                \
  X(SIGNAL_ON_LINE, SCOPE_GENERATOR, "on_line", 0, 1, "",                                                    \
    "1: its breaker is closed, as power management has it")                                                  \
  X(SIGNAL_LOAD, SCOPE_GENERATOR, "load_w", 0, 0, "W", "power that it gives to its bus")                     \
  X(SIGNAL_TRIPPED, SCOPE_GENERATOR, "tripped", 0, 1, "", "1: off line since its protection tripped it")     \
  X(SIGNAL_TIE_CLOSED, SCOPE_TIE, "closed", 0, 1, "", "1: the tie breaker is closed")
#define X(id, scope, name, written, flag, unit, meaning) id,
enum modbus_signal { MODBUS_SIGNAL_TABLE(X) MODBUS_SIGNAL_COUNT };
#undef X
// A signal beyond the table is a quantity of sagbend/rig/quantities.inc, MODBUS_SIGNAL_COUNT + its number, or what an
// instrument measures (modbus_instruments.c).
enum { MODBUS_FIRST_INSTRUMENT_SIGNAL = MODBUS_SIGNAL_COUNT + QUANTITY_COUNT };

struct signal_info {
  enum signal_scope scope;
  const char *name;
  int is_written, is_flag;
  const char *unit, *meaning;
};
struct signal_info modbus_signal_info(int signal);
int modbus_signal_is_quantity(int signal); // a true value, which no instrument measures

// Signals of an instrument of this kind: the index-th, from 0, and by name; -1: there is none.
int modbus_instrument_signal(enum instrument kind, int index);
int modbus_instrument_signal_named(enum instrument kind, const char *name);
struct signal_info modbus_instrument_info(int signal);

// A signal of the session, of a thruster, of a bus, of a generator, of a tie, of a kind of alarm or of an
// instrument.
struct signal_place {
  int signal;
  int index; // of the thruster, bus, set, tie, kind or instrument
};
// NaN: the instrument has no valid measurement.
double modbus_instrument_value(struct signal_place place, const struct readings *readings);

// Finds a signal by its name: "session.step", "thruster.NAME.ready", "bus.NAME.used_w",
// "generator.NAME.on_line", "tie.NAME.closed", "alarm.KIND", "command.alarm.KIND", "quantity.NAME",
// "instrument.NAME.heading_deg".
// STATUS_BAD_INPUT: why contains what is expected.
enum status modbus_signal_find(const char *text, const struct hil_names *names, struct signal_place *out,
                               struct reason *why);

// What the values are read from.
struct modbus_view {
  const struct frame *frame;
  const struct loop_target *target;
  const struct bus_image *image;
  const struct gate *gate;
  const struct dp_alarm_list *reported; // by the master that reads
  int is_in_command;                    // the master that reads
  double beat;                          // the last value of command.heartbeat
};
double modbus_signal_value(struct signal_place place, const struct modbus_view *view); // may be NaN
