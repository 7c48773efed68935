// Shared by the packing files of the codec; not for others.
#pragma once

#include "io/codec.h"

#include "sagbend/v1/command.pb-c.h"
#include "sagbend/v1/header.pb-c.h"
#include "sagbend/v1/operator.pb-c.h"
#include "sagbend/v1/session.pb-c.h"
#include "sagbend/v1/telemetry.pb-c.h"

// Both point into or copy their argument, which must live until the message is packed.
Sagbend__V1__Header wire_header_message(const struct wire_header *h);
Sagbend__V1__BodyWrench wire_wrench_message(const double wrench_b[6]);

// Both add to out; what is wrong, or NULL.
const char *wire_read_instruments(const Sagbend__V1__Instruments *m, struct readings *out);
const char *wire_read_thrusters(const Sagbend__V1__Sensors *m, struct readings *out);

// What is wrong, or NULL.
const char *wire_read_order(const Sagbend__V1__Order *m, struct wire_order *out);
const char *wire_read_fault_order(const Sagbend__V1__FaultOrder *m, struct wire_order *out);
const char *wire_read_receipt(const Sagbend__V1__Receipt *m, struct wire_receipt *out);

// Bytes written; 0 if the message fails wire_check or does not fit.
size_t wire_pack(const ProtobufCMessage *m, uint8_t *out, size_t capacity);

// A command's set-points as a message, and back. What is wrong with the message is returned, NULL: nothing.
struct thruster_commands_message {
  Sagbend__V1__ThrusterCommands message;
  Sagbend__V1__BodyWrench extra;
  Sagbend__V1__ThrusterCommand item[MAX_THRUSTERS];
  Sagbend__V1__ThrusterCommand *list[MAX_THRUSTERS];
};
void wire_fill_thruster_commands(const struct command *c, struct thruster_commands_message *out);
const char *wire_read_thruster_commands(const Sagbend__V1__ThrusterCommands *m, struct command *out);

// The plant in a Welcome, and back.
struct plant_message {
  Sagbend__V1__ThrusterInfo thruster[MAX_THRUSTERS];
  Sagbend__V1__ThrusterInfo *thrusters[MAX_THRUSTERS];
  Sagbend__V1__ForbiddenSector sector[MAX_THRUSTERS][MAX_SECTORS];
  Sagbend__V1__ForbiddenSector *sectors[MAX_THRUSTERS][MAX_SECTORS];
  Sagbend__V1__BusInfo bus[MAX_BUSES];
  Sagbend__V1__BusInfo *buses[MAX_BUSES];
};
void wire_fill_plant(const struct plant_def *def, struct plant_message *out, Sagbend__V1__Welcome *welcome);
const char *wire_read_plant(const Sagbend__V1__Welcome *welcome, struct plant_def *out);

// What a Welcome says beside the plant: instruments, set-point, vessel; and back.
struct welcome_message {
  Sagbend__V1__InstrumentInfo instrument[MAX_INSTRUMENTS];
  Sagbend__V1__InstrumentInfo *instruments[MAX_INSTRUMENTS];
  Sagbend__V1__Setpoint setpoint;
  Sagbend__V1__VesselInfo vessel;
  double inertia[36], added_mass[36];
};
void wire_fill_welcome(const struct wire_welcome *w, struct welcome_message *out,
                       Sagbend__V1__Welcome *welcome);
const char *wire_read_welcome(const Sagbend__V1__Welcome *welcome, struct wire_welcome *out);

// Thrusters and buses in a Truth.
struct plant_truth_message {
  Sagbend__V1__BodyWrench wrench;
  Sagbend__V1__ThrusterTruth thruster[MAX_THRUSTERS];
  Sagbend__V1__ThrusterTruth *thrusters[MAX_THRUSTERS];
  Sagbend__V1__BusTruth bus[MAX_BUSES];
  Sagbend__V1__BusTruth *buses[MAX_BUSES];
};
void wire_fill_plant_truth(const struct sim_output *o, struct plant_truth_message *out,
                           Sagbend__V1__Truth *truth);
