// Shared by the packing files of the codec; not for others.
#pragma once

#include "hil/quantity.h"
#include "io/codec/message_parts.h"

#include "sagbend/v1/session.pb-c.h"
#include "sagbend/v1/telemetry.pb-c.h"

// Sets the fields of a message, or of a part of one, that the rows of hil/quantities.inc name. view->target
// is not read. Fields of other quantities are left as they are.
void wire_fill_quantities(void *part, enum quantity_message message, const struct loop_view *view);

// Both add to out; what is wrong, or NULL.
const char *wire_read_instruments(const Sagbend__V1__Instruments *m, struct readings *out);
const char *wire_read_thrusters(const Sagbend__V1__Sensors *m, struct readings *out);

// What is wrong, or NULL.
const char *wire_read_order(const Sagbend__V1__Order *m, struct wire_order *out);
const char *wire_read_receipt(const Sagbend__V1__Receipt *m, struct wire_receipt *out);

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
void wire_fill_plant_truth(const struct loop_view *view, struct plant_truth_message *out,
                           Sagbend__V1__Truth *truth);
