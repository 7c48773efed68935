#include "net/messages/messages.h"
#include "net/messages/messages_internal.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double DEG_PER_RAD = 180 / 3.14159265358979323846;

// Numbers whose 0 means that there is none (proto/sagbend/v1).
static const char *const NONE_AT_ZERO[][2] = {{"Status", "rate"},
                                              {"Status", "duration_s"},
                                              {"Track", "speed_mps"},
                                              {"LogStatus", "replayable_to_step"}};

static int is_none(const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field,
                   const struct message_value *value) {
  if (value->kind == VALUE_TEXT)
    return !*value->text;
  for (size_t i = 0; i < sizeof NONE_AT_ZERO / sizeof *NONE_AT_ZERO; i++)
    if (!strcmp(message->descriptor->short_name, NONE_AT_ZERO[i][0]) &&
        !strcmp(field->name, NONE_AT_ZERO[i][1]))
      return value->number == 0;
  return value->kind == VALUE_NONE;
}

static cJSON *json_of(const struct message_value *value, double factor) {
  cJSON *object;
  switch (value->kind) {
  case VALUE_NUMBER:
  case VALUE_COUNT:
    return cJSON_CreateNumber(factor * value->number);
  case VALUE_FLAG:
    return cJSON_CreateBool(value->count != 0);
  case VALUE_TEXT:
    return cJSON_CreateString(value->text);
  case VALUE_MESSAGE:
    object = cJSON_CreateObject();
    json_add_message(object, value->message, NULL);
    return object;
  default:
    return cJSON_CreateNull();
  }
}

// The name of a field as a key, and the factor of its numbers.
static double key_of(const ProtobufCFieldDescriptor *field, char *key, size_t size) {
  static const char *const angles[][2] = {{"_rad", "_deg"}, {"_radps", "_degps"}};
  size_t length = strlen(field->name);
  snprintf(key, size, "%s", field->name);
  for (size_t i = 0; i < 2; i++) {
    size_t end = strlen(angles[i][0]);
    if (length <= end || strcmp(field->name + length - end, angles[i][0]) != 0)
      continue;
    snprintf(key, size, "%.*s%s", (int)(length - end), field->name, angles[i][1]);
    return DEG_PER_RAD;
  }
  return 1;
}

static void add_field(cJSON *to, const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field) {
  char key[64];
  struct message_value value = {.kind = VALUE_NONE};
  size_t count = message_item_count(message, field);
  double factor = key_of(field, key, sizeof key);
  if (field->label == PROTOBUF_C_LABEL_REPEATED) {
    cJSON *list = cJSON_AddArrayToObject(to, key);
    for (size_t i = 0; i < count; i++) {
      message_item(message, field, i, &value);
      cJSON_AddItemToArray(list, json_of(&value, factor));
    }
    return;
  }
  if (count)
    message_item(message, field, 0, &value);
  cJSON_AddItemToObject(to, key,
                        is_none(message, field, &value) ? cJSON_CreateNull() : json_of(&value, factor));
}

void json_add_message(cJSON *to, const ProtobufCMessage *message, const char *const *left_out) {
  for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
    const ProtobufCFieldDescriptor *field = message->descriptor->fields + i;
    const char *const *out = left_out;
    while (out && *out && strcmp(*out, field->name) != 0)
      out++;
    if (!out || !*out)
      add_field(to, message, field);
  }
}

// ------------------------------------------------------------
static const double UNDEFINED = NAN;

int wire_station_of(const Sagbend__V1__Truth *t, double pose[3]) {
  const Sagbend__V1__RoutePosition *route = t->target && t->target->order ? NULL : t->route;
  if (route)
    pose[0] = route->north_m, pose[1] = route->east_m, pose[2] = route->heading_rad;
  else if (t->target)
    pose[0] = t->target->north_m, pose[1] = t->target->east_m, pose[2] = t->target->heading_rad;
  return route || t->target;
}

// The part of a message at a path such as "Truth.pipe"; NULL: absent, or of another message.
static const ProtobufCMessage *part_at(const ProtobufCMessage *message, const char *path, int *is_of_it) {
  size_t size = strcspn(path, ".");
  struct message_value value;
  *is_of_it = size == strlen(message->descriptor->short_name) &&
              !strncmp(path, message->descriptor->short_name, size);
  if (!*is_of_it || !path[size])
    return *is_of_it ? message : NULL;
  message_find(message, path + size + 1, &value);
  return value.kind == VALUE_MESSAGE ? value.message : NULL;
}

static void take_fields(const ProtobufCMessage *message, double values[QUANTITY_COUNT]) {
  for (int m = MESSAGE_NONE + 1; m < QUANTITY_MESSAGE_COUNT; m++) {
    int is_of_it;
    const ProtobufCMessage *part =
        part_at(message, quantity_message_path((enum quantity_message)m), &is_of_it);
    if (is_of_it)
      wire_read_quantities(part, (enum quantity_message)m, values);
  }
}

// Attitude and motion, which Sensors contain only where they are exact.
static void take_pose(const Sagbend__V1__Truth *t, double v[QUANTITY_COUNT]) {
  double w = t->quaternion_w, x = t->quaternion_x, y = t->quaternion_y, z = t->quaternion_z;
  double roll = atan2(2 * (y * z + w * x), 1 - 2 * (x * x + y * y));
  double pitch = asin(fmax(-1, fmin(1, 2 * (w * y - x * z))));
  double heading = atan2(2 * (x * y + w * z), 1 - 2 * (y * y + z * z));
  double turn = t->body_rate_pitch_radps * sin(roll) + t->body_rate_yaw_radps * cos(roll);
  const double r[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                          {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                          {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
  double *velocity = &v[QUANTITY_VELOCITY_NORTH];
  _Static_assert(QUANTITY_VELOCITY_DOWN == QUANTITY_VELOCITY_NORTH + 2, "north, east, down");
  v[QUANTITY_ROLL] = roll;
  v[QUANTITY_PITCH] = pitch;
  v[QUANTITY_HEADING] = heading;
  v[QUANTITY_ROLL_RATE] = t->body_rate_roll_radps + turn * tan(pitch);
  v[QUANTITY_PITCH_RATE] = t->body_rate_pitch_radps * cos(roll) - t->body_rate_yaw_radps * sin(roll);
  v[QUANTITY_HEADING_RATE] = turn / cos(pitch);
  for (int i = 0; i < 3; i++)
    velocity[i] = r[i][0] * t->surge_mps + r[i][1] * t->sway_mps + r[i][2] * t->heave_mps;
  v[QUANTITY_SPEED] = hypot(velocity[0], velocity[1]);
  v[QUANTITY_OFFSET] = v[QUANTITY_HEADING_ERROR] = UNDEFINED;
  double pose[3];
  if (wire_station_of(t, pose)) {
    double apart = heading - pose[2];
    v[QUANTITY_OFFSET] = hypot(t->position_north_m - pose[0], t->position_east_m - pose[1]);
    v[QUANTITY_HEADING_ERROR] = atan2(sin(apart), cos(apart));
  }
}

static void take_pipe(const Sagbend__V1__PipeTruth *pipe, double v[QUANTITY_COUNT]) {
  const Sagbend__V1__TensionerState *tensioner = pipe ? pipe->tensioner : NULL;
  const Sagbend__V1__OperationState *operation = pipe ? pipe->operation : NULL;
  if (!pipe || pipe->hangoff_tension_n != 0) { // 0 in logs of older programs
    v[QUANTITY_HANGOFF_TENSION] = pipe ? pipe->hangoff_tension_n : UNDEFINED;
    v[QUANTITY_CURVATURE] = pipe ? pipe->max_curvature_1pm : UNDEFINED;
  }
  v[QUANTITY_TENSIONER_MODE] =
      tensioner ? (double)tensioner->mode - 1 : UNDEFINED; // 0 of the message: unspecified
  v[QUANTITY_TENSIONER_SOURCE] = tensioner ? (double)tensioner->source - 1 : UNDEFINED;
  v[QUANTITY_TENSIONER_TENSION] = tensioner ? tensioner->tension_set_n : UNDEFINED;
  v[QUANTITY_TENSIONER_SPEED] = tensioner ? tensioner->speed_set_mps : UNDEFINED;
  v[QUANTITY_TENSIONER_FORCE] = tensioner ? tensioner->force_n : UNDEFINED;
  v[QUANTITY_OPERATION] = operation ? operation->number : UNDEFINED;
  v[QUANTITY_OPERATION_TIME] = operation ? operation->since_s : UNDEFINED;
  v[QUANTITY_OPERATION_PROGRESS] = operation ? operation->progress : UNDEFINED;
  v[QUANTITY_OPERATION_OVERDUE] = operation ? operation->overdue : UNDEFINED;
}

static void take_machinery(const Sagbend__V1__Truth *t, double v[QUANTITY_COUNT]) {
  int running = 0, limited = 0, dark = 0;
  double used_w = 0;
  for (size_t i = 0; i < t->n_thruster; i++)
    running += t->thruster[i]->running;
  for (size_t i = 0; i < t->n_bus; i++) {
    used_w += t->bus[i]->used_w;
    limited += t->bus[i]->limited;
    dark += !t->bus[i]->closed;
  }
  v[QUANTITY_RUNNING] = t->n_thruster ? running : UNDEFINED;
  v[QUANTITY_POWER] = t->n_bus ? used_w : UNDEFINED;
  v[QUANTITY_LIMITED] = t->n_bus ? limited : UNDEFINED;
  v[QUANTITY_DARK] = t->n_bus ? dark : UNDEFINED;
}

static void take_command(const Sagbend__V1__Sensors *s, double v[QUANTITY_COUNT]) {
  const Sagbend__V1__Header *header = s->header;
  v[QUANTITY_COMMAND_STATE] = s->command_state ? (double)s->command_state - 1 : UNDEFINED;
  if (header && header->step && header->step >= s->command_based_on_step)
    v[QUANTITY_COMMAND_AGE] =
        (double)(header->step - s->command_based_on_step) * header->time_s / (double)header->step;
}

// Between the last node in contact and the next, where the penetration is zero.
static void take_nodes(const Sagbend__V1__Nodes *n, double v[QUANTITY_COUNT]) {
  size_t last = n->n_north_m, i = n->n_penetration_m;
  while (i > 0 && !(n->penetration_m[i - 1] > 0))
    i--;
  v[QUANTITY_TOUCHDOWN_NORTH] = v[QUANTITY_TOUCHDOWN_EAST] = v[QUANTITY_TOUCHDOWN_DOWN] =
      v[QUANTITY_LAYBACK] = UNDEFINED;
  if (!i || i >= last || n->n_penetration_m != last || n->n_east_m != last || n->n_down_m != last)
    return;
  double here = n->penetration_m[i - 1], share = here / fmax(here - n->penetration_m[i], 1e-12);
  v[QUANTITY_TOUCHDOWN_NORTH] = n->north_m[i - 1] + share * (n->north_m[i] - n->north_m[i - 1]);
  v[QUANTITY_TOUCHDOWN_EAST] = n->east_m[i - 1] + share * (n->east_m[i] - n->east_m[i - 1]);
  v[QUANTITY_TOUCHDOWN_DOWN] = n->down_m[i - 1] + share * (n->down_m[i] - n->down_m[i - 1]);
  v[QUANTITY_LAYBACK] = hypot(n->north_m[last - 1] - v[QUANTITY_TOUCHDOWN_NORTH],
                              n->east_m[last - 1] - v[QUANTITY_TOUCHDOWN_EAST]);
}

void quantities_of_message(const ProtobufCMessage *message, double values[QUANTITY_COUNT]) {
  const void *whole = message;
  if (message->descriptor == &sagbend__v1__sensors__descriptor) {
    const Sagbend__V1__Sensors *sensors = whole;
    if (!sensors->instruments)
      take_fields(message, values);
    take_command(sensors, values);
  } else if (message->descriptor == &sagbend__v1__truth__descriptor) {
    const Sagbend__V1__Truth *truth = whole;
    take_fields(message, values);
    take_pose(truth, values);
    take_pipe(truth->pipe, values);
    take_machinery(truth, values);
  } else if (message->descriptor == &sagbend__v1__nodes__descriptor) {
    take_nodes(whole, values);
  } else if (message->descriptor == &sagbend__v1__ledger__descriptor ||
             message->descriptor == &sagbend__v1__timing__descriptor) {
    take_fields(message, values);
    if (message->descriptor == &sagbend__v1__timing__descriptor)
      values[QUANTITY_LATE_OR_LOST] = values[QUANTITY_LATE_STEPS] + values[QUANTITY_LOST_PERIODS];
  }
}

// ------------------------------------------------------------
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
