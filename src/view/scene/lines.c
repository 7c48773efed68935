// /log: events with their levels.
#include "view/scene/event_grade.h"
#include "view/scene/scene_internal.h"
#include "view/scene/time_of.h"

#include "foxglove/log.pb-c.h"

#include <stdio.h>
#include <string.h>

static Foxglove__Log__Level level_of(const char *name) {
  static const Foxglove__Log__Level LEVELS[] = {[GRADE_INFORMATION] = FOXGLOVE__LOG__LEVEL__INFO,
                                                [GRADE_WARNING] = FOXGLOVE__LOG__LEVEL__WARNING,
                                                [GRADE_ERROR] = FOXGLOVE__LOG__LEVEL__ERROR};
  return LEVELS[event_grade_of(name)];
}

void scene_send_line(const struct scene_out *out, const char *name, const char *text) {
  Google__Protobuf__Timestamp time = scene_time(out->time_ns);
  Foxglove__Log line = FOXGLOVE__LOG__INIT;
  char message[2 * WIRE_MAX_TEXT + 4], writer[] = "sagbend";
  snprintf(message, sizeof message, "%s%s%s", name, *text ? ": " : "", text);
  line.timestamp = &time;
  line.level = level_of(name);
  line.message = message;
  line.name = writer;
  scene_send(out, SCENE_LOG, &line.base);
}
