// Private to the room.
#pragma once

#include "io/codec/message_value.h"
#include "io/log/log_messages.h"

// A value of a field, which is no message, as text: in buffer or in the message. *quoted: JSON needs quotes
// around it.
const char *log_value_text(const ProtobufCFieldDescriptor *field, const struct message_value *value,
                           char buffer[LOG_NUMBER_SIZE], int *quoted);
