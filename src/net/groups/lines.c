// Line counts: what is new, what has come before, by which network, and from which address.
#include "net/groups/groups.h"
#include "net/groups/groups_internal.h"

#include <stdio.h>
#include <string.h>

enum { SEEN = 64, ANEW = 4 }; // lines that are remembered; old datagrams in a row that mean a new count

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
  if (way->window.newest >= 0 && way->behind >= SEEN) { // it was away for long
    add_lost(reader, way, network, (int64_t)way->behind - 1);
    way->window.newest = -1;
  }
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

int group_line_take(struct group_reader *reader, struct group_stream *stream, const struct group_moment *at,
                    int line, const struct group_sink *sink) {
  int is_new_count, lost;
  reader->counts.lines++;
  stream->lines++;
  const enum line_order on_way = take_on_way(reader, stream, at->network, line, &is_new_count);
  const unsigned begun = stream->way[at->network].counts_begun;
  const int is_first = stream->window.newest < 0;                              // of this sender
  if (is_first || (is_new_count && (int)(begun - stream->counts_begun) > 0)) { // and not of both networks
    reader->counts.restarted += !is_first;
    stream->counts_begun = begun;
    begin_window(&stream->window, line);
    return 1;
  }
  const enum line_order order = take_number(&stream->window, line, &lost);
  stream->lost += (uint64_t)lost;
  reader->counts.lost += (uint64_t)lost;
  if (lost > 0)
    sink->gap(sink->context, &stream->from, stream->source, (uint64_t)lost);
  const int is_copy = order == LINE_AGAIN && on_way != LINE_AGAIN && reader->networks > 1;
  reader->counts.copies += is_copy;
  reader->counts.doubled += order == LINE_AGAIN && !is_copy;
  stream->doubled += order == LINE_AGAIN && !is_copy;
  reader->counts.late += order == LINE_BEHIND;
  stream->late += order == LINE_BEHIND;
  for (int i = 0; i < reader->networks; i++)
    stream->way[i].behind += order == LINE_AHEAD && i != at->network;
  return order == LINE_AHEAD;
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
                            .lines = way->lines,
                            .lost = way->lost};
}

// Whether a sender that is known by the other network comes by this one as well: from its first address here,
// or from another one with a count that goes on.
static int may_adopt(const struct group_stream *stream, int network, int line) {
  const int steps = ahead(stream->window.newest, line);
  return !stream->way[network].heard_ms || (steps > -SEEN && steps < SEEN);
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

struct group_stream *group_stream_find(struct group_reader *reader, const struct group_moment *at,
                                       const char *source, int line, const struct group_sink *sink) {
  struct group_stream *oldest = &reader->stream[0], *namesake = NULL;
  for (int i = 0; i < GROUP_STREAMS; i++) {
    struct group_stream *stream = &reader->stream[i];
    const struct group_way *way = &stream->way[at->network];
    const int is_namesake = stream->heard_ms && !strcmp(stream->source, source);
    if (is_namesake && way->heard_ms && group_is_same(&way->from, &at->from))
      return stream;
    if (is_namesake && (!namesake || stream->heard_ms > namesake->heard_ms))
      namesake = stream;
    if (stream->heard_ms < oldest->heard_ms)
      oldest = stream;
  }
  if (!*source)
    namesake = NULL;
  if (namesake && reader->networks > 1 && may_adopt(namesake, at->network, line))
    return adopt(reader, namesake, at, sink);
  const int is_told = namesake && namesake->is_move_told;
  if (namesake)
    tell_move(reader, at, &namesake->from, source, is_told, sink);
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

// FNV-1a.
static uint64_t hash_of(const char *source, const char *text, size_t size) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (; *source; source++)
    hash = (hash ^ (unsigned char)*source) * UINT64_C(0x100000001b3);
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
  return hash;
}

int group_line_is_twin(struct group_reader *reader, const struct group_moment *at, const char *source,
                       const char *text, size_t size) {
  const uint64_t hash = hash_of(source, text, size);
  struct group_twin *oldest = &reader->twin[0];
  for (int i = 0; i < GROUP_TWINS; i++) {
    struct group_twin *twin = &reader->twin[i];
    if (twin->at_ms && twin->network != at->network && twin->hash == hash &&
        at->now_ms - twin->at_ms <= GROUP_KEPT_MS) {
      twin->at_ms = 0;
      reader->counts.copies++;
      return 1;
    }
    if (twin->at_ms < oldest->at_ms)
      oldest = twin;
  }
  *oldest = (struct group_twin){stamp(at->now_ms), at->network, hash};
  return 0;
}
