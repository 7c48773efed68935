// Numbers in messages for people.
#pragma once

#include "sagbend/base/nonblocking.h"

struct number_text {
  char text[32]; // terminated by a zero
};

// Decimal text of x with the fewest significant digits, at least 6, that read back as exactly x. A value that
// exceeds a limit by little therefore never looks like the limit.
struct number_text number_text(double x) NONBLOCKING;
