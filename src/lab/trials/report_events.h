// The events of a failure (failures.h), as the report shows them.
#pragma once

#include <stddef.h>

enum { EVENT_TEXT = 96, EVENT_PARAMETERS = 6 };

struct report_event {
  char name[EVENT_TEXT], fault[EVENT_TEXT], target[EVENT_TEXT]; // target "": none
  double at_s, duration_s;
  struct {
    char key[EVENT_TEXT], value[EVENT_TEXT];
  } more[EVENT_PARAMETERS];
  int more_count;
};

// Takes the next event off the text. Returns 0 at its end.
int report_event_next(const char **events, struct report_event *out);

// "a bias that grows with time is added to a channel (rate_per_s 0.099, channel 0), from 120 s to 220 s"
// The equipment is not part of it.
void report_event_sentence(const struct report_event *e, char *out, size_t size);
