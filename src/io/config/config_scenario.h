// Rows of events and verdicts. One row a key reads best.
#pragma once

#include "io/config/config_draft.h"

#define IN_EVENT(member)   .offset = offsetof(struct event_draft, member)
#define IN_VERDICT(member) .offset = offsetof(struct verdict_draft, member)
#define IS_A_NAME(id)      ((id) == PARAMETER_OF_INSTRUMENT || (id) == PARAMETER_WITH_THRUSTER)

// clang-format off
#define PARAMETER_KEY(id, key_, low_, high_, fallback_, help)                                                         \
  {"events[]." key_, IS_A_NAME(id) ? AS_TEXT : AS_NUMBER, .size = IS_A_NAME(id) ? SIGNAL_NAME : 0, .range = LIMITED, .low = low_, .high = high_, .optional = 1, \
   .offset = IS_A_NAME(id) ? offsetof(struct event_draft, parameter[id].text) : offsetof(struct event_draft, parameter[id].number), \
   .doc = "Of some faults: " help "."},

#define SCENARIO_KEYS                                                                                                 \
  {"scenario", AS_SECTION, .optional = 1, .doc = "What events and verdicts share."},                                  \
  {"scenario.seed", AS_INTEGER, .range = LIMITED, .low = 0, .high = 999999999, .fallback = "1", .offset = offsetof(struct config_draft, scenario_seed), \
   .doc = "Of the random losses and delays on the way of commands and sensors."},                                     \
  {"events", AS_ITEMS, .size = MAX_EVENTS, .optional = 1, .offset = offsetof(struct config_draft, events), .item_size = sizeof(struct event_draft), \
   .count_offset = offsetof(struct config_draft, out.scenario.event_count), .doc = "Faults that begin at a time or when a condition holds."}, \
  {"events[].name", AS_TEXT, .size = SIGNAL_NAME, IN_EVENT(name), .doc = "What messages and other events call it."},      \
  {"events[].at_s", AS_NUMBER, .range = NOT_NEGATIVE, .optional = 1, IN_EVENT(at_s), .unit = "s",                      \
   .doc = "When it begins; with after: from that event's beginning; with when: not before."},                         \
  {"events[].after", AS_TEXT, .size = SIGNAL_NAME, .optional = 1, IN_EVENT(after), .doc = "Name of an event above it in the list, whose beginning at_s counts from."}, \
  {"events[].when", AS_SECTION, .optional = 1, .doc = "A condition: it begins as soon as this holds. At least one of at_s, after and when."}, \
  {"events[].when.quantity", AS_WORD, .word_at = quantity_shown_name, .word_count = STATE_QUANTITY_COUNT, .word_offset = offsetof(struct event_draft, quantity), \
   .doc = "What is looked at in every step: docs/scenarios.md."},                                                      \
  {"events[].when.above", AS_NUMBER, .optional = 1, IN_EVENT(above), .doc = "Exactly one of above and below."},        \
  {"events[].when.below", AS_NUMBER, .optional = 1, IN_EVENT(below), .doc = "Exactly one of above and below."},        \
  {"events[].when.for_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN_EVENT(for_s), .unit = "s", .doc = "Without a break."}, \
  {"events[].duration_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN_EVENT(duration_s), .unit = "s", .doc = "0: to the end."}, \
  {"events[].fault", AS_WORD, .word_at = fault_word, .word_count = FAULT_COUNT, .word_offset = offsetof(struct event_draft, fault), \
   .doc = "Its kind: docs/scenarios.md lists them with their parameters."},                                            \
  {"events[].target", AS_TEXT, .size = SIGNAL_NAME, .optional = 1, IN_EVENT(target),                                      \
   .doc = "Name of the instrument, thruster or bus; all: each of them. Not needed for faults of commands and sensors."}, \
  FAULT_PARAMETER_TABLE(PARAMETER_KEY)                                                                                \
  {"verdicts", AS_ITEMS, .size = MAX_VERDICTS, .optional = 1, .offset = offsetof(struct config_draft, verdicts), .item_size = sizeof(struct verdict_draft), \
   .count_offset = offsetof(struct config_draft, out.scenario.verdict_count), .doc = "What must hold: judged in every step; the exit status follows."}, \
  {"verdicts[].name", AS_TEXT, .size = SIGNAL_NAME, IN_VERDICT(name), .doc = "What summaries call it."},                  \
  {"verdicts[].quantity", AS_WORD, .word_at = quantity_shown_name, .word_count = QUANTITY_COUNT, .word_offset = offsetof(struct verdict_draft, quantity), \
   .doc = "What is looked at: docs/scenarios.md."},                                                                   \
  {"verdicts[].within", AS_VECTOR, .size = 2, .optional = 1, IN_VERDICT(within), .doc = "Least and largest allowed. Exactly one of within, below and above."}, \
  {"verdicts[].below", AS_NUMBER, .optional = 1, IN_VERDICT(below), .doc = "Largest allowed."},                        \
  {"verdicts[].above", AS_NUMBER, .optional = 1, IN_VERDICT(above), .doc = "Least allowed."},                          \
  {"verdicts[].from_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN_VERDICT(from_s), .unit = "s", .doc = "Judged from here on."}, \
  {"verdicts[].to_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN_VERDICT(to_s), .unit = "s", .doc = "Up to here; 0: to the end."}, \
  {"verdicts[].after", AS_TEXT, .size = SIGNAL_NAME, .optional = 1, IN_VERDICT(after), .doc = "Name of an event, whose beginning from_s and to_s count from."}, \
  {"verdicts[].for_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN_VERDICT(grace_s), .unit = "s", .doc = "A shorter time outside is no violation."}, \
  {"verdicts[].expect", AS_WORD, .words = {"held", "violated"}, .fallback = "held", .word_offset = offsetof(struct verdict_draft, expect_violated), \
   .doc = "violated: it passes if it is violated."}
// clang-format on

const char *fault_word(int kind);

// The checks between them; resolves the names. Called by config_check, when the names of what the rig has are
// in.
void config_check_scenario(const struct node *root, struct config_draft *draft, struct error_list *errors);
