// Private to the room: reads the members of any message through protobuf-c's descriptors.
#pragma once

#include "io/log/log_messages.h"

struct log_member {
  const ProtobufCFieldDescriptor *field;
  const void *values; // of the first value
  size_t count;       // 0: absent
};
struct log_member log_member_of(const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field);

int log_member_is_list(const struct log_member *member);
int log_member_is_message(const struct log_member *member);
const ProtobufCMessage *log_member_message(const struct log_member *member, size_t index);

// A scalar value as text, in buffer or in the message. *quoted: JSON needs quotes around it.
const char *log_member_text(const struct log_member *member, size_t index, char buffer[LOG_NUMBER_SIZE],
                            int *quoted);
