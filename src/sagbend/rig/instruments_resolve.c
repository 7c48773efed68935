// Names of a configuration become indices: targets of references, members of common errors.
#include "sagbend/base/words.h"
#include "sagbend/rig/instruments.h"

#include <stdio.h>
#include <string.h>

static int instrument_named(const struct instruments_def *all, const char *name) {
  for (int i = 0; i < all->count; i++)
    if (!strcmp(all->instrument[i].name, name))
      return i;
  return -1;
}

static enum status resolve_common(struct instruments_def *all, int k, char key[64], struct reason *why) {
  struct common_error_def *d = &all->common[k];
  const char *names = d->instruments;
  char word[SIGNAL_NAME];
  int first = -1;
  d->members = 0;
  snprintf(key, 64, "hil.common_errors.%d.instruments", k);
  while (words_next(&names, word, sizeof word)) {
    int i = instrument_named(all, word);
    if (i < 0)
      return fail(why, STATUS_BAD_INPUT, "names of instruments, separated by blanks, expected, got '%s'",
                  word);
    if (first >= 0 && all->instrument[i].kind != all->instrument[first].kind)
      return fail(why, STATUS_BAD_INPUT, "instruments of one kind expected, got %s, a %s, beside a %s", word,
                  instrument_name(all->instrument[i].kind), instrument_name(all->instrument[first].kind));
    first = first < 0 ? i : first;
    d->members |= 1u << i;
  }
  if (first < 0)
    return fail(why, STATUS_BAD_INPUT, "names of instruments, separated by blanks, expected, got none");
  const struct instrument_quantity *quantity =
      instrument_quantity_named(all->instrument[first].kind, d->quantity);
  snprintf(key, 64, "hil.common_errors.%d.quantity", k);
  if (!quantity)
    return fail(why, STATUS_BAD_INPUT, "a quantity of a %s expected, got '%s'",
                instrument_name(all->instrument[first].kind), d->quantity);
  d->channels = quantity->channels;
  snprintf(key, 64, "hil.common_errors.%d.markov_time_s", k);
  return d->markov > 0 && !(d->markov_time_s > 0)
             ? fail(why, STATUS_BAD_INPUT, "a time > 0 beside markov expected, got %g", d->markov_time_s)
             : STATUS_OK;
}

enum status instruments_resolve(struct instruments_def *all, char key[64], struct reason *why) {
  if (scene_resolve(&all->scene, key, why) != STATUS_OK)
    return STATUS_BAD_INPUT;
  for (int i = 0; i < all->count; i++) {
    struct instrument_def *d = &all->instrument[i];
    const char *what;
    if (reference_is(d->kind) &&
        reference_resolve(&d->reference, d->kind, &all->scene, &what, why) != STATUS_OK) {
      snprintf(key, 64, "instruments.%d.%s", i, what);
      return STATUS_BAD_INPUT;
    }
  }
  for (int k = 0; k < all->common_count; k++)
    if (resolve_common(all, k, key, why) != STATUS_OK)
      return STATUS_BAD_INPUT;
  return STATUS_OK;
}
