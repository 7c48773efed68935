#include "view/server/past.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUERY = 512 };

struct question {
  char text[QUERY]; // of the names
  const char *names[TRENDS_NAMES];
  int count;
  double after_s;
};

static enum status bad(struct reason *why) {
  return fail(why, STATUS_BAD_INPUT, "names=NAME,... and after=SECONDS expected, at most %d names",
              TRENDS_NAMES);
}

static enum status take_names(char *list, struct question *q, struct reason *why) {
  char *rest = NULL;
  for (char *name = strtok_r(list, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
    if (q->count == TRENDS_NAMES)
      return bad(why);
    q->names[q->count++] = name;
  }
  return STATUS_OK;
}

static enum status read_question(const char *query, struct question *q, struct reason *why) {
  char *rest = NULL, *end;
  *q = (struct question){.after_s = -INFINITY};
  if (snprintf(q->text, sizeof q->text, "%s", query) >= (int)sizeof q->text)
    return bad(why);
  for (char *part = strtok_r(q->text, "&", &rest); part; part = strtok_r(NULL, "&", &rest)) {
    if (!strncmp(part, "names=", 6)) {
      if (take_names(part + 6, q, why) != STATUS_OK)
        return STATUS_BAD_INPUT;
    } else if (!strncmp(part, "after=", 6)) {
      q->after_s = strtod(part + 6, &end);
      if (end == part + 6 || *end || isnan(q->after_s))
        return bad(why);
    } else {
      return bad(why);
    }
  }
  return q->count ? STATUS_OK : bad(why);
}

static enum status answer_envelope(const struct past *past, const char *query, char **out,
                                   struct reason *why) {
  double at_s = INFINITY;
  char *end = NULL;
  if (*query && strncmp(query, "at=", 3) == 0)
    at_s = strtod(query + 3, &end);
  if (*query && (!end || end == query + 3 || *end || isnan(at_s)))
    return fail(why, STATUS_BAD_INPUT, "at=SECONDS expected");
  *out = envelope_write(past->envelope, at_s);
  return *out ? STATUS_OK : fail(why, STATUS_NO_MEMORY, "out of memory");
}

enum status past_answer(const struct past *past, const char *path, const char *query, char **out,
                        struct reason *why) {
  struct question question;
  if (!strcmp(path, "envelope"))
    return answer_envelope(past, query, out, why);
  if (!strcmp(path, "quantities")) {
    *out = trends_list(past->trends);
    return *out ? STATUS_OK : fail(why, STATUS_NO_MEMORY, "out of memory");
  }
  if (strcmp(path, "history") != 0)
    return STATUS_OK;
  enum status status = read_question(query, &question, why);
  return status == STATUS_OK
             ? trends_write(past->trends, question.names, question.count, question.after_s, out, why)
             : status;
}

enum status past_open(struct past *past, int is_log, struct reason *why) {
  *past = (struct past){trends_create(is_log), envelope_create(is_log)};
  return past->trends && past->envelope ? STATUS_OK : fail(why, STATUS_NO_MEMORY, "out of memory");
}

void past_close(struct past *past) {
  trends_free(past->trends);
  envelope_free(past->envelope);
}

void past_begin_session(struct past *past) {
  trends_begin_session(past->trends);
  envelope_begin_session(past->envelope);
}

void past_take(struct past *past, const char *type, const void *data, size_t size, uint64_t time_ns) {
  trends_take(past->trends, type, data, size, time_ns);
  envelope_take(past->envelope, type, data, size, time_ns);
}
