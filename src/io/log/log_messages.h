// Messages of a log, read: any topic of proto/sagbend/v1/log.proto, as the generated struct, as JSON, by
// field.
#pragma once

#include "io/log/session_log.h"
#include "io/mcap/mcap_reader.h"

#include <protobuf-c/protobuf-c.h>
#include <stdio.h>

// The topic of a message whose channel, schema and encoding are what a Sagbend log has there;
// LOG_TOPIC_COUNT: other.
enum log_topic log_topic_of(const struct mcap_channel *channel);
enum log_topic log_topic_by_name(const char *name); // "/truth" or "truth"; LOG_TOPIC_COUNT: none
const ProtobufCMessageDescriptor *log_descriptor(enum log_topic t);

// The message as the struct of sagbend/v1/*.pb-c.h that belongs to its topic (Sagbend__V1__CommandUsed, ...);
// NULL and the reason if it is none. Release with log_free.
ProtobufCMessage *log_unpack(const struct mcap_message *m, struct reason *why);
void log_free(ProtobufCMessage *m);

// One JSON object on one line. Hashes (fixed64) are text of 16 hexadecimal digits; what is not finite is
// null.
void log_print_json(FILE *out, const ProtobufCMessage *m);

// Every scalar that is there, in the order of the declaration: path such as "pipe.touchdown.north_m" or
// "north_m[3]", and its value as text.
void log_each_field(const ProtobufCMessage *m,
                    void (*visit)(void *context, const char *path, const char *value), void *context);

// The scalar at a path, as text, in number or in the message itself; NULL if it is absent (no pipe, no
// contact). Needs a path that is valid.
enum { LOG_NUMBER_SIZE = 64 };
const char *log_field(const ProtobufCMessage *m, const char *path, char number[LOG_NUMBER_SIZE]);
int log_path_is_valid(const ProtobufCMessageDescriptor *d, const char *path); // names a scalar
// All paths of scalars outside of lists, separated by commas, for people.
void log_paths(const ProtobufCMessageDescriptor *d, char *out, size_t size);
