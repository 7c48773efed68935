// The answer to an operator's order, as the message itself.
#pragma once

#include <stddef.h>

typedef struct Sagbend__V1__Receipt Sagbend__V1__Receipt; // sagbend/v1/operator.pb-c.h

// Of an Envelope that wire_unpack has accepted as a Receipt. NULL: out of memory.
Sagbend__V1__Receipt *wire_open_receipt(const void *data, size_t size);
void wire_free_receipt(Sagbend__V1__Receipt *receipt); // accepts NULL
