// Old names of quantities: each stays valid where it was in use.
#pragma once

#include "hil/quantity.h"

enum {
  OLD_IN_FIND = 1,    // sagbend statics --find
  OLD_IN_STATICS = 2, // JSON of sagbend statics
  OLD_IN_SUMMARY = 4, // object of the summary that contains the new name
  OLD_IN_RECORD = 8   // columns of the record, after all others
};

struct old_name {
  const char *name;
  enum quantity quantity;
  unsigned places; // OLD_IN_...
};
// The i-th old name that is valid in this place; NULL beyond the last.
const struct old_name *old_name_in(unsigned place, int i);
