// What has come in a group: lines in order and once, and sentences that belong together.
#include "net/groups/groups.h"
#include "net/groups/groups_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void group_reader_init(struct group_reader *reader, const char *sources, int networks) {
  memset(reader, 0, sizeof *reader);
  reader->sources = sources;
  reader->networks = networks;
  reader->counts.age_s = reader->counts.age_worst_s = NAN;
}

static void note_age(struct group_counts *counts, double age_s) {
  if (isnan(age_s))
    return;
  counts->age_s = age_s;
  if (!(counts->age_worst_s >= age_s))
    counts->age_worst_s = age_s;
}

// ------------------------------------------------------------
// Sentences that belong together.

// Why sentences are given up before all have come.
enum given_up { GIVEN_UP_LATE, GIVEN_UP_AGAIN, GIVEN_UP_ROOM, GIVEN_UP_LENGTH };

static int has(const struct group_begun *begun, int place) {
  return begun->has[(place - 1) / 32] >> ((place - 1) % 32) & 1u;
}

static void say_why(const struct group_begun *begun, enum given_up cause, struct reason *why) {
  int count = 0, missing = 0;
  for (int place = begun->total; place >= 1; place--) {
    count += has(begun, place);
    missing = has(begun, place) ? missing : place;
  }
  const char *of = *begun->source ? begun->source : "a sender without source";
  if (cause == GIVEN_UP_LATE)
    fail(why, STATUS_BAD_INPUT,
         "%d sentences that belong together (g) expected, got %d within 0.5 s: number %d of group %d of %s "
         "is missing",
         begun->total, count, missing, begun->number, of);
  else if (cause == GIVEN_UP_AGAIN)
    fail(why, STATUS_BAD_INPUT,
         "%d sentences that belong together (g) expected, got %d of group %d of %s before the number was "
         "used again",
         begun->total, count, begun->number, of);
  else if (cause == GIVEN_UP_ROOM)
    fail(why, STATUS_BAD_INPUT,
         "at most %d groups of sentences (g) that wait for others expected, got more: group %d of %s, with "
         "%d of %d, is given up",
         GROUP_BEGUN, begun->number, of, count, begun->total);
  else
    fail(why, STATUS_BAD_INPUT,
         "sentences that belong together (g) with at most %d characters expected, got more in group %d of "
         "%s",
         GROUP_TEXT, begun->number, of);
}

static void give_up(struct group_reader *reader, struct group_begun *begun, enum given_up cause,
                    const struct group_sink *sink) {
  struct reason why;
  say_why(begun, cause, &why);
  reader->counts.incomplete++;
  begun->since_ms = 0;
  sink->refuse(sink->context, &begun->from, GROUP_FAULT_INCOMPLETE, begun->text,
               begun->size > 2 ? begun->size - 2 : 0, &why);
}

void group_reader_check(struct group_reader *reader, int64_t now_ms, const struct group_sink *sink) {
  for (int i = 0; i < GROUP_BEGUN; i++)
    if (reader->begun[i].since_ms && now_ms - reader->begun[i].since_ms > GROUP_KEPT_MS)
      give_up(reader, &reader->begun[i], GIVEN_UP_LATE, sink);
  group_networks_check(reader, now_ms, sink);
}

static struct group_begun *find_begun(struct group_reader *reader, const struct sockaddr_in *from,
                                      const struct tag *tag, int64_t now_ms, const struct group_sink *sink) {
  struct group_begun *oldest = &reader->begun[0];
  for (int i = 0; i < GROUP_BEGUN; i++) {
    struct group_begun *begun = &reader->begun[i];
    if (begun->since_ms && begun->number == tag->number && begun->total == tag->total &&
        group_is_same(&begun->from, from) && !strcmp(begun->source, tag->source))
      return begun;
    if (begun->since_ms < oldest->since_ms)
      oldest = begun;
  }
  if (oldest->since_ms)
    give_up(reader, oldest, GIVEN_UP_ROOM, sink);
  *oldest = (struct group_begun){
      .since_ms = now_ms ? now_ms : 1, .from = *from, .number = tag->number, .total = tag->total};
  memcpy(oldest->source, tag->source, sizeof oldest->source);
  return oldest;
}

static int append(char text[GROUP_TEXT], size_t *used, const char *sentence, size_t size) {
  if (*used + size + 2 > GROUP_TEXT)
    return 0;
  memcpy(text + *used, sentence, size);
  text[*used + size] = '\r';
  text[*used + size + 1] = '\n';
  *used += size + 2;
  return 1;
}

// A sentence of a group that came already begins the group anew: its number is in use again.
static void take_together(struct group_reader *reader, const struct sockaddr_in *from, const struct tag *tag,
                          const char *sentence, size_t size, int64_t now_ms, const struct group_sink *sink) {
  struct group_begun *begun = find_begun(reader, from, tag, now_ms, sink);
  const int bit = tag->place - 1;
  if (has(begun, tag->place)) {
    give_up(reader, begun, GIVEN_UP_AGAIN, sink);
    begun = find_begun(reader, from, tag, now_ms, sink);
  }
  begun->has[bit / 32] |= UINT32_C(1) << (bit % 32);
  if (!append(begun->text, &begun->size, sentence, size)) {
    give_up(reader, begun, GIVEN_UP_LENGTH, sink);
    return;
  }
  for (int place = 1; place <= begun->total; place++)
    if (!has(begun, place))
      return;
  begun->since_ms = 0;
  sink->take(sink->context, from, tag->source, begun->text, begun->size);
}

// ------------------------------------------------------------
// Datagrams.

// The sentences of one datagram that act together: those of one source.
struct taken {
  struct sockaddr_in from; // the first address of the sender
  char source[TAG_WORD];
  size_t size;
  char text[GROUP_TEXT];
};

static void hand_over(struct taken *taken, const struct group_sink *sink) {
  if (taken->size)
    sink->take(sink->context, &taken->from, taken->source, taken->text, taken->size);
  taken->size = 0;
}

// Counts a line with this tag. Returns whether it acts; *from: the first address of its sender.
static int is_next(struct group_reader *reader, const struct group_moment *at, const struct tag *tag,
                   const char *line, size_t size, struct sockaddr_in *from, const struct group_sink *sink) {
  int acts = 1;
  if (tag->line < 0) {
    reader->counts.uncounted++;
  } else {
    struct group_stream *stream = group_stream_find(reader, at, tag->source, tag->line, sink);
    stream->heard_ms = stream->way[at->network].heard_ms = at->now_ms ? at->now_ms : 1;
    const uint32_t hash = group_line_hash(line, size);
    acts = group_line_take(reader, stream, at, tag->line, hash, sink);
    if (acts && reader->networks > 1 && *tag->source &&
        group_line_has_come(reader, stream, at, tag->line, hash)) {
      acts = 0;
      reader->counts.copies++;
      reader->network[at->network].copies++;
    }
    *from = stream->from;
  }
  group_network_heard(reader, at, acts, sink);
  if (acts && reader->networks > 1 && (tag->line < 0 || !*tag->source)) // by nothing else to be told apart
    acts = !group_line_is_twin(reader, at, tag->source, line, size);
  if (!*tag->source)
    *from = group_pair_address(reader, at);
  return acts;
}

static void take_line(struct group_reader *reader, const struct group_moment *at, const char *line,
                      size_t size, struct taken *taken, const struct group_sink *sink) {
  static const enum group_fault faults[] = {
      [TAG_FORM] = GROUP_FAULT_TAG, [TAG_LENGTH] = GROUP_FAULT_LENGTH, [TAG_CHECKSUM] = GROUP_FAULT_CHECKSUM};
  struct tag tag;
  size_t begin;
  struct reason why = {""};
  struct sockaddr_in from = at->from;
  const enum tag_fault fault = tag_read(line, size, &tag, &begin, &why);
  if (fault != TAG_GOOD) {
    reader->counts.wrong++;
    sink->refuse(sink->context, &at->from, faults[fault], line, size, &why);
    return;
  }
  if (*reader->sources && !words_contain(reader->sources, tag.source)) {
    reader->counts.passed++;
    return;
  }
  note_age(&reader->counts, at->utc_s - tag.utc_s);
  if (!is_next(reader, at, &tag, line + begin, size - begin, &from, sink) || begin == size)
    return;
  if (tag.total > 1) { // what stands before it acts before it
    hand_over(taken, sink);
    take_together(reader, &from, &tag, line + begin, size - begin, at->now_ms, sink);
    return;
  }
  if (strcmp(taken->source, tag.source) != 0)
    hand_over(taken, sink);
  taken->from = from;
  memcpy(taken->source, tag.source, sizeof taken->source);
  if (!append(taken->text, &taken->size, line + begin, size - begin)) {
    hand_over(taken, sink);
    append(taken->text, &taken->size, line + begin, size - begin);
  }
}

static void refuse(struct group_reader *reader, const struct sockaddr_in *from, enum group_fault fault,
                   const char *data, size_t size, const char *expected, const struct group_sink *sink) {
  struct reason why;
  fail(&why, STATUS_BAD_INPUT, "%s", expected);
  reader->counts.wrong++;
  sink->refuse(sink->context, from, fault, data, size, &why);
}

void group_reader_take(struct group_reader *reader, const struct group_moment *at, const char *data,
                       size_t size, const struct group_sink *sink) {
  struct taken taken = {.size = 0};
  size_t begin;
  reader->counts.datagrams++;
  if (size > GROUP_DATAGRAM) {
    refuse(reader, &at->from, GROUP_FAULT_LENGTH, data, GROUP_DATAGRAM,
           "a datagram of at most 1472 bytes expected", sink);
    return;
  }
  switch (datagram_kind(data, size, &begin)) {
  case DATAGRAM_OTHER:
    reader->counts.other++;
    return;
  case DATAGRAM_WRONG:
    refuse(reader, &at->from, GROUP_FAULT_TOKEN, data, size, "UdPbC and a zero byte, or a sentence, expected",
           sink);
    return;
  case DATAGRAM_PLAIN:
    reader->counts.plain++;
    break;
  case DATAGRAM_SENTENCES:
    break;
  }
  while (begin < size) {
    size_t end = begin;
    while (end < size && data[end] != '\n' && data[end] != '\r')
      end++;
    if (end > begin)
      take_line(reader, at, data + begin, end - begin, &taken, sink);
    begin = end + 1;
  }
  hand_over(&taken, sink);
}
