// Fuzzes what comes in a group of the ship's network: datagrams, each two bytes of its length and what it
// contains, one after the other, from a few senders.

#include "net/groups/groups.h"

#include "fuzz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct group_reader reader;

static void take(void *context, const struct sockaddr_in *from, const char *source, const char *text,
                 size_t size) {
  (void)context;
  (void)from;
  if (strlen(source) >= TAG_WORD || size < 2 || size > GROUP_TEXT || memcmp(text + size - 2, "\r\n", 2) != 0)
    abort(); // whole lines
}

static void refuse(void *context, const struct sockaddr_in *from, enum group_fault fault, const char *text,
                   size_t size, const struct reason *why) {
  (void)context;
  (void)from;
  (void)fault;
  unsigned sum = 0;
  for (size_t i = 0; i < size; i++)
    sum += (unsigned char)text[i]; // the sanitizer detects a read beyond the end
  if (!*why->text || (sum == 1 && size == 0))
    abort();
}

static void gap(void *context, const struct sockaddr_in *from, const char *source, uint64_t lost) {
  (void)context;
  (void)from;
  (void)source;
  if (!lost)
    abort();
}

static void moved(void *context, const struct sockaddr_in *from, const struct sockaddr_in *before,
                  const char *source) {
  (void)context;
  if (!*source ||
      (reader.networks == 1 && group_is_same(from, before))) // one address may be on both networks
    abort();
}

static void network(void *context, int which, int is_lost) {
  (void)context;
  if (!network_name(which) || !reader.network[1 - which].heard_ms || is_lost != reader.network[which].is_lost)
    abort();
}

// What is written comes back.
static void write_again(const struct tag *tag) {
  char text[TAG_MAX + 1];
  struct tag back;
  size_t begin;
  struct reason why;
  const size_t size = tag_write(tag, text);
  if (size > TAG_MAX) // a source, a destination and a group of the largest lengths
    return;
  if (tag_read(text, size, &back, &begin, &why) != TAG_GOOD || begin != size || back.total != tag->total)
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const struct group_sink sink = {take, refuse, gap, moved, network, NULL};
  int64_t now_ms = 1;
  group_reader_init(&reader, "", size & 1 ? 2 : 1);
  for (size_t at = 0; at + 2 <= size;) {
    size_t length = data[at] | (size_t)(data[at + 1] & 7) << 8;
    const struct group_moment moment = {.network = reader.networks > 1 ? data[at + 1] >> 5 & 1 : 0,
                                        .from = {.sin_family = AF_INET, .sin_port = data[at + 1] >> 6},
                                        .now_ms = now_ms,
                                        .utc_s = 1.7e9};
    at += 2;
    length = length < size - at ? length : size - at;
    char *exact =
        malloc(length ? length : 1); // exact size, so that the sanitizer detects a read beyond the end
    if (!exact)
      abort();
    memcpy(exact, data + at, length);
    group_reader_take(&reader, &moment, exact, length, &sink);
    struct tag tag;
    size_t begin;
    struct reason why = {""};
    const enum tag_fault fault = tag_read(exact, length, &tag, &begin, &why);
    if (begin > length || (fault != TAG_GOOD && !*why.text))
      abort();
    if (fault == TAG_GOOD)
      write_again(&tag);
    free(exact);
    at += length;
    now_ms += 100;
    group_reader_check(&reader, now_ms, &sink);
  }
  if (reader.counts.lost > reader.counts.lines * UINT64_C(1000000000))
    abort(); // never below zero
  return 0;
}

static size_t put(uint8_t *out, size_t capacity, size_t used, int sender, const char *tag,
                  const char *sentence) {
  unsigned sum = 0;
  char text[400];
  for (const char *c = tag; *c; c++)
    sum ^= (unsigned char)*c;
  const int size = snprintf(text, sizeof text, "UdPbC0\\%s*%02X\\%s\r\n", tag, sum, sentence);
  if (size < 0 || used + 2 + (size_t)size > capacity)
    return used;
  text[5] = 0;
  out[used] = (uint8_t)(size & 255);
  out[used + 1] = (uint8_t)(size >> 8 | sender << 6);
  memcpy(out + used + 2, text, (size_t)size);
  return used + 2 + (size_t)size;
}

size_t fuzz_seed(int index, uint8_t *out, size_t capacity) {
  static const char *const tags[] = {"s:HE0001,n:998",
                                     "s:HE0001,n:999",
                                     "s:HE0001,n:1",
                                     "s:HE0001,n:5",
                                     "s:HE0001,n:3",
                                     "s:HE0001,n:3",
                                     "g:1-2-34,s:DP0001,n:1",
                                     "g:2-2-34,s:DP0001,n:2,c:1700000000123",
                                     "g:1-3-35,s:DP0001,d:RC0001,n:3",
                                     "s:GP0001,c:1700000000,x:1"};
  enum { COUNT = sizeof tags / sizeof *tags };
  size_t used = 0;
  for (int i = 0; i < COUNT; i++)
    if (index == COUNT || index == i)
      used = put(out, capacity, used, i & 3, tags[i], "$HEHDT,270.0,T*2A");
  return used;
}
