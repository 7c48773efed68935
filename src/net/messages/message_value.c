#include "net/messages/message_value.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

size_t message_item_count(const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field) {
  const char *at = (const char *)message;
  if (field->label == PROTOBUF_C_LABEL_REPEATED)
    return *(const size_t *)(const void *)(at + field->quantifier_offset);
  if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF &&
      *(const uint32_t *)(const void *)(at + field->quantifier_offset) != field->id)
    return 0;
  return field->type != PROTOBUF_C_TYPE_MESSAGE ||
         *(const ProtobufCMessage *const *)(const void *)(at + field->offset) != NULL;
}

// RUN_MODE_REALTIME of RunMode is "realtime".
static void read_enumerator(const ProtobufCEnumDescriptor *type, int number, struct message_value *out) {
  const ProtobufCEnumValue *value = number ? protobuf_c_enum_descriptor_get_value(type, number) : NULL;
  if (!value)
    return;
  const char *name = value->name;
  for (const char *letter = type->short_name; *letter; letter++) {
    name += letter != type->short_name && isupper((unsigned char)*letter); // the line before a further word
    name++;
  }
  size_t used = 0;
  for (name++; *name && used + 1 < sizeof out->word; name++)
    out->word[used++] = (char)tolower((unsigned char)*name);
  out->word[used] = '\0';
  out->kind = VALUE_TEXT;
  out->text = out->word;
}

static void set_count(struct message_value *out, enum value_kind kind, uint64_t count) {
  out->kind = kind;
  out->count = count;
  out->number = (double)count;
}

void message_item(const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field, size_t i,
                  struct message_value *out) {
  const void *at = (const char *)message + field->offset;
  if (field->label == PROTOBUF_C_LABEL_REPEATED)
    at = *(const void *const *)at;
  *out = (struct message_value){.kind = VALUE_NONE};
  switch (field->type) {
  case PROTOBUF_C_TYPE_DOUBLE:
    out->kind = VALUE_NUMBER;
    out->number = ((const double *)at)[i];
    break;
  case PROTOBUF_C_TYPE_UINT32:
    set_count(out, VALUE_COUNT, ((const uint32_t *)at)[i]);
    break;
  case PROTOBUF_C_TYPE_UINT64:
  case PROTOBUF_C_TYPE_FIXED64:
    set_count(out, VALUE_COUNT, ((const uint64_t *)at)[i]);
    break;
  case PROTOBUF_C_TYPE_BOOL:
    set_count(out, VALUE_FLAG, ((const protobuf_c_boolean *)at)[i] != 0);
    break;
  case PROTOBUF_C_TYPE_STRING:
    out->kind = VALUE_TEXT;
    out->text = ((const char *const *)at)[i];
    break;
  case PROTOBUF_C_TYPE_ENUM:
    out->count = ((const uint32_t *)at)[i];
    read_enumerator(field->descriptor, (int)out->count, out);
    break;
  case PROTOBUF_C_TYPE_BYTES:
    out->count = ((const ProtobufCBinaryData *)at)[i].len;
    break;
  case PROTOBUF_C_TYPE_MESSAGE:
    out->message = ((const ProtobufCMessage *const *)at)[i];
    out->kind = out->message ? VALUE_MESSAGE : VALUE_NONE;
    break;
  default:
    break; // the protocol has no other types
  }
}

// The field of the first name of a path. rest: the path after it.
static const ProtobufCFieldDescriptor *first_field(const ProtobufCMessageDescriptor *type, const char *path,
                                                   const char **rest) {
  char name[64];
  size_t size = strcspn(path, ".");
  if (size >= sizeof name)
    return NULL;
  memcpy(name, path, size);
  name[size] = '\0';
  *rest = path + size + (path[size] == '.');
  return protobuf_c_message_descriptor_get_field_by_name(type, name);
}

const ProtobufCFieldDescriptor *message_field(const ProtobufCMessageDescriptor *type, const char *path) {
  const ProtobufCFieldDescriptor *field = first_field(type, path, &path);
  while (field && *path)
    field = field->type == PROTOBUF_C_TYPE_MESSAGE ? first_field(field->descriptor, path, &path) : NULL;
  return field;
}

void message_find(const ProtobufCMessage *message, const char *path, struct message_value *out) {
  *out = (struct message_value){.kind = VALUE_MESSAGE, .message = message};
  while (*path && out->kind == VALUE_MESSAGE) {
    const ProtobufCFieldDescriptor *field = first_field(out->message->descriptor, path, &path);
    if (field && message_item_count(out->message, field))
      message_item(out->message, field, 0, out);
    else
      *out = (struct message_value){.kind = VALUE_NONE};
  }
}
