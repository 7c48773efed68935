// Shared by the packing files of the codec; not for others.
#pragma once

#include "io/codec.h"

#include "sagbend/v1/header.pb-c.h"
#include "sagbend/v1/command.pb-c.h"
#include "sagbend/v1/operator.pb-c.h"
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
