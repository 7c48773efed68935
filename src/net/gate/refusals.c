#include "net/gate/refusals.h"

#include "net/zmtp/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
  AGAIN_AFTER_MS = 60000, // without refusals of its kind: the next is reported as the first was
  SUM_AFTER_MS = 10000,
  SUM_AFTER_AT_MOST_MS = 600000
};

static const char GOT[] = ", got "; // the text behind it is the value

static int is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Past the number that begins here, if one does: not inside a word, as in bow_tunnel_1.
static const char *skip_number(const char *at, const char *begin) {
  const char before = at > begin ? at[-1] : ' ';
  const char *digits = at + (*at == '-' || *at == '+');
  if (!is_digit(*digits) || before == '_' || before == '.' || (before >= 'a' && before <= 'z') ||
      (before >= 'A' && before <= 'Z'))
    return at;
  size_t size = strspn(digits, "0123456789.e+-");
  while (size > 1 && !is_digit(digits[size - 1])) // a full stop behind it
    size--;
  return digits + size;
}

// Whether what stands before the value that came is the same but for its numbers.
static int is_same(const char *a, const char *b) {
  const char *p = a, *q = b;
  for (;;) {
    if (!strncmp(p, GOT, strlen(GOT)) && !strncmp(q, GOT, strlen(GOT)))
      return 1;
    const char *after_p = skip_number(p, a), *after_q = skip_number(q, b);
    if ((after_p == p) != (after_q == q))
      return 0;
    if (after_p == p && *p != *q)
      return 0;
    if (after_p == p && !*p)
      return 1;
    p = after_p == p ? p + 1 : after_p;
    q = after_q == q ? q + 1 : after_q;
  }
}

static struct refused *find(struct refusals *refusals, const char *peer, enum refusal reason,
                            const char *text) {
  for (int i = 0; i < REFUSALS_KEPT; i++) {
    struct refused *entry = &refusals->entry[i];
    if (entry->count && entry->reason == reason && strcmp(entry->peer, peer) == 0 &&
        is_same(entry->text, text))
      return entry;
  }
  return NULL;
}

static struct refused *oldest(struct refusals *refusals) {
  struct refused *out = &refusals->entry[0];
  for (int i = 1; i < REFUSALS_KEPT; i++)
    out = refusals->entry[i].order < out->order ? &refusals->entry[i] : out;
  return out;
}

int refusals_keep(struct refusals *refusals, const char *peer, enum refusal reason, const char *text) {
  char kept_peer[REFUSED_PEER], kept_text[REFUSED_TEXT]; // as the entries have them: cut
  snprintf(kept_peer, sizeof kept_peer, "%s", peer);
  snprintf(kept_text, sizeof kept_text, "%s", text);
  int64_t now_ms = clock_ms();
  struct refused *entry = find(refusals, kept_peer, reason, kept_text);
  int is_first = !entry || now_ms - entry->newest_ms > AGAIN_AFTER_MS;
  if (!entry) {
    entry = oldest(refusals);
    entry->count = 0;
    entry->reason = reason;
    memcpy(entry->peer, kept_peer, sizeof kept_peer);
  }
  memcpy(entry->text, kept_text, sizeof kept_text);
  entry->count++;
  entry->order = ++refusals->count;
  entry->newest_ms = now_ms;
  return is_first;
}

const struct refused *refusals_newest(const struct refusals *refusals, int index) {
  const struct refused *out = NULL;
  uint64_t below = UINT64_MAX;
  for (int k = 0; k <= index; k++) {
    out = NULL;
    for (int i = 0; i < REFUSALS_KEPT; i++) {
      const struct refused *entry = &refusals->entry[i];
      if (entry->count && entry->order < below && (!out || entry->order > out->order))
        out = entry;
    }
    if (!out)
      return NULL;
    below = out->order;
  }
  return out;
}

void refusals_leave(struct refusals *refusals, enum refusal reason) {
  if (!refusals->unreported_in_all++) {
    int64_t now_ms = clock_ms(), after_ms = 2 * refusals->sum_after_ms;
    if (!after_ms || now_ms - refusals->sum_ms > after_ms) // the flood before has ended
      after_ms = SUM_AFTER_MS;
    refusals->sum_after_ms = after_ms > SUM_AFTER_AT_MOST_MS ? SUM_AFTER_AT_MOST_MS : after_ms;
    refusals->sum_ms = now_ms + refusals->sum_after_ms;
  }
  refusals->unreported[reason]++;
}

int refusals_sum(struct refusals *refusals, char *text, int size) {
  if (!refusals->unreported_in_all || clock_ms() < refusals->sum_ms)
    return 0;
  int used = snprintf(text, (size_t)size,
                      "%" PRIu64 " more in %" PRId64 " s, %" PRIu64 " in all:", refusals->unreported_in_all,
                      refusals->sum_after_ms / 1000, refusals->count);
  for (int i = 0; i < REFUSAL_COUNT; i++)
    if (refusals->unreported[i] && used < size)
      used += snprintf(text + used, (size_t)(size - used), " %s %" PRIu64, refusal_name((enum refusal)i),
                       refusals->unreported[i]);
  memset(refusals->unreported, 0, sizeof refusals->unreported);
  refusals->unreported_in_all = 0;
  return 1;
}
