// Line counts: what is new, what has come before, by which network, and from which address.
#include "net/groups/groups.h"
#include "net/groups/groups_internal.h"

#include <stdio.h>
#include <string.h>

// Lines that are remembered; old datagrams in a row that mean a new count; lines by which a network that was
// away can be ahead of the other one at most; for how long the other one is followed instead.
enum { SEEN = 64, ANEW = 4, LEAD = 250, LEAD_MS = 2000 };

// ------------------------------------------------------------
// A window of numbers.

// By how much a line is ahead of the newest one. A count that ends at 999 goes on at 1, for some at 0.
static int ahead(int newest, int line) {
  if (newest > TAG_LINE_COUNT || line > TAG_LINE_COUNT)
    return line - newest;
  if (newest == TAG_LINE_COUNT && line == 0)
    return 1;
  int steps = (line - newest) % TAG_LINE_COUNT;
  if (steps < 0)
    steps += TAG_LINE_COUNT;
  return steps > TAG_LINE_COUNT / 2 ? steps - TAG_LINE_COUNT : steps;
}

static void begin_window(struct line_window *window, int line) {
  *window = (struct line_window){.newest = line, .seen = 1};
}

enum line_order {
  LINE_AHEAD,
  LINE_AGAIN, // it came before
  LINE_BEHIND // after a later one; one that is too far behind to be remembered as well
};

// Takes a number. *lost: numbers that did not come before it; -1: it was counted as lost.
static enum line_order take_number(struct line_window *window, int line, int *lost) {
  const int steps = ahead(window->newest, line);
  *lost = 0;
  if (steps <= 0) {
    const uint64_t bit = -steps < SEEN ? UINT64_C(1) << -steps : 0;
    if (window->seen & bit)
      return LINE_AGAIN;
    *lost = window->missing & bit ? -1 : 0;
    window->seen |= bit;
    window->missing &= ~bit;
    return LINE_BEHIND;
  }
  const uint64_t between = (steps < SEEN ? UINT64_C(1) << steps : 0) - 2; // bits 1 to steps - 1
  *lost = steps - 1;
  window->newest = line;
  window->seen = steps < SEEN ? window->seen << steps | 1 : 1;
  window->missing = (steps < SEEN ? window->missing << steps : 0) | between;
  return LINE_AHEAD;
}

// ------------------------------------------------------------
// A sender as one network brings it.

// Whether the sender counts anew: old lines in several datagrams in a row go on by one. One datagram is not
// enough, because the network may double it with all its lines.
static int is_anew(const struct group_reader *reader, struct group_way *way, int line) {
  const uint64_t datagram = reader->counts.datagrams;
  if (way->old_datagrams && ahead(way->old_newest, line) != 1)
    way->old_datagrams = 0;
  if (!way->old_datagrams || way->old_datagram != datagram)
    way->old_datagrams++;
  way->old_newest = line;
  way->old_datagram = datagram;
  return way->old_datagrams >= ANEW;
}

static void add_lost(struct group_reader *reader, struct group_way *way, int network, int64_t lost) {
  way->lost += (uint64_t)lost; // wraps around with a line that comes late
  reader->network[network].lost += (uint64_t)lost;
}

// Takes a number of this network. *is_new_count: by it the sender counts anew.
static enum line_order take_on_way(struct group_reader *reader, struct group_stream *stream, int network,
                                   int line, int *is_new_count) {
  struct group_way *way = &stream->way[network];
  int lost;
  *is_new_count = 0;
  way->lines++;
  if (way->behind >= SEEN) // it was away for long; what it lost is counted
    way->window.newest = -1;
  way->behind = 0;
  if (way->window.newest < 0) {
    begin_window(&way->window, line);
    way->counts_begun = stream->counts_begun;
    return LINE_AHEAD;
  }
  if (ahead(way->window.newest, line) > 0) {
    way->old_datagrams = 0;
  } else if (is_anew(reader, way, line)) {
    begin_window(&way->window, line);
    way->old_datagrams = 0;
    way->counts_begun++;
    *is_new_count = 1;
    return LINE_AHEAD;
  }
  const enum line_order order = take_number(&way->window, line, &lost);
  add_lost(reader, way, network, lost);
  return order;
}

// A new line of the sender, which the other network has not brought: what a network that stays away loses is
// counted as soon as it is clear that it is away.
static void leave_behind(struct group_reader *reader, struct group_stream *stream, int network) {
  for (int i = 0; i < reader->networks; i++) {
    struct group_way *way = &stream->way[i];
    if (i == network)
      continue;
    way->behind++;
    if (way->behind >= SEEN)
      add_lost(reader, way, i, way->behind == SEEN ? SEEN - 1 : 1);
  }
}

// How many lines the sender has sent in LEAD_MS, of late.
static int lead_in_lines(struct group_stream *stream, int64_t now_ms) {
  if (now_ms - stream->span_ms > LEAD_MS) {
    stream->span_lines[1] = now_ms - stream->span_ms > 2 * LEAD_MS ? 0 : stream->span_lines[0];
    stream->span_lines[0] = 0;
    stream->span_ms = now_ms;
  }
  const int most =
      stream->span_lines[0] > stream->span_lines[1] ? stream->span_lines[0] : stream->span_lines[1];
  return most < SEEN ? SEEN : most > LEAD ? LEAD : most;
}

// A count of 999 does not tell lines that are late by more than half of it from new ones. While one network
// brings the sender, the other one, which begins or was away, is ahead by few lines, or late.
static int is_late_way(const struct group_reader *reader, struct group_stream *stream,
                       const struct group_moment *at, int line, int begins) {
  struct group_way *way = &stream->way[at->network];
  const int lead = lead_in_lines(stream, at->now_ms);
  if (reader->networks < NETWORKS || !(begins || way->is_late))
    return 0;
  const int64_t other_ms = stream->way[1 - at->network].heard_ms;
  way->is_late = other_ms && at->now_ms - other_ms <= LEAD_MS && ahead(stream->window.newest, line) > lead;
  return way->is_late;
}

// The same number with another sentence is no copy: two senders have one source.
static void check_copy(struct group_reader *reader, struct group_stream *stream,
                       const struct group_moment *at, uint32_t hash, uint32_t known,
                       const struct group_sink *sink) {
  if (hash == known)
    return;
  reader->counts.moved++;
  if (!stream->is_move_told)
    sink->moved(sink->context, &at->from, &stream->way[1 - at->network].from, stream->source);
  stream->is_move_told = 1;
}

int group_line_take(struct group_reader *reader, struct group_stream *stream, const struct group_moment *at,
                    int line, uint32_t hash, const struct group_sink *sink) {
  int is_new_count, lost;
  const int begins = stream->way[at->network].window.newest < 0 || stream->way[at->network].behind >= SEEN;
  uint32_t *known = &stream->hash[line % GROUP_HASHES];
  reader->counts.lines++;
  stream->lines++;
  const enum line_order on_way = take_on_way(reader, stream, at->network, line, &is_new_count);
  const unsigned begun = stream->way[at->network].counts_begun;
  const int is_first = stream->window.newest < 0;                              // of this sender
  if (is_first || (is_new_count && (int)(begun - stream->counts_begun) > 0)) { // and not of both networks
    reader->counts.restarted += !is_first;
    stream->counts_begun = begun;
    begin_window(&stream->window, line);
    stream->span_lines[0]++;
    *known = hash;
    return 1;
  }
  if (is_late_way(reader, stream, at, line, begins)) {
    reader->counts.late++;
    stream->late++;
    return 0;
  }
  const enum line_order order = take_number(&stream->window, line, &lost);
  if (lost < 0 && reader->networks > 1) // the other network has brought the next one: it will never act
    lost = 0;
  stream->lost += (uint64_t)lost;
  reader->counts.lost += (uint64_t)lost;
  if (lost > 0)
    sink->gap(sink->context, &stream->from, stream->source, (uint64_t)lost);
  const int is_copy = order == LINE_AGAIN && on_way != LINE_AGAIN && reader->networks > 1;
  reader->counts.copies += is_copy;
  reader->network[at->network].copies += is_copy;
  reader->counts.doubled += order == LINE_AGAIN && !is_copy;
  stream->doubled += order == LINE_AGAIN && !is_copy;
  reader->counts.late += order == LINE_BEHIND;
  stream->late += order == LINE_BEHIND;
  if (is_copy)
    check_copy(reader, stream, at, hash, *known, sink);
  else if (order != LINE_AGAIN)
    *known = hash;
  if (order != LINE_AHEAD)
    return 0;
  stream->span_lines[0]++;
  leave_behind(reader, stream, at->network);
  return 1;
}

// ------------------------------------------------------------
// Senders and their addresses.

static int64_t stamp(int64_t now_ms) { // 0 means none
  return now_ms ? now_ms : 1;
}

static void begin_way(struct group_stream *stream, const struct group_moment *at) {
  struct group_way *way = &stream->way[at->network];
  *way = (struct group_way){.from = at->from,
                            .heard_ms = stamp(at->now_ms),
                            .window.newest = -1,
                            .behind = way->behind,
                            .lines = way->lines,
                            .lost = way->lost};
}

// Whether a sender that is known by the other network comes by this one as well: from its first address here,
// or, when that one is silent, from another one with a count that goes on. While it talks, another address is
// another sender.
static int may_adopt(const struct group_stream *stream, const struct group_moment *at, int line) {
  const int64_t heard_ms = stream->way[at->network].heard_ms;
  const int steps = ahead(stream->window.newest, line);
  return !heard_ms || (at->now_ms - heard_ms > GROUP_SILENT_MS && steps > -SEEN && steps < SEEN);
}

static void tell_move(struct group_reader *reader, const struct group_moment *at,
                      const struct sockaddr_in *before, const char *source, int is_told,
                      const struct group_sink *sink) {
  reader->counts.moved++;
  if (!is_told)
    sink->moved(sink->context, &at->from, before, source);
}

static struct group_stream *adopt(struct group_reader *reader, struct group_stream *stream,
                                  const struct group_moment *at, const struct group_sink *sink) {
  struct group_way *way = &stream->way[at->network];
  const struct sockaddr_in before = way->from;
  const int has_moved = way->heard_ms != 0;
  begin_way(stream, at);
  if (has_moved)
    tell_move(reader, at, &before, stream->source, stream->is_move_told, sink);
  stream->is_move_told |= has_moved;
  return stream;
}

// Whether this sender has sent the line: the same number with the same sentence.
static int has_sent(const struct group_stream *stream, int line, uint32_t hash) {
  const int steps = ahead(stream->window.newest, line);
  return stream->heard_ms && stream->window.newest >= 0 && steps <= 0 && -steps < SEEN &&
         stream->window.seen >> -steps & 1 && stream->hash[line % GROUP_HASHES] == hash;
}

int group_line_has_come(const struct group_reader *reader, const struct group_stream *stream,
                        const struct group_moment *at, int line, uint32_t hash) {
  for (int i = 0; i < GROUP_STREAMS; i++) {
    const struct group_stream *other = &reader->stream[i];
    if (other != stream && !strcmp(other->source, stream->source) && has_sent(other, line, hash) &&
        other->way[1 - at->network].heard_ms && at->now_ms - other->heard_ms <= GROUP_KEPT_MS)
      return 1;
  }
  return 0;
}

static int is_from(const struct group_stream *stream, const struct group_moment *at) {
  const struct group_way *way = &stream->way[at->network];
  return way->heard_ms && group_is_same(&way->from, &at->from);
}

struct group_stream *group_stream_find(struct group_reader *reader, const struct group_moment *at,
                                       const char *source, int line, const struct group_sink *sink) {
  struct group_stream *oldest = &reader->stream[0], *namesake = NULL;
  for (int i = 0; i < GROUP_STREAMS; i++) {
    struct group_stream *stream = &reader->stream[i];
    const int is_namesake = stream->heard_ms && !strcmp(stream->source, source);
    if (is_namesake && is_from(stream, at))
      return stream;
    if (is_namesake && (!namesake || stream->heard_ms > namesake->heard_ms))
      namesake = stream;
    if (stream->heard_ms < oldest->heard_ms)
      oldest = stream;
  }
  if (!*source)
    namesake = NULL;
  if (namesake && reader->networks > 1 && may_adopt(namesake, at, line))
    return adopt(reader, namesake, at, sink);
  const int is_told = namesake && namesake->is_move_told;
  if (namesake)
    tell_move(reader, at, &namesake->way[at->network].from, source, is_told, sink);
  reader->counts.forgotten += oldest->heard_ms != 0;
  *oldest = (struct group_stream){
      .from = at->from, .window.newest = -1, .heard_ms = stamp(at->now_ms), .is_move_told = namesake != NULL};
  snprintf(oldest->source, sizeof oldest->source, "%s", source);
  begin_way(oldest, at);
  return oldest;
}

// ------------------------------------------------------------
// Networks.

void group_network_heard(struct group_reader *reader, const struct group_moment *at, int is_new,
                         const struct group_sink *sink) {
  struct group_network *here = &reader->network[at->network];
  here->lines++;
  here->heard_ms = stamp(at->now_ms);
  here->behind = 0;
  if (here->is_lost) {
    here->is_lost = 0;
    sink->network(sink->context, at->network, 0);
  }
  for (int i = 0; i < reader->networks; i++) {
    struct group_network *other = &reader->network[i];
    if (i == at->network)
      continue;
    if (!other->heard_ms)
      other->heard_ms = stamp(at->now_ms); // it is waited for from now on
    other->behind += (uint64_t)is_new;
    if (other->is_lost || other->behind < GROUP_SILENT_LINES ||
        at->now_ms - other->heard_ms < GROUP_SILENT_MS)
      continue;
    other->is_lost = 1;
    sink->network(sink->context, i, 1);
  }
}

void group_networks_check(struct group_reader *reader, int64_t now_ms, const struct group_sink *sink) {
  int64_t heard_ms = 0;
  if (!reader->silent_ms || reader->networks < NETWORKS) {
    reader->expected_ms = now_ms;
    return;
  }
  for (int i = 0; i < NETWORKS; i++)
    heard_ms = reader->network[i].heard_ms > heard_ms ? reader->network[i].heard_ms : heard_ms;
  if (!heard_ms || now_ms - heard_ms <= reader->silent_ms ||
      now_ms - reader->expected_ms <= reader->silent_ms)
    return;
  for (int i = 0; i < NETWORKS; i++)
    if (!reader->network[i].is_lost) {
      reader->network[i].is_lost = 1;
      sink->network(sink->context, i, 2);
    }
}

// FNV-1a.
static uint64_t hash_of(const char *source, const char *text, size_t size) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (; *source; source++)
    hash = (hash ^ (unsigned char)*source) * UINT64_C(0x100000001b3);
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
  return hash;
}

uint32_t group_line_hash(const char *text, size_t size) {
  const uint64_t hash = hash_of("", text, size);
  return (uint32_t)(hash ^ hash >> 32);
}

// Copies by two addresses. Others that have been seen beside one of them count against it.
static void note_pair(struct group_reader *reader, const struct group_twin *twin,
                      const struct group_moment *at) {
  struct in_addr by[NETWORKS];
  struct group_pair *fewest = &reader->pair[0];
  by[twin->network] = twin->from;
  by[at->network] = at->from.sin_addr;
  for (int i = 0; i < GROUP_PAIRS; i++) {
    struct group_pair *pair = &reader->pair[i];
    int equal = 0;
    for (int k = 0; k < NETWORKS; k++)
      equal += pair->copies > 0 && pair->by[k].s_addr == by[k].s_addr;
    if (equal == NETWORKS) {
      pair->copies += pair->copies < GROUP_AGREED_MOST;
      return;
    }
    pair->copies -= equal > 0;
    if (pair->copies < fewest->copies)
      fewest = pair;
  }
  *fewest = (struct group_pair){.first = twin->network, .copies = 1};
  memcpy(fewest->by, by, sizeof by);
}

struct sockaddr_in group_pair_address(const struct group_reader *reader, const struct group_moment *at) {
  struct sockaddr_in out = at->from;
  for (int i = 0; i < GROUP_PAIRS; i++) {
    const struct group_pair *pair = &reader->pair[i];
    if (pair->copies >= GROUP_AGREED && pair->by[at->network].s_addr == at->from.sin_addr.s_addr)
      out.sin_addr = pair->by[pair->first];
  }
  return out;
}

int group_line_is_twin(struct group_reader *reader, const struct group_moment *at, const char *source,
                       const char *text, size_t size) {
  const uint64_t hash = hash_of(source, text, size);
  struct group_twin *oldest = &reader->twin[0], *found = NULL;
  int alike = 0; // of several it is not known whose copy has come
  for (int i = 0; i < GROUP_TWINS; i++) {
    struct group_twin *twin = &reader->twin[i];
    const int is_it = twin->at_ms && twin->network != at->network && twin->hash == hash &&
                      at->now_ms - twin->at_ms <= GROUP_KEPT_MS;
    alike += is_it;
    if (is_it && (!found || twin->at_ms < found->at_ms))
      found = twin;
    if (twin->at_ms < oldest->at_ms)
      oldest = twin;
  }
  if (!found) {
    *oldest = (struct group_twin){stamp(at->now_ms), at->network, at->from.sin_addr, hash};
    return 0;
  }
  if (alike == 1)
    note_pair(reader, found, at);
  found->at_ms = 0;
  reader->counts.copies++;
  reader->network[at->network].copies++;
  return 1;
}
