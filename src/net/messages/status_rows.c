#include "net/messages/status_rows.h"

#define COUNTER                         "counter"
#define GAUGE                           "gauge"
#define STATUS(line, field, unit, text) {STATUS_OF_STATUS, line, field, unit, text, "", "", ""},
#define MEASURED(line, field, unit, text, type, name, help)                                                  \
  {STATUS_OF_STATUS, line, field, unit, text, type, name, help},
#define METRIC(message, field, type, name, help) {STATUS_OF_##message, "", field, "", "", type, name, help},

const struct status_row STATUS_ROWS[] = {
#include "sagbend/rig/status.inc"
};
const int STATUS_ROW_COUNT = sizeof STATUS_ROWS / sizeof *STATUS_ROWS;
