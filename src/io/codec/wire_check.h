// What protobuf-c's unpack lets through, caught for every message of the protocol by walking its descriptor.
#pragma once

#include <protobuf-c/protobuf-c.h>

enum { WIRE_MAX_TEXT = 255 }; // characters of any string on the wire

enum wire_result {
  WIRE_OK,
  WIRE_MALFORMED,      // not a message of the protocol, or a required part is missing
  WIRE_OTHER_PROTOCOL, // a well-formed message of another protocol version
  WIRE_NOT_FINITE      // well-formed but for a number that is NaN or infinite
};

// What is wrong with a message: the field, and what was expected there and found.
struct wire_complaint {
  const char *field;
  char text[128];
};

// Numbers finite, enumerators known and not the unspecified zero, text printable ASCII of bounded length;
// submessages likewise. complaint: of the first field at fault (untouched with WIRE_OK). Malformed outranks
// not finite.
enum wire_result wire_check(const ProtobufCMessage *message, struct wire_complaint *complaint);

// Copies text as messages carry it: other characters than printable ASCII become '?', what is too long is
// cut.
void wire_clean_text(char *out, size_t size, const char *in);
