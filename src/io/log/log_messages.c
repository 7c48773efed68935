// Generic reading by protobuf-c's own descriptors: one walk serves JSON, fields and paths.
#include "io/log/log_messages.h"

#include "sagbend/v1/log.pb-c.h"
#include "sagbend/v1/session.pb-c.h"
#include "sagbend/v1/telemetry.pb-c.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PATH = 256, NUMBER = LOG_NUMBER_SIZE, DEEPEST = 8 };

const ProtobufCMessageDescriptor *log_descriptor(enum log_topic t) {
  static const ProtobufCMessageDescriptor *const descriptors[] = {
      [LOG_SESSION] = &sagbend__v1__session_record__descriptor,
      [LOG_COMMAND] = &sagbend__v1__command_used__descriptor,
      [LOG_ORDER] = &sagbend__v1__order_used__descriptor,
      [LOG_STATE_HASH] = &sagbend__v1__state_hash__descriptor,
      [LOG_SENSORS] = &sagbend__v1__sensors__descriptor,
      [LOG_TRUTH] = &sagbend__v1__truth__descriptor,
      [LOG_NODES] = &sagbend__v1__nodes__descriptor,
      [LOG_LEDGER] = &sagbend__v1__ledger__descriptor,
      [LOG_TIMING] = &sagbend__v1__timing__descriptor,
      [LOG_EVENT] = &sagbend__v1__event__descriptor,
      [LOG_END] = &sagbend__v1__log_end__descriptor,
      [LOG_CHAIN] = &sagbend__v1__chain_link__descriptor,
  };
  return (unsigned)t < LOG_TOPIC_COUNT ? descriptors[t] : NULL;
}

enum log_topic log_topic_by_name(const char *name) {
  int t = 0;
  while (t < LOG_TOPIC_COUNT && strcmp(log_topic_name((enum log_topic)t) + (*name != '/'), name) != 0)
    t++;
  return (enum log_topic)t;
}

enum log_topic log_topic_of(const struct mcap_channel *channel) {
  enum log_topic t = *channel->topic == '/' ? log_topic_by_name(channel->topic) : LOG_TOPIC_COUNT;
  int fits = t < LOG_TOPIC_COUNT && channel->schema && !strcmp(channel->schema->name, log_topic_schema(t)) &&
             !strcmp(channel->schema->encoding, "protobuf") && !strcmp(channel->message_encoding, "protobuf");
  return fits ? t : LOG_TOPIC_COUNT;
}

ProtobufCMessage *log_unpack(const struct mcap_message *m, struct reason *why) {
  enum log_topic t = log_topic_of(m->channel);
  if (t == LOG_TOPIC_COUNT) {
    fail(why, STATUS_BAD_INPUT, "topic %.64s: not one of a sagbend log", m->channel->topic);
    return NULL;
  }
  ProtobufCMessage *message = protobuf_c_message_unpack(log_descriptor(t), NULL, m->size, m->data);
  if (!message)
    fail(why, STATUS_BAD_INPUT, "topic %s: no message %s", log_topic_name(t), log_topic_schema(t));
  return message;
}

void log_free(ProtobufCMessage *m) {
  if (m)
    protobuf_c_message_free_unpacked(m, NULL);
}

// The members of a message as protobuf-c lays them out.
struct member {
  const ProtobufCFieldDescriptor *field;
  const void *values; // of the first value
  size_t count;       // 0: absent
};

static size_t size_of(ProtobufCType type) {
  switch (type) {
  case PROTOBUF_C_TYPE_INT64:
  case PROTOBUF_C_TYPE_SINT64:
  case PROTOBUF_C_TYPE_SFIXED64:
  case PROTOBUF_C_TYPE_UINT64:
  case PROTOBUF_C_TYPE_FIXED64:
  case PROTOBUF_C_TYPE_DOUBLE:
    return 8;
  case PROTOBUF_C_TYPE_STRING:
  case PROTOBUF_C_TYPE_MESSAGE:
    return sizeof(void *);
  case PROTOBUF_C_TYPE_BYTES:
    return sizeof(ProtobufCBinaryData);
  default:
    return 4;
  }
}

static struct member member_of(const ProtobufCMessage *m, const ProtobufCFieldDescriptor *f) {
  const uint8_t *base = (const uint8_t *)m;
  struct member member = {f, base + f->offset, 1};
  if (f->label == PROTOBUF_C_LABEL_REPEATED) {
    memcpy(&member.count, base + f->quantifier_offset, sizeof member.count);
    memcpy(&member.values, base + f->offset, sizeof member.values);
  } else if (f->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) {
    uint32_t which;
    memcpy(&which, base + f->quantifier_offset, sizeof which);
    member.count = which == f->id;
  } else if (f->type == PROTOBUF_C_TYPE_MESSAGE) {
    const void *child;
    memcpy(&child, member.values, sizeof child);
    member.count = child != NULL;
  }
  return member;
}

static const void *value_at(const struct member *m, size_t i) {
  return (const uint8_t *)m->values + i * size_of(m->field->type);
}

static const ProtobufCMessage *child_at(const struct member *m, size_t i) {
  const ProtobufCMessage *child;
  memcpy(&child, value_at(m, i), sizeof child);
  return child;
}

// The shortest text that reads back as the same number.
static void print_double(double v, char *out, size_t size) {
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(out, size, "%.*g", digits, v);
    if (strtod(out, NULL) == v)
      return;
  }
}

// A scalar as text: into buffer, or where it stands. quoted: JSON takes it in quotes.
static const char *scalar_text(const ProtobufCFieldDescriptor *f, const void *value, char *buffer,
                               int *quoted) {
  uint64_t u64 = 0;
  uint32_t u32 = 0;
  double real;
  char *text;
  *quoted = 0;
  memcpy(size_of(f->type) == 8 ? (void *)&u64 : (void *)&u32, value, size_of(f->type) == 8 ? 8 : 4);
  switch (f->type) {
  case PROTOBUF_C_TYPE_DOUBLE:
    memcpy(&real, value, sizeof real);
    print_double(real, buffer, NUMBER);
    break;
  case PROTOBUF_C_TYPE_UINT64:
    snprintf(buffer, NUMBER, "%" PRIu64, u64);
    break;
  case PROTOBUF_C_TYPE_FIXED64:
    *quoted = 1;
    snprintf(buffer, NUMBER, "%016" PRIx64, u64);
    break;
  case PROTOBUF_C_TYPE_BOOL:
    return u32 ? "true" : "false";
  case PROTOBUF_C_TYPE_ENUM: {
    const ProtobufCEnumValue *e = protobuf_c_enum_descriptor_get_value(f->descriptor, (int)u32);
    *quoted = e != NULL;
    snprintf(buffer, NUMBER, "%d", (int)u32);
    return e ? e->name : buffer;
  }
  case PROTOBUF_C_TYPE_STRING:
    *quoted = 1;
    memcpy(&text, value, sizeof text);
    return text ? text : "";
  case PROTOBUF_C_TYPE_BYTES: {
    ProtobufCBinaryData data;
    memcpy(&data, value, sizeof data);
    *quoted = 1;
    snprintf(buffer, NUMBER, "%zu bytes", data.len);
    break;
  }
  default: // the 32-bit kinds; the protocol has unsigned ones only
    snprintf(buffer, NUMBER, "%" PRIu32, u32);
  }
  return buffer;
}

static void print_quoted(FILE *out, const char *text) {
  fputc('"', out);
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\')
      fprintf(out, "\\%c", c);
    else if (c == '\n')
      fputs("\\n", out);
    else if (c < 0x20 || c == 0x7f)
      fprintf(out, "\\u%04x", c);
    else
      fputc(c, out);
  }
  fputc('"', out);
}

static void print_value(FILE *out, const struct member *m, size_t i) {
  char buffer[NUMBER];
  int quoted;
  if (m->field->type == PROTOBUF_C_TYPE_MESSAGE) {
    log_print_json(out, child_at(m, i));
    return;
  }
  const char *text = scalar_text(m->field, value_at(m, i), buffer, &quoted);
  if (quoted)
    print_quoted(out, text);
  else
    fputs(m->field->type == PROTOBUF_C_TYPE_DOUBLE && strpbrk(text, "ni") ? "null" : text, out);
}

void log_print_json(FILE *out, const ProtobufCMessage *m) {
  const char *before = "{";
  for (unsigned i = 0; i < m->descriptor->n_fields; i++) {
    struct member member = member_of(m, &m->descriptor->fields[i]);
    int list = member.field->label == PROTOBUF_C_LABEL_REPEATED;
    if (!member.count && !list)
      continue;
    fprintf(out, "%s\"%s\":%s", before, member.field->name, list ? "[" : "");
    before = ",";
    for (size_t k = 0; k < member.count; k++) {
      if (k)
        fputc(',', out);
      print_value(out, &member, k);
    }
    if (list)
      fputc(']', out);
  }
  fputs(*before == '{' ? "{}" : "}", out);
}

static void visit_fields(const ProtobufCMessage *m, const char *prefix,
                         void (*visit)(void *context, const char *path, const char *value), void *context) {
  for (unsigned i = 0; i < m->descriptor->n_fields; i++) {
    struct member member = member_of(m, &m->descriptor->fields[i]);
    for (size_t k = 0; k < member.count; k++) {
      char path[PATH], buffer[NUMBER];
      int list = member.field->label == PROTOBUF_C_LABEL_REPEATED, quoted;
      int used = snprintf(path, sizeof path, "%s%s", prefix, member.field->name);
      if (list)
        snprintf(path + used, sizeof path - (size_t)used, "[%zu]", k);
      if (member.field->type == PROTOBUF_C_TYPE_MESSAGE) {
        strncat(path, ".", sizeof path - strlen(path) - 1);
        visit_fields(child_at(&member, k), path, visit, context);
      } else {
        visit(context, path, scalar_text(member.field, value_at(&member, k), buffer, &quoted));
      }
    }
  }
}

void log_each_field(const ProtobufCMessage *m,
                    void (*visit)(void *context, const char *path, const char *value), void *context) {
  visit_fields(m, "", visit, context);
}

// The field that a path begins with, with its index ("[3]", or 0) and what is left after it; NULL: no such
// field.
static const ProtobufCFieldDescriptor *first_step(const ProtobufCMessageDescriptor *d, const char *path,
                                                  size_t *index, const char **rest) {
  size_t length = strcspn(path, ".[");
  const char *end = path + length;
  char name[NUMBER];
  if (length >= sizeof name)
    return NULL;
  memcpy(name, path, length);
  name[length] = 0;
  const ProtobufCFieldDescriptor *f = protobuf_c_message_descriptor_get_field_by_name(d, name);
  int list = f && f->label == PROTOBUF_C_LABEL_REPEATED;
  *index = 0;
  if (!f || list != (*end == '['))
    return NULL;
  if (list) {
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
  return (f->type == PROTOBUF_C_TYPE_MESSAGE) == (**rest != 0) ? f : NULL;
}

int log_path_is_valid(const ProtobufCMessageDescriptor *d, const char *path) {
  while (*path) {
    size_t index;
    const ProtobufCFieldDescriptor *f = first_step(d, path, &index, &path);
    if (!f)
      return 0;
    if (f->type != PROTOBUF_C_TYPE_MESSAGE)
      return 1;
    d = f->descriptor;
  }
  return 0;
}

const char *log_field(const ProtobufCMessage *m, const char *path, char number[LOG_NUMBER_SIZE]) {
  for (;;) {
    size_t index;
    const ProtobufCFieldDescriptor *f = first_step(m->descriptor, path, &index, &path);
    struct member member = f ? member_of(m, f) : (struct member){0};
    int quoted;
    if (index >= member.count)
      return NULL;
    if (f->type != PROTOBUF_C_TYPE_MESSAGE)
      return scalar_text(f, value_at(&member, index), number, &quoted);
    m = child_at(&member, index);
  }
}

static void add_paths(const ProtobufCMessageDescriptor *d, const char *prefix, int depth, char *out,
                      size_t size) {
  for (unsigned i = 0; i < d->n_fields && depth < DEEPEST; i++) {
    const ProtobufCFieldDescriptor *f = &d->fields[i];
    char path[PATH];
    size_t used = strlen(out);
    int length =
        snprintf(path, sizeof path, "%s%s%s", prefix, f->name, f->type == PROTOBUF_C_TYPE_MESSAGE ? "." : "");
    if (f->label == PROTOBUF_C_LABEL_REPEATED || length >= PATH)
      continue;
    if (f->type == PROTOBUF_C_TYPE_MESSAGE)
      add_paths(f->descriptor, path, depth + 1, out, size);
    else
      snprintf(out + used, size - used, "%s%s", used ? "," : "", path);
  }
}

void log_paths(const ProtobufCMessageDescriptor *d, char *out, size_t size) {
  *out = 0;
  add_paths(d, "", 0, out, size);
}
