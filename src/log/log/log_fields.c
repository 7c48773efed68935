// Fields of a message by their paths.
#include "log/log/log_messages.h"

#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 256, DEEPEST = 8 };

static void visit_fields(const ProtobufCMessage *message, const char *prefix,
                         void (*visit)(void *context, const char *path, const char *value), void *context) {
  for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
    const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];
    size_t count = message_item_count(message, field);
    for (size_t k = 0; k < count; k++) {
      char path[PATH_SIZE], buffer[LOG_NUMBER_SIZE];
      struct message_value value;
      int quoted, used = snprintf(path, sizeof path, "%s%s", prefix, field->name);
      message_item(message, field, k, &value);
      if (field->label == PROTOBUF_C_LABEL_REPEATED)
        snprintf(path + used, sizeof path - (size_t)used, "[%zu]", k);
      if (value.kind == VALUE_MESSAGE) {
        strncat(path, ".", sizeof path - strlen(path) - 1);
        visit_fields(value.message, path, visit, context);
      } else {
        visit(context, path, log_value_text(field, &value, buffer, &quoted));
      }
    }
  }
}

void log_each_field(const ProtobufCMessage *message,
                    void (*visit)(void *context, const char *path, const char *value), void *context) {
  visit_fields(message, "", visit, context);
}

// The field that a path begins with, its index ("[3]", otherwise 0) and the rest of the path behind it; NULL:
// there is no such field.
static const ProtobufCFieldDescriptor *first_field(const ProtobufCMessageDescriptor *type, const char *path,
                                                   size_t *index, const char **rest) {
  size_t length = strcspn(path, ".[");
  const char *end = path + length;
  char name[LOG_NUMBER_SIZE];
  *index = 0;
  if (length >= sizeof name)
    return NULL;
  memcpy(name, path, length);
  name[length] = 0;

  const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field_by_name(type, name);
  int is_list = field && field->label == PROTOBUF_C_LABEL_REPEATED;
  if (!field || is_list != (*end == '['))
    return NULL;
  if (is_list) {
    char *after;
    if (end[1] < '0' || end[1] > '9')
      return NULL;
    *index = strtoul(end + 1, &after, 10);
    if (*after != ']')
      return NULL;
    end = after + 1;
  }
  if (*end && *end != '.')
    return NULL;

  *rest = *end ? end + 1 : end;
  return (field->type == PROTOBUF_C_TYPE_MESSAGE) == (**rest != 0) ? field : NULL;
}

int log_path_is_valid(const ProtobufCMessageDescriptor *type, const char *path) {
  while (*path) {
    size_t index;
    const ProtobufCFieldDescriptor *field = first_field(type, path, &index, &path);
    if (!field)
      return 0;
    if (field->type != PROTOBUF_C_TYPE_MESSAGE)
      return 1;
    type = field->descriptor;
  }
  return 0;
}

const char *log_field(const ProtobufCMessage *message, const char *path, char buffer[LOG_NUMBER_SIZE]) {
  for (;;) {
    size_t index = 0;
    const ProtobufCFieldDescriptor *field = first_field(message->descriptor, path, &index, &path);
    struct message_value value;
    int quoted;
    if (!field || index >= message_item_count(message, field))
      return NULL;
    message_item(message, field, index, &value);
    if (value.kind != VALUE_MESSAGE)
      return log_value_text(field, &value, buffer, &quoted);
    message = value.message;
  }
}

static void add_paths(const ProtobufCMessageDescriptor *type, const char *prefix, int depth, char *out,
                      size_t size) {
  for (unsigned i = 0; i < type->n_fields && depth < DEEPEST; i++) {
    const ProtobufCFieldDescriptor *field = &type->fields[i];
    int is_message = field->type == PROTOBUF_C_TYPE_MESSAGE;
    char path[PATH_SIZE];
    size_t used = strlen(out);
    int length = snprintf(path, sizeof path, "%s%s%s", prefix, field->name, is_message ? "." : "");
    if (field->label == PROTOBUF_C_LABEL_REPEATED || length >= PATH_SIZE)
      continue;
    if (is_message)
      add_paths(field->descriptor, path, depth + 1, out, size);
    else
      snprintf(out + used, size - used, "%s%s", used ? "," : "", path);
  }
}

void log_paths(const ProtobufCMessageDescriptor *type, char *out, size_t size) {
  *out = 0;
  add_paths(type, "", 0, out, size);
}
