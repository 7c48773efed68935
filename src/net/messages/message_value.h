// Reading any message of the protocol by its descriptor, so that what shows a message lists no fields by
// hand.
#pragma once

#include <protobuf-c/protobuf-c.h>
#include <stddef.h>
#include <stdint.h>

enum value_kind { VALUE_NONE, VALUE_NUMBER, VALUE_COUNT, VALUE_FLAG, VALUE_TEXT, VALUE_MESSAGE };

struct message_value {
  enum value_kind kind;            // VALUE_NONE: an absent message, an enumerator ..._UNSPECIFIED, bytes
  double number;                   // of a number; of a count and a flag as well
  uint64_t count;                  // of a count, exact; the number of an enumerator; of bytes how many
  const char *text;                // of a text; of an enumerator, in lower case without the name of its type
  const ProtobufCMessage *message; // of a message
  char word[40];                   // what text points to, of an enumerator
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
