// Output quantities in messages: the fields that the rows of sagbend/rig/quantities.inc name. A row whose field does
// not exist, or has a type that cannot hold it, does not compile.
#include "net/messages/messages_internal.h"

#include "sagbend/rig/quantity.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

struct no_message {
  double none; // the field of rows that no message contains
};

// The type of each message of enum quantity_message.
#define TYPE_NONE                    struct no_message
#define TYPE_TRUTH                   Sagbend__V1__Truth
#define TYPE_TRUTH_APPLIED_WRENCH    Sagbend__V1__BodyWrench
#define TYPE_TRUTH_THRUSTER_WRENCH   Sagbend__V1__BodyWrench
#define TYPE_TRUTH_PIPE              Sagbend__V1__PipeTruth
#define TYPE_TRUTH_PIPE_TOUCHDOWN    Sagbend__V1__TouchdownForces
#define TYPE_TRUTH_CHECK_GOVERNING   Sagbend__V1__Utilisation
#define TYPE_TRUTH_CHECK_LCC         Sagbend__V1__Utilisation
#define TYPE_TRUTH_CHECK_DCC         Sagbend__V1__Utilisation
#define TYPE_TRUTH_CHECK_STRAIN      Sagbend__V1__Utilisation
#define TYPE_TRUTH_CHECK_STRESS      Sagbend__V1__Utilisation
#define TYPE_TRUTH_CHECK_COLLAPSE    Sagbend__V1__Utilisation
#define TYPE_TRUTH_CHECK_YIELD       Sagbend__V1__Utilisation
#define TYPE_TRUTH_CHECK_BURST       Sagbend__V1__Utilisation
#define TYPE_TRUTH_CHECK_PROPAGATION Sagbend__V1__Utilisation
#define TYPE_TRUTH_CHECK             Sagbend__V1__CodeCheck
#define TYPE_TRUTH_STINGER           Sagbend__V1__Stinger
#define TYPE_TRUTH_SOIL              Sagbend__V1__Soil
#define TYPE_TRUTH_FATIGUE           Sagbend__V1__Fatigue
#define TYPE_TRUTH_WEATHER           Sagbend__V1__Weather
#define TYPE_TRUTH_CURRENT           Sagbend__V1__Current
#define TYPE_TRUTH_POWER_PLANT       Sagbend__V1__PowerPlant
#define TYPE_TRUTH_ROUTE             Sagbend__V1__RoutePosition
#define TYPE_SENSORS                 Sagbend__V1__Sensors
#define TYPE_SENSORS_PIPE            Sagbend__V1__PipeSensors
#define TYPE_SENSORS_PIPE_TOUCHDOWN  Sagbend__V1__Touchdown
#define TYPE_LEDGER                  Sagbend__V1__Ledger
#define TYPE_LEDGER_LINK             Sagbend__V1__LinkEnergy
#define TYPE_TIMING                  Sagbend__V1__Timing

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

void wire_read_quantities(const void *part, enum quantity_message message, double values[QUANTITY_COUNT]) {
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
