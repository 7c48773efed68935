// A message of the protocol as JSON, by its descriptor: the keys are the names of its fields. Angles are in
// degrees, as in all JSON: the key of heading_rad is heading_deg. Enumerators are words in lower case. What
// is absent is null: a message, a member of a oneof, an empty text, and a number whose 0 says that there is
// none.
#pragma once

#include <cjson/cJSON.h>
#include <protobuf-c/protobuf-c.h>

// Adds each field of the message to an object, but those that left_out names; it ends with NULL.
void json_add_message(cJSON *to, const ProtobufCMessage *message, const char *const *left_out);
