#include "sagbend/base/status.h"

#include "sagbend/base/shown_text.h"

#include <stdarg.h>
#include <stdio.h>

const char *status_text(enum status status) {
  static const char *const texts[] = {
#define X(name, text) text,
      STATUS_TABLE(X)
#undef X
  };
  return (unsigned)status < STATUS_COUNT ? texts[status] : "unknown status";
}

enum status fail(struct reason *why, enum status status, const char *format, ...) {
  if (why) {
    va_list args;
    va_start(args, format);
    char text[sizeof why->text]; // may contain names from outside
    NONBLOCKING_EXEMPT(vsnprintf(text, sizeof text, format, args));
    text_show(text, why->text, sizeof why->text);
    va_end(args);
  }
  return status;
}
