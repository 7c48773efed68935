// Checks what unpacking by protobuf-c accepts but the protocol does not, for any message, by its descriptor.
#pragma once

#include <protobuf-c/protobuf-c.h>

enum { WIRE_MAX_TEXT = 255 }; // characters of any string of the protocol

enum wire_result {
  WIRE_OK,
  WIRE_MALFORMED,      // not a message of the protocol, or a required part is missing
  WIRE_OTHER_PROTOCOL, // a well-formed message of another protocol version
  WIRE_NOT_FINITE      // well-formed but for a number that is NaN or infinite
};

// The error in a message: the field, and what was expected and found there.
struct wire_error {
  const char *field;
  char text[128];
};

// Requires finite numbers, enumerators that are known and not zero, and text of printable ASCII of at most
// WIRE_MAX_TEXT characters, in submessages, too. error: the first field at fault (unchanged with WIRE_OK). If
// there are several errors, WIRE_MALFORMED takes precedence over WIRE_NOT_FINITE.
enum wire_result wire_check(const ProtobufCMessage *message, struct wire_error *error);

// Copies text as messages can contain it: characters other than printable ASCII become '?', and text that is
// longer than size - 1 is cut.
void wire_clean_text(char *out, size_t size, const char *in);
