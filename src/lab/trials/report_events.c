#include "lab/trials/report_events.h"

#include "sagbend/rig/fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Copies the text up to one of the ends, without quotes around it, and returns where it stopped.
static const char *take(const char *at, const char *ends, char out[EVENT_TEXT]) {
  size_t size;
  at += strspn(at, " ");
  if (*at == '\'') {
    size = strcspn(++at, "'");
    snprintf(out, EVENT_TEXT, "%.*s", (int)size, at);
    return at + size + (at[size] != '\0');
  }
  size = strcspn(at, ends);
  snprintf(out, EVENT_TEXT, "%.*s", (int)size, at);
  return at + size;
}

static void set(struct report_event *e, const char *key, const char *value) {
  if (!strcmp(key, "name"))
    snprintf(e->name, sizeof e->name, "%s", value);
  else if (!strcmp(key, "fault"))
    snprintf(e->fault, sizeof e->fault, "%s", value);
  else if (!strcmp(key, "target"))
    snprintf(e->target, sizeof e->target, "%s", value);
  else if (!strcmp(key, "at_s"))
    e->at_s = strtod(value, NULL);
  else if (!strcmp(key, "duration_s"))
    e->duration_s = strtod(value, NULL);
  else if (e->more_count < EVENT_PARAMETERS) {
    snprintf(e->more[e->more_count].key, EVENT_TEXT, "%s", key);
    snprintf(e->more[e->more_count++].value, EVENT_TEXT, "%s", value);
  }
}

int report_event_next(const char **events, struct report_event *out) {
  const char *at = strchr(*events, '{');
  char key[EVENT_TEXT], value[EVENT_TEXT];
  *out = (struct report_event){.more_count = 0};
  if (!at)
    return 0;
  for (at++; *at && *at != '}'; at += strspn(at, ", ")) {
    at = take(at, ":}", key);
    at = take(at + (*at == ':'), ",}", value);
    set(out, key, value);
  }
  *events = at;
  return 1;
}

void report_event_sentence(const struct report_event *e, char *out, size_t size) {
  enum fault_kind fault = fault_by_name(e->fault);
  size_t used = (size_t)snprintf(out, size, "%s", fault == FAULT_COUNT ? e->fault : fault_help(fault));
  for (int i = 0; i < e->more_count && used < size; i++) {
    char *end;
    double value = strtod(e->more[i].value, &end);
    used += (size_t)snprintf(out + used, size - used, "%s%s ", i ? ", " : " (", e->more[i].key);
    if (used < size && !*end)
      used += (size_t)snprintf(out + used, size - used, "%.3g", value);
    else if (used < size)
      used += (size_t)snprintf(out + used, size - used, "%s", e->more[i].value);
  }
  if (used < size)
    snprintf(out + used, size - used, "%s, from %.6g s to %.6g s", e->more_count ? ")" : "", e->at_s,
             e->at_s + e->duration_s);
}
