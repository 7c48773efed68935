// Output quantities in messages: the fields that the rows of sagbend/rig/quantities.inc name. A row whose
// field does not exist, or has a type that cannot hold it, does not compile.
#include "net/messages/messages.h"
#include "net/messages/messages_internal.h"

#include "sagbend/rig/rig.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

struct no_message {
  double none; // the field of rows that no message contains
};

// The type of each message of enum quantity_message.
#define TYPE_NONE                                struct no_message
#define TYPE_TRUTH                               Sagbend__V1__Truth
#define TYPE_TRUTH_APPLIED_WRENCH                Sagbend__V1__BodyWrench
#define TYPE_TRUTH_THRUSTER_WRENCH               Sagbend__V1__BodyWrench
#define TYPE_TRUTH_PIPE                          Sagbend__V1__PipeTruth
#define TYPE_TRUTH_PIPE_TOUCHDOWN                Sagbend__V1__TouchdownForces
#define TYPE_TRUTH_CHECK_GOVERNING               Sagbend__V1__Utilisation
#define TYPE_TRUTH_CHECK_LOAD_CONTROLLED         Sagbend__V1__Utilisation
#define TYPE_TRUTH_CHECK_DISPLACEMENT_CONTROLLED Sagbend__V1__Utilisation
#define TYPE_TRUTH_CHECK_STRAIN                  Sagbend__V1__Utilisation
#define TYPE_TRUTH_CHECK_STRESS                  Sagbend__V1__Utilisation
#define TYPE_TRUTH_CHECK_COLLAPSE                Sagbend__V1__Utilisation
#define TYPE_TRUTH_CHECK_YIELD                   Sagbend__V1__Utilisation
#define TYPE_TRUTH_CHECK_BURST                   Sagbend__V1__Utilisation
#define TYPE_TRUTH_CHECK_PROPAGATION             Sagbend__V1__Utilisation
#define TYPE_TRUTH_CHECK                         Sagbend__V1__CodeCheck
#define TYPE_TRUTH_STINGER                       Sagbend__V1__Stinger
#define TYPE_TRUTH_SOIL                          Sagbend__V1__Soil
#define TYPE_TRUTH_FATIGUE                       Sagbend__V1__Fatigue
#define TYPE_TRUTH_WEATHER                       Sagbend__V1__Weather
#define TYPE_TRUTH_CURRENT                       Sagbend__V1__Current
#define TYPE_TRUTH_POWER_PLANT                   Sagbend__V1__PowerPlant
#define TYPE_TRUTH_ROUTE                         Sagbend__V1__RoutePosition
#define TYPE_SENSORS                             Sagbend__V1__Sensors
#define TYPE_SENSORS_PIPE                        Sagbend__V1__PipeSensors
#define TYPE_SENSORS_PIPE_TOUCHDOWN              Sagbend__V1__Touchdown
#define TYPE_LEDGER                              Sagbend__V1__Ledger
#define TYPE_LEDGER_LINK                         Sagbend__V1__LinkEnergy
#define TYPE_TIMING                              Sagbend__V1__Timing

enum number_type { NUMBER_DOUBLE, NUMBER_UINT32, NUMBER_UINT64 };
#define NUMBER_TYPE(type, field)                                                                             \
  _Generic(((type *)NULL)->field, double: NUMBER_DOUBLE, uint32_t: NUMBER_UINT32, uint64_t: NUMBER_UINT64)

static const struct {
  enum quantity_message message;
  size_t offset; // of the field in it
  enum number_type type;
} FIELDS[QUANTITY_COUNT] = {
#define QUANTITY(id, name, unit, group, message, field, value, meaning)                                      \
  {MESSAGE_##message, offsetof(TYPE_##message, field), NUMBER_TYPE(TYPE_##message, field)},
#include "sagbend/rig/quantities.inc"
};

void wire_fill_quantities(void *part, enum quantity_message message, const struct loop_view *view) {
  for (int q = 0; q < QUANTITY_COUNT; q++) {
    if (FIELDS[q].message != message)
      continue;
    double value = quantity_value((enum quantity)q, view);
    uint64_t whole = FIELDS[q].type == NUMBER_DOUBLE ? 0 : (uint64_t)value;
    uint32_t short_whole = (uint32_t)whole;
    char *field = (char *)part + FIELDS[q].offset;
    switch (FIELDS[q].type) {
    case NUMBER_DOUBLE:
      memcpy(field, &value, sizeof value);
      break;
    case NUMBER_UINT32:
      memcpy(field, &short_whole, sizeof short_whole);
      break;
    case NUMBER_UINT64:
      memcpy(field, &whole, sizeof whole);
      break;
    }
  }
}

static void wire_read_quantities(const void *part, enum quantity_message message,
                                 double values[QUANTITY_COUNT]) {
  for (int q = 0; q < QUANTITY_COUNT; q++) {
    if (FIELDS[q].message != message)
      continue;
    const char *field = part ? (const char *)part + FIELDS[q].offset : NULL;
    uint64_t whole = 0;
    uint32_t short_whole = 0;
    values[q] = NAN;
    if (!field)
      continue;
    switch (FIELDS[q].type) {
    case NUMBER_DOUBLE:
      memcpy(&values[q], field, sizeof values[q]);
      break;
    case NUMBER_UINT32:
      memcpy(&short_whole, field, sizeof short_whole);
      values[q] = short_whole;
      break;
    case NUMBER_UINT64:
      memcpy(&whole, field, sizeof whole);
      values[q] = (double)whole;
      break;
    }
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
