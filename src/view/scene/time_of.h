// Times in Foxglove's messages.
#pragma once

#include "google/protobuf/timestamp.pb-c.h"

#include <stdint.h>

static inline Google__Protobuf__Timestamp scene_time(uint64_t time_ns) {
  Google__Protobuf__Timestamp time = GOOGLE__PROTOBUF__TIMESTAMP__INIT;
  time.seconds = (int64_t)(time_ns / 1000000000u);
  time.nanos = (int32_t)(time_ns % 1000000000u);
  return time;
}
