// Shared by the packing files of the codec; not for others.
#pragma once

#include "io/codec.h"

#include "sagbend/v1/header.pb-c.h"
#include "sagbend/v1/command.pb-c.h"

// Both point into or copy their argument, which must live until the message is packed.
Sagbend__V1__Header wire_header_message(const struct wire_header *h);
Sagbend__V1__BodyWrench wire_wrench_message(const double wrench_b[6]);

// Bytes written; 0 if the message fails wire_check or does not fit.
size_t wire_pack(const ProtobufCMessage *m, uint8_t *out, size_t capacity);
