// Any message of the protocol by its descriptor: checks, reading, JSON.
#pragma once

#include <cjson/cJSON.h>
#include <protobuf-c/protobuf-c.h>
#include <stddef.h>
#include <stdint.h>

// Checks what unpacking by protobuf-c accepts but the protocol does not, for any message, by its descriptor.

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

// ------------------------------------------------------------
// Reading any message of the protocol by its descriptor, so that what shows a message lists no fields by
// hand.

enum value_kind { VALUE_NONE, VALUE_NUMBER, VALUE_COUNT, VALUE_FLAG, VALUE_TEXT, VALUE_MESSAGE };

struct message_value {
  enum value_kind kind;            // VALUE_NONE: an absent message, an enumerator ..._UNSPECIFIED, bytes
  double number;                   // of a number; of a count and a flag as well
  uint64_t count;                  // of a count, exact; the number of an enumerator; of bytes how many
  const char *text;                // of a text; of an enumerator, in lower case without the name of its type
  const ProtobufCMessage *message; // of a message
  char word[40];                   // word of an enumerator, to which text points
};

// Items of a field: those of a repeated one, otherwise 1, or 0 for an absent message or member of a oneof.
size_t message_item_count(const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field);

// Item i, below that number.
void message_item(const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field, size_t i,
                  struct message_value *out);

// The field at a path of names, such as "log.dropped"; NULL: there is none.
const ProtobufCFieldDescriptor *message_field(const ProtobufCMessageDescriptor *type, const char *path);

// The value at a path through messages that are not repeated. VALUE_NONE also: a message on the way is
// absent.
void message_find(const ProtobufCMessage *message, const char *path, struct message_value *out);

// ------------------------------------------------------------
// A message of the protocol as JSON, by its descriptor: the keys are the names of its fields. Angles are in
// degrees, as in all JSON: the key of heading_rad is heading_deg. Enumerators are words in lower case. What
// is absent is null: a message, a member of a oneof, an empty text, and a number whose 0 means that there is
// none.

// Adds each field of the message to an object, but those that left_out names; it ends with NULL.
void json_add_message(cJSON *to, const ProtobufCMessage *message, const char *const *left_out);
