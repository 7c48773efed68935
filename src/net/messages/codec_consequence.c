// Consequence: what a controller's consequence analysis says, in Command, ControllerView and log.
#include "net/messages/message_parts.h"

#include <stdio.h>
#include <string.h>

static const double LARGEST = 1e9;

Sagbend__V1__Consequence *wire_fill_consequence(const struct consequence_report *report,
                                                const struct consequence_list *list,
                                                struct consequence_message *out) {
  sagbend__v1__consequence__init(&out->message);
  out->message.known = report->known != 0;
  out->message.alarm = report->alarm != 0;
  out->message.margin = report->margin;
  out->message.failure = text_of(report->failure);
  out->message.unsolved = report->unsolved;
  out->message.failures = out->failures;
  for (int i = 0; list && i < list->count; i++) {
    out->failures[i] = &out->failure[i];
    sagbend__v1__consequence_failure__init(&out->failure[i]);
    out->failure[i].name = text_of(list->failure[i].name);
    out->failure[i].margin = list->failure[i].margin;
    out->failure[i].alarm = list->failure[i].alarm != 0;
    out->message.n_failures++;
  }
  return report->given ? &out->message : NULL;
}

static int is_margin(double margin) {
  return margin >= 0 && margin <= LARGEST;
}

static int copy_name(char out[CONSEQUENCE_NAME], const char *text) {
  return snprintf(out, CONSEQUENCE_NAME, "%s", text) < CONSEQUENCE_NAME;
}

enum status wire_read_consequence(const Sagbend__V1__Consequence *message, struct consequence_report *out,
                                  struct consequence_list *list, struct reason *why) {
  memset(out, 0, sizeof *out);
  if (!message)
    return STATUS_OK;
  out->given = 1;
  out->known = message->known;
  out->alarm = message->alarm;
  out->margin = message->margin;
  out->unsolved = message->unsolved;
  if (!message->known && (message->alarm || message->margin != 0 || *message->failure || message->n_failures))
    return fail(why, STATUS_BAD_INPUT, "consequence: nothing beside known expected where known is false");
  if (!is_margin(message->margin))
    return fail(why, STATUS_BAD_INPUT, "consequence.margin: a number from 0 to 1e9 expected, got %g",
                message->margin);
  if (!copy_name(out->failure, message->failure))
    return fail(why, STATUS_BAD_INPUT, "consequence.failure: at most 31 characters expected");
  if (!list && message->n_failures > 0)
    return fail(why, STATUS_BAD_INPUT,
                "consequence.failures: none expected in a Command, only in a ControllerView");
  if (message->n_failures > MAX_CONSEQUENCE_VIEWS)
    return fail(why, STATUS_BAD_INPUT, "consequence.failures: at most %d expected, got %zu",
                MAX_CONSEQUENCE_VIEWS, message->n_failures);
  for (size_t i = 0; i < message->n_failures; i++) {
    const Sagbend__V1__ConsequenceFailure *from = message->failures[i];
    struct consequence_failure_view *failure = &list->failure[list->count++];
    if (!*from->name || !copy_name(failure->name, from->name))
      return fail(why, STATUS_BAD_INPUT,
                  "consequence.failures: a name of 1 to 31 characters expected in each");
    if (!is_margin(from->margin))
      return fail(why, STATUS_BAD_INPUT,
                  "consequence.failures: %s: margin: a number from 0 to 1e9 expected, got %g", failure->name,
                  from->margin);
    failure->margin = from->margin;
    failure->alarm = from->alarm;
  }
  return STATUS_OK;
}
