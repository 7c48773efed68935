// What has come in a group: lines in order and once, and sentences that belong together.
#include "net/groups/groups.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SEEN = 64, ANEW = 4 }; // lines that are remembered; old datagrams in a row that mean a new count

void group_reader_init(struct group_reader *reader, const char *sources) {
  memset(reader, 0, sizeof *reader);
  reader->sources = sources;
  reader->counts.age_s = reader->counts.age_worst_s = NAN;
}

// ------------------------------------------------------------
// Line counts.

// The place of a sender; a new one takes a free place, or that of the one that was silent for longest.
static struct group_stream *find_stream(struct group_reader *reader, const struct sockaddr_in *from,
                                        const char *source, int64_t now_ms) {
  struct group_stream *oldest = &reader->stream[0];
  for (int i = 0; i < GROUP_STREAMS; i++) {
    struct group_stream *stream = &reader->stream[i];
    if (stream->heard_ms && group_is_same(&stream->from, from) && !strcmp(stream->source, source))
      return stream;
    if (stream->heard_ms < oldest->heard_ms)
      oldest = stream;
  }
  reader->counts.forgotten += oldest->heard_ms != 0;
  *oldest = (struct group_stream){.from = *from, .newest = -1, .heard_ms = now_ms ? now_ms : 1};
  snprintf(oldest->source, sizeof oldest->source, "%s", source);
  return oldest;
}

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

static void begin_count(struct group_stream *stream, int line) {
  stream->newest = line;
  stream->seen = 1;
  stream->missing = 0;
  stream->old_datagrams = 0;
}

// Whether a sender counts anew: old lines in several datagrams in a row go on by one. One datagram is not
// enough, because the network may double it with all its lines.
static int is_anew(const struct group_reader *reader, struct group_stream *stream, int line) {
  const uint64_t datagram = reader->counts.datagrams;
  if (stream->old_datagrams && ahead(stream->old_newest, line) != 1)
    stream->old_datagrams = 0;
  if (!stream->old_datagrams || stream->old_datagram != datagram)
    stream->old_datagrams++;
  stream->old_newest = line;
  stream->old_datagram = datagram;
  return stream->old_datagrams >= ANEW;
}

// A line that is not ahead of the newest: one that was counted as lost, or came before. One that is too far
// behind to be remembered is late.
static int take_old(struct group_reader *reader, struct group_stream *stream, int line, int behind) {
  const uint64_t bit = behind < SEEN ? UINT64_C(1) << behind : 0;
  if (is_anew(reader, stream, line)) {
    reader->counts.restarted++;
    begin_count(stream, line);
    return 1;
  }
  if (stream->seen & bit) {
    reader->counts.doubled++;
    stream->doubled++;
    return 0;
  }
  stream->late++;
  reader->counts.late++;
  if (stream->missing & bit) { // it was counted when the gap was seen
    stream->lost--;
    reader->counts.lost--;
  }
  stream->seen |= bit;
  stream->missing &= ~bit;
  return 0;
}

// Counts a line. Returns whether it acts: not if it came before, or after a later one.
static int take_count(struct group_reader *reader, struct group_stream *stream, int line,
                      const struct group_sink *sink) {
  reader->counts.lines++;
  stream->lines++;
  if (stream->newest < 0) {
    begin_count(stream, line);
    return 1;
  }
  const int steps = ahead(stream->newest, line);
  if (steps <= 0)
    return take_old(reader, stream, line, -steps);
  const uint64_t lost = (uint64_t)steps - 1;
  const uint64_t between = (steps < SEEN ? UINT64_C(1) << steps : 0) - 2; // bits 1 to steps - 1
  stream->old_datagrams = 0;
  stream->newest = line;
  stream->seen = steps < SEEN ? stream->seen << steps | 1 : 1;
  stream->missing = (steps < SEEN ? stream->missing << steps : 0) | between;
  stream->lost += lost;
  reader->counts.lost += lost;
  if (lost)
    sink->gap(sink->context, &stream->from, stream->source, lost);
  return 1;
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

static void give_up(struct group_reader *reader, struct group_begun *begun, const struct group_sink *sink) {
  struct reason why;
  int count = 0;
  for (int i = 0; i < begun->total; i++)
    count += begun->has[i / 32] >> (i % 32) & 1u;
  fail(&why, STATUS_BAD_INPUT, "%d sentences that belong together (g) expected, got %d within 0.5 s",
       begun->total, count);
  reader->counts.incomplete++;
  begun->since_ms = 0;
  sink->refuse(sink->context, &begun->from, GROUP_FAULT_INCOMPLETE, begun->text,
               begun->size > 2 ? begun->size - 2 : 0, &why);
}

void group_reader_check(struct group_reader *reader, int64_t now_ms, const struct group_sink *sink) {
  for (int i = 0; i < GROUP_BEGUN; i++)
    if (reader->begun[i].since_ms && now_ms - reader->begun[i].since_ms > GROUP_KEPT_MS)
      give_up(reader, &reader->begun[i], sink);
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
    give_up(reader, oldest, sink);
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
  if (begun->has[bit / 32] >> (bit % 32) & 1u) {
    give_up(reader, begun, sink);
    begun = find_begun(reader, from, tag, now_ms, sink);
  }
  begun->has[bit / 32] |= UINT32_C(1) << (bit % 32);
  if (!append(begun->text, &begun->size, sentence, size)) {
    give_up(reader, begun, sink);
    return;
  }
  for (int i = 0; i < begun->total; i++)
    if (!(begun->has[i / 32] >> (i % 32) & 1u))
      return;
  begun->since_ms = 0;
  sink->take(sink->context, from, tag->source, begun->text, begun->size);
}

// ------------------------------------------------------------
// Datagrams.

// The sentences of one datagram that act together: those of one source.
struct taken {
  char source[TAG_WORD];
  size_t size;
  char text[GROUP_TEXT];
};

static void hand_over(struct taken *taken, const struct sockaddr_in *from, const struct group_sink *sink) {
  if (taken->size)
    sink->take(sink->context, from, taken->source, taken->text, taken->size);
  taken->size = 0;
}

struct moment {
  const struct sockaddr_in *from;
  int64_t now_ms;
  double utc_s;
};

static void take_line(struct group_reader *reader, const struct moment *at, const char *line, size_t size,
                      struct taken *taken, const struct group_sink *sink) {
  static const enum group_fault faults[] = {
      [TAG_FORM] = GROUP_FAULT_TAG, [TAG_LENGTH] = GROUP_FAULT_LENGTH, [TAG_CHECKSUM] = GROUP_FAULT_CHECKSUM};
  struct tag tag;
  size_t begin;
  struct reason why = {""};
  const enum tag_fault fault = tag_read(line, size, &tag, &begin, &why);
  if (fault != TAG_GOOD) {
    reader->counts.wrong++;
    sink->refuse(sink->context, at->from, faults[fault], line, size, &why);
    return;
  }
  if (*reader->sources && !words_contain(reader->sources, tag.source)) {
    reader->counts.passed++;
    return;
  }
  struct group_stream *stream = tag.line >= 0 ? find_stream(reader, at->from, tag.source, at->now_ms) : NULL;
  if (stream)
    stream->heard_ms = at->now_ms ? at->now_ms : 1;
  else
    reader->counts.uncounted++;
  note_age(&reader->counts, at->utc_s - tag.utc_s);
  if ((stream && !take_count(reader, stream, tag.line, sink)) || begin == size)
    return;
  if (tag.total > 1) { // what stands before it acts before it
    hand_over(taken, at->from, sink);
    take_together(reader, at->from, &tag, line + begin, size - begin, at->now_ms, sink);
    return;
  }
  if (strcmp(taken->source, tag.source) != 0)
    hand_over(taken, at->from, sink);
  memcpy(taken->source, tag.source, sizeof taken->source);
  if (!append(taken->text, &taken->size, line + begin, size - begin)) {
    hand_over(taken, at->from, sink);
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

void group_reader_take(struct group_reader *reader, const struct sockaddr_in *from, const char *data,
                       size_t size, int64_t now_ms, double utc_s, const struct group_sink *sink) {
  const struct moment at = {from, now_ms, utc_s};
  struct taken taken = {.size = 0};
  size_t begin;
  reader->counts.datagrams++;
  if (size > GROUP_DATAGRAM) {
    refuse(reader, from, GROUP_FAULT_LENGTH, data, GROUP_DATAGRAM,
           "a datagram of at most 1472 bytes expected", sink);
    return;
  }
  switch (datagram_kind(data, size, &begin)) {
  case DATAGRAM_OTHER:
    reader->counts.other++;
    return;
  case DATAGRAM_WRONG:
    refuse(reader, from, GROUP_FAULT_TOKEN, data, size, "UdPbC and a zero byte, or a sentence, expected",
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
      take_line(reader, &at, data + begin, end - begin, &taken, sink);
    begin = end + 1;
  }
  hand_over(&taken, from, sink);
}
