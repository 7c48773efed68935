// Output quantities out of messages of the telemetry: the other direction of sagbend/rig/quantities.inc.
#pragma once

#include "sagbend/rig/quantity.h"

#include "sagbend/v1/telemetry.pb-c.h"

#include <protobuf-c/protobuf-c.h>

// What offsets count from: north, east, heading of the route's point, or of the set-point; an operator's
// set-point ends the route. 0: the message states neither, and pose stays as it is.
int wire_station_of(const Sagbend__V1__Truth *truth, double pose[3]);

// Sets those of the values, in SI units and radians, that a Truth, Sensors, Ledger or Timing tells; NaN where
// the part that would contain one is absent. Others stay as they are: drift_m, heave_m, controller_in_command
// and ledger_closure stand in no message. Where Sensors contain measurements, what Truth has counts.
// of Nodes: the touchdown point and the lay-back, for that case only.
void quantities_of_message(const ProtobufCMessage *message, double values[QUANTITY_COUNT]);
