// The rows of sagbend/rig/status.inc.
#pragma once

#include <protobuf-c/protobuf-c.h>

enum status_message_kind { STATUS_OF_STATUS, STATUS_OF_TIMING, STATUS_OF_TRUTH, STATUS_OF_LEDGER };

struct status_row {
  enum status_message_kind message;
  const char *line;        // of the text; "": none
  const char *field;       // path in the message
  const char *unit;        // of the text
  const char *text;        // phrase; "": none
  const char *type;        // of the metric: "counter", "gauge"; "": no metric
  const char *name, *help; // of the metric
};
extern const struct status_row STATUS_ROWS[];
extern const int STATUS_ROW_COUNT;
