// Faults of the networks: what is lost, what waits, what comes twice.
#include "net/networks/networks.h"

#include "net/zmtp/zmtp.h"
#include "sagbend/math/math.h"

#include <stdlib.h>
#include <string.h>

enum { WAITING_BYTES = 4 << 20 }; // of messages that come later; what is beyond is lost

struct waiting { // in the order in which they came, each behind the one before
  struct waiting *next;
  int64_t due_ms;
  void (*deliver)(void *owner, const void *where, const void *data, size_t size);
  void *owner;
  unsigned char where[NETWORK_WHERE];
  size_t size;
  unsigned char data[];
};

struct network_faults {
  int is_cut[2]; // by direction
  double loss, delay_s, repeat, storm_hz;
};

struct networks {
  struct network_faults faults[NETWORKS];
  struct networks_counts counts[NETWORKS];
  int64_t last_due_ms[NETWORKS][2]; // of what waits, by direction
  struct random_stream random;
  struct waiting *first, **last;
  size_t waiting_bytes;
};

struct networks *networks_open(uint64_t seed) {
  struct networks *networks = calloc(1, sizeof *networks);
  if (!networks)
    return NULL;
  networks->random = random_stream_of(random_seed(seed, "networks"));
  networks->last = &networks->first;
  return networks;
}

// Takes out of the line what is due by now, or, with now_ms INT64_MAX, all; owner NULL: of every owner. The
// caller frees it. NULL: there is none.
static struct waiting *take_due(struct networks *networks, const void *owner, int64_t now_ms) {
  for (struct waiting **at = &networks->first; *at; at = &(*at)->next) {
    struct waiting *found = *at;
    if ((owner && found->owner != owner) || found->due_ms > now_ms)
      continue;
    *at = found->next;
    if (!*at)
      networks->last = at;
    networks->waiting_bytes -= found->size;
    return found;
  }
  return NULL;
}

void networks_forget(struct networks *networks, const void *owner) {
  for (struct waiting *w; networks && (w = take_due(networks, owner, INT64_MAX));)
    free(w);
}

void networks_close(struct networks *networks) {
  networks_forget(networks, NULL);
  free(networks);
}

static double value_of(const struct fault_set *faults, enum fault_kind kind, int network) {
  const struct fault *f = fault_find(faults, kind, network);
  return f ? f->value[0] : 0;
}

void networks_take_faults(struct networks *networks, const struct fault_set *faults) {
  for (int i = 0; networks && i < NETWORKS; i++) {
    const int is_cut = fault_find(faults, FAULT_NETWORK_CUT, i) != NULL;
    networks->faults[i] = (struct network_faults){
        .is_cut = {[NETWORK_OUT] = is_cut || fault_find(faults, FAULT_NETWORK_HEARS_ONLY, i),
                   [NETWORK_IN] = is_cut || fault_find(faults, FAULT_NETWORK_SENDS_ONLY, i)},
        .loss = value_of(faults, FAULT_NETWORK_LOSS, i),
        .delay_s = value_of(faults, FAULT_NETWORK_DELAY, i),
        .repeat = value_of(faults, FAULT_NETWORK_REPEAT, i),
        .storm_hz = value_of(faults, FAULT_NETWORK_STORM, i)};
  }
}

// A copy that comes later. Returns 0 if there is no room.
static int put_off(struct networks *networks, const struct network_message *message, int64_t due_ms) {
  struct waiting *w =
      networks->waiting_bytes + message->size > WAITING_BYTES ? NULL : malloc(sizeof *w + message->size);
  if (!w)
    return 0;
  w->next = NULL;
  w->due_ms = due_ms;
  w->deliver = message->deliver;
  w->owner = message->owner;
  w->size = message->size;
  memcpy(w->where, message->where, message->where_size < NETWORK_WHERE ? message->where_size : NETWORK_WHERE);
  memcpy(w->data, message->data, message->size);
  *networks->last = w;
  networks->last = &w->next;
  networks->waiting_bytes += message->size;
  return 1;
}

static int happens(struct networks *networks, double probability) {
  return probability > 0 && random_uniform(&networks->random) < probability;
}

int networks_pass(struct networks *networks, const struct network_message *message) {
  if (!networks)
    return 1;
  const struct network_faults *f = &networks->faults[message->network];
  struct networks_counts *counts = &networks->counts[message->network];
  if (f->is_cut[message->direction] || happens(networks, f->loss)) {
    counts->lost++;
    return 0;
  }
  const int times = 1 + happens(networks, f->repeat);
  counts->repeated += times > 1;
  int64_t *last_due_ms = &networks->last_due_ms[message->network][message->direction];
  const int64_t now_ms = clock_ms(), due_ms = now_ms + (int64_t)(1000 * f->delay_s);
  if (due_ms <= now_ms && *last_due_ms < now_ms)
    return times;
  *last_due_ms = due_ms > *last_due_ms ? due_ms : *last_due_ms; // none overtakes those that wait
  counts->delayed++;
  for (int i = 0; i < times; i++)
    counts->lost += !put_off(networks, message, *last_due_ms);
  return 0;
}

int networks_act(const struct networks *networks, int network) {
  if (!networks)
    return 0;
  const struct network_faults *f = &networks->faults[network];
  return networks->first || f->is_cut[0] || f->is_cut[1] || f->loss > 0 || f->delay_s > 0 || f->repeat > 0 ||
         f->storm_hz > 0;
}

void networks_deliver(struct networks *networks, const void *owner) {
  if (!networks || !networks->first)
    return;
  const int64_t now_ms = clock_ms();
  for (struct waiting *w; (w = take_due(networks, owner, now_ms)); free(w))
    w->deliver(w->owner, w->where, w->data, w->size);
}

double networks_storm_hz(const struct networks *networks, int network) {
  return networks ? networks->faults[network].storm_hz : 0;
}

struct networks_counts networks_counts(const struct networks *networks, int network) {
  return networks->counts[network];
}

int network_heard(struct network_hearing *hearing, int network, int64_t now_ms) {
  const int other = 1 - network;
  int changed = hearing->is_silent[network] ? NETWORK_IS_BACK : 0;
  hearing->heard_ms[network] = now_ms;
  hearing->behind[network] = 0;
  hearing->is_silent[network] = 0;
  hearing->behind[other]++;
  if (hearing->heard_ms[other] && hearing->behind[other] >= NETWORK_SILENT_MESSAGES &&
      !hearing->is_silent[other] && now_ms - hearing->heard_ms[other] >= NETWORK_SILENT_MS) {
    hearing->is_silent[other] = 1;
    changed += NETWORK_OTHER_LOST;
  }
  return changed;
}
