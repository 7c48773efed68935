// Former names of keys, outputs, faults and events.
#include "sagbend/base/base.h"

#include <stdio.h>
#include <string.h>

const struct former_name former_names[] = {
#define FORMER(kind, was, now) {FORMER_##kind, was, now},
#include "sagbend/base/former_names.inc"
#undef FORMER
};
const int former_name_count = sizeof former_names / sizeof *former_names;

const char *former_name(enum former_kind kind, const char *was) {
  for (int i = 0; i < former_name_count; i++)
    if (former_names[i].kind == kind && !strcmp(former_names[i].was, was))
      return former_names[i].now;
  return NULL;
}

const char *former_name_of(enum former_kind kind, const char *now) {
  for (int i = 0; i < former_name_count; i++)
    if (former_names[i].kind == kind && !strcmp(former_names[i].now, now))
      return former_names[i].was;
  return NULL;
}

struct former_hint former_hint(enum former_kind kind, const char *was) {
  struct former_hint hint = {""};
  const char *now = former_name(kind, was);
  if (now)
    snprintf(hint.text, sizeof hint.text, ", its present name is %s", now);
  return hint;
}

int former_parts(enum former_kind kind, const char *text, const char *separators, char *out, size_t size) {
  size_t used = 0;
  int found = 0;
  *out = '\0';
  for (const char *at = text; *at && used + 1 < size;) {
    const size_t length = strcspn(at, separators), gap = strspn(at + length, separators);
    char part[96];
    snprintf(part, sizeof part, "%.*s", (int)length, at);
    const char *now = length < sizeof part ? former_name(kind, part) : NULL;
    const int written = now ? snprintf(out + used, size - used, "%s%.*s", now, (int)gap, at + length)
                            : snprintf(out + used, size - used, "%.*s", (int)(length + gap), at);
    used += (size_t)written;
    found |= now != NULL;
    at += length + gap;
  }
  return found;
}
