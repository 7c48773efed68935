// The section verdicts.
#include "io/config/config_sections.h"

#include <math.h>
#include <string.h>

static const struct key_def KEYS[] = {
    {"verdicts", AS_ITEMS, .size = MAX_VERDICTS, .optional = 1,
     ITEMS_IN(config_draft, verdicts, verdict_draft, out.scenario.verdict_count),
     .doc = "Verdicts: requirements that are evaluated in every step and decide the exit status."},
    {"verdicts[].name", AS_TEXT, .size = SIGNAL_NAME, IN(verdict_draft, name),
     .doc = "Unique name of the verdict in summaries."},
    {"verdicts[].quantity", AS_WORD, .word_at = quantity_shown_name, .word_count = QUANTITY_COUNT,
     WORD_IN(verdict_draft, quantity), .doc = "Output quantity of the requirement (docs/outputs.md)."},
    {"verdicts[].within", AS_VECTOR, .size = 2, .optional = 1, IN(verdict_draft, within),
     .doc = "Smallest and largest allowed value. Exactly one of within, below and above."},
    {"verdicts[].below", AS_NUMBER, .optional = 1, IN(verdict_draft, below),
     .doc = "Largest allowed value. Exactly one of within, below and above."},
    {"verdicts[].above", AS_NUMBER, .optional = 1, IN(verdict_draft, above),
     .doc = "Smallest allowed value. Exactly one of within, below and above."},
    {"verdicts[].from_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN(verdict_draft, from_s),
     .unit = "s",
     .doc = "Simulated time from which the requirement applies. With after: time since that event began."},
    {"verdicts[].to_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN(verdict_draft, to_s),
     .unit = "s", .doc = "Simulated time until which the requirement applies. 0: to the end of the run."},
    {"verdicts[].after", AS_TEXT, .size = SIGNAL_NAME, .optional = 1, IN(verdict_draft, after),
     .doc = "Name of the event from whose beginning from_s and to_s count."},
    {"verdicts[].for_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN(verdict_draft, grace_s),
     .unit = "s", .doc = "Grace time: an excursion shorter than this is no violation."},
    {"verdicts[].expect", AS_WORD, .fallback = "held", .words = {"held", "violated"},
     WORD_IN(verdict_draft, expect_violated),
     .doc = "Expected result. held: the verdict passes if the requirement holds. violated: it passes if the "
            "requirement is violated."},
};

static int is_given(const struct check *c, int index, const char *key) {
  return given(c, key_path("verdicts.%d.%s", index, key).text) != NULL;
}

static void check_verdict(const struct check *c, int index) {
  const struct verdict_draft *verdicts = c->draft->verdicts, *verdict = &verdicts[index];
  int limits = is_given(c, index, "within") + is_given(c, index, "below") + is_given(c, index, "above");

  check_unique(c, "verdicts", index, verdicts[0].name, sizeof verdicts[0]);
  if (limits != 1)
    report_found(c, key_path("verdicts.%d", index).text, limits ? "several" : "none",
                 "exactly one of within, below and above expected");
  if (is_given(c, index, "within") && !(verdict->within[0] < verdict->within[1]))
    report_found(c, key_path("verdicts.%d.within", index).text,
                 verdict->within[0] > verdict->within[1] ? "the larger one first" : "two equal numbers",
                 "the smaller and then the larger number expected");
  if (verdict->to_s > 0 && !(verdict->to_s > verdict->from_s))
    report(c, key_path("verdicts.%d.to_s", index).text, "a time after from_s, or 0 for the end, expected");
  if (is_given(c, index, "after") &&
      find_event(c->draft, verdict->after, c->draft->out.scenario.event_count) < 0)
    report(c, key_path("verdicts.%d.after", index).text, "the name of an event expected");
  check_quantity(c, key_path("verdicts.%d.quantity", index).text, verdict->quantity);
}

static void check_verdicts(const struct check *c) {
  for (int i = 0; i < c->draft->out.scenario.verdict_count && i < MAX_VERDICTS; i++)
    if (is_item_readable(c, "verdicts", i))
      check_verdict(c, i);
}

static void resolve_verdicts(const struct check *c, struct config *out) {
  for (int i = 0; i < out->scenario.verdict_count; i++) {
    const struct verdict_draft *draft = &c->draft->verdicts[i];
    struct verdict_def *verdict = &out->scenario.verdict[i];

    *verdict = (struct verdict_def){.quantity = (enum quantity)draft->quantity,
                                    .low = -(double)INFINITY,
                                    .high = (double)INFINITY,
                                    .from_s = draft->from_s,
                                    .to_s = draft->to_s,
                                    .after = -1,
                                    .grace_s = draft->grace_s,
                                    .expect_violated = draft->expect_violated};
    memcpy(verdict->name, draft->name, sizeof verdict->name);
    if (is_given(c, i, "within")) {
      verdict->low = draft->within[0];
      verdict->high = draft->within[1];
    } else if (is_given(c, i, "above")) {
      verdict->low = draft->above;
    } else {
      verdict->high = draft->below;
    }
    if (is_given(c, i, "after"))
      verdict->after = find_event(c->draft, draft->after, out->scenario.event_count);
  }
}

static const struct key_rows ROWS = KEY_ROWS(KEYS);
static const struct key_group GROUPS[] = {{.rows = &ROWS, .prefix = ""}};
const struct config_section VERDICTS_SECTION = {GROUPS, 1, check_verdicts, resolve_verdicts};
