// The past of a session, which a page asks for by HTTP: /quantities,
// /history?names=offset_m,heading_deg&after=12.5 and /envelope?at=12.5.
#pragma once

#include "view/scene/envelope.h"
#include "view/scene/trends.h"

struct past {
  struct trends *trends;
  struct envelope *envelope;
};

// is_log: of a whole log. STATUS_NO_MEMORY.
enum status past_open(struct past *past, int is_log, struct reason *why);
void past_close(struct past *past);
void past_begin_session(struct past *past);
void past_take(struct past *past, const char *type, const void *data, size_t size, uint64_t time_ns);

// As struct gateway_hooks.data.
enum status past_answer(const struct past *past, const char *path, const char *query, char **out,
                        struct reason *why);
