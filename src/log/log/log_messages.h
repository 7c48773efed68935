// Reads the messages of a log: any topic of proto/sagbend/v1/log.proto, as generated struct, as JSON, or
// field by field.
#pragma once

#include "net/messages/message_value.h"
#include "log/log/log_topic.h"
#include "log/mcap/mcap.h"

#include <protobuf-c/protobuf-c.h>
#include <stdio.h>

// The topic of a channel, if its schema and encoding are those of a Sagbend log; LOG_TOPIC_COUNT: another.
enum log_topic log_topic_of(const struct mcap_channel *channel);

// Unpacks a message into the struct of sagbend/v1/*.pb-c.h that belongs to its topic
// (Sagbend__V1__CommandUsed, ...). Release with log_free. NULL and the reason if that is not possible.
ProtobufCMessage *log_unpack(const struct mcap_message *message, struct reason *why);
void log_free(ProtobufCMessage *message); // accepts NULL

// Prints a message as one JSON object on one line. Hashes (fixed64) are strings of 16 hexadecimal digits;
// numbers that are not finite are null.
void log_print_json(FILE *out, const ProtobufCMessage *message);

// Calls visit for each scalar that is present, in the order of the declaration, with its path, such as
// "pipe.touchdown.north_m" or "north_m[3]", and its value as text.
void log_each_field(const ProtobufCMessage *message,
                    void (*visit)(void *context, const char *path, const char *value), void *context);

// The scalar at a valid path as text, in buffer or in the message; NULL if it is absent (there is no pipe, or
// no contact).
enum { LOG_NUMBER_SIZE = 64 };
const char *log_field(const ProtobufCMessage *message, const char *path, char buffer[LOG_NUMBER_SIZE]);

int log_path_is_valid(const ProtobufCMessageDescriptor *type, const char *path); // it names a scalar

// Writes the paths of all scalars outside lists, separated by commas.
void log_paths(const ProtobufCMessageDescriptor *type, char *out, size_t size);

// Private to the room: a value of a field, which is no message, as text: in buffer or in the message.
// *quoted: JSON needs quotes around it.
const char *log_value_text(const ProtobufCFieldDescriptor *field, const struct message_value *value,
                           char buffer[LOG_NUMBER_SIZE], int *quoted);
