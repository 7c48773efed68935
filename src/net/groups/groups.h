// Sentences over multicast, as on a ship's network (IEC 61162-450): datagrams, TAG blocks, line counts,
// sockets. Sources: docs/ship-network.md. Time is in milliseconds of the monotonic clock, unless it is said
// to be UTC.
#pragma once

#include "sagbend/base/base.h"

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>

enum {
  GROUP_DATAGRAM = 1472,       // bytes of a datagram with its token, at most
  GROUP_TOKEN = 6,             // bytes of a token with its final zero
  TAG_MAX = 80,                // characters of a TAG block with both backslashes, at most
  TAG_WORD = 16,               // bytes of a source or destination, with its final zero
  TAG_LINE_COUNT = 999,        // after which a line count begins again at 1
  GROUP_SENTENCES = 99,        // that may belong together
  GROUP_KEPT_MS = 500,         // after which an incomplete group of sentences is given up
  GROUP_STREAMS = 64,          // senders whose lines are counted, in one group
  GROUP_JOIN_AGAIN_MS = 10000, // a membership that the kernel has lost is renewed meanwhile
  GROUP_JOIN_RETRY_MS = 1000,  // the same where the interface is gone
  GROUP_TEXT = 1600            // bytes of sentences that act together
};

// Interface and reach of what is sent and received by multicast.
struct network_def {
  char interface[16]; // numeric IPv4 address
  int ttl;            // routers that a datagram may pass, and 1
  int loop;           // 1: programs on this machine that listen at the interface hear it, too
  int tag_time;       // 1: TAG blocks have the parameter c
};

// The address of a group (enum network_group).
struct sockaddr_in group_address(int group);
int group_is_multicast(const struct sockaddr_in *at);
int group_is_same(const struct sockaddr_in *a, const struct sockaddr_in *b); // address and port
int group_is_interface(const char *text);     // a numeric IPv4 address that is no group
int group_is_loopback(const char *interface); // 1: nothing leaves this machine
int group_is_source(const char *text);        // two letters and four digits

// ------------------------------------------------------------
// What sentences and TAG blocks have in common.

// The checksum of a sentence or TAG block: the exclusive or of its characters.
unsigned telegram_checksum(const char *text, size_t size);
int telegram_hex(const char *two); // the number in two hexadecimal digits; -1: they are none

// ------------------------------------------------------------
// TAG blocks. Pure functions.

// What a line says of itself before its sentence.
struct tag {
  char source[TAG_WORD], destination[TAG_WORD]; // "": absent
  int line;                                     // count; -1: absent
  int place, total, number;                     // of sentences that belong together; total 0: alone
  double utc_s;                                 // when it was sent, since 1970; NaN: absent
};

enum tag_fault {
  TAG_GOOD,
  TAG_FORM,     // a backslash, a colon, a number is missing
  TAG_LENGTH,   // longer than TAG_MAX
  TAG_CHECKSUM, // missing, or another one
};

// Reads the TAG blocks at the begin of a line; none is good. *size_read: their characters. Parameters that
// are not known are passed over.
enum tag_fault tag_read(const char *line, size_t size, struct tag *out, size_t *size_read,
                        struct reason *why);

// Writes a TAG block with what is present. Returns its length; beyond TAG_MAX it is cut, and not to be sent.
size_t tag_write(const struct tag *tag, char out[TAG_MAX + 1]);

enum datagram_kind {
  DATAGRAM_SENTENCES, // the token of sentences stands first
  DATAGRAM_PLAIN,     // sentences without a token
  DATAGRAM_OTHER,     // the token of files or of NMEA 2000: no sentences
  DATAGRAM_WRONG      // none of these
};
// *begin: where its sentences begin.
enum datagram_kind datagram_kind(const char *data, size_t size, size_t *begin);

// A datagram with one line: token, TAG block, sentence with its end of line. Returns its size; 0: no room.
size_t datagram_write(const struct tag *tag, const char *sentence, size_t size, char out[GROUP_DATAGRAM]);

// ------------------------------------------------------------
// Receiving: what has come, in order, once.

// What the line counts of a sender say.
struct group_counts {
  uint64_t datagrams;
  uint64_t lines;            // with a line count
  uint64_t lost;             // numbers that never came
  uint64_t doubled;          // came twice; the second does not act
  uint64_t late;             // came after a later one; they do not act
  uint64_t restarted;        // times that a sender began to count anew
  uint64_t uncounted;        // lines without a line count
  uint64_t plain;            // datagrams without a token
  uint64_t other;            // datagrams of files and of NMEA 2000
  uint64_t wrong;            // datagrams and lines that could not be read
  uint64_t passed;           // lines of sources that are not wanted
  uint64_t incomplete;       // groups of sentences of which not all came
  uint64_t forgotten;        // senders that made room for others
  double age_s, age_worst_s; // of the newest line that says its time, and of the oldest; NaN: none
};

// A sender of lines in a group: its address and the source that it gives itself.
struct group_stream {
  char source[TAG_WORD];
  struct sockaddr_in from;
  int64_t heard_ms; // 0: this place is free
  int newest;       // line count
  uint64_t seen;    // bit k: the line newest - k has come
  uint64_t missing; // bit k: the line newest - k was counted as lost and has not come
  // Datagrams in a row whose lines seemed to be old ones and went on by one; the newest of these lines, and
  // the number of its datagram:
  int old_datagrams, old_newest;
  uint64_t old_datagram;
  uint64_t lines, lost, doubled, late;
};

// Sentences that belong together and have not all come.
struct group_begun {
  int64_t since_ms; // 0: this place is free
  struct sockaddr_in from;
  char source[TAG_WORD];
  int number, total;
  uint32_t has[4]; // bit k: the sentence k + 1
  size_t size;
  char text[GROUP_TEXT]; // in the order in which they came
};
enum { GROUP_BEGUN = 8 };

struct group_reader {
  const char *sources; // whose lines are wanted, separated by blanks; "": all. Borrowed
  struct group_counts counts;
  struct group_stream stream[GROUP_STREAMS];
  struct group_begun begun[GROUP_BEGUN];
};
void group_reader_init(struct group_reader *reader, const char *sources);

enum group_fault {
  GROUP_FAULT_TOKEN,     // no token and no sentence
  GROUP_FAULT_LENGTH,    // of a datagram or TAG block
  GROUP_FAULT_TAG,       // form of a TAG block
  GROUP_FAULT_CHECKSUM,  // of a TAG block
  GROUP_FAULT_INCOMPLETE // sentences that belong together
};

// Where the sentences go. gap: lines of this source that were lost before the ones that are given next.
struct group_sink {
  void (*take)(void *context, const struct sockaddr_in *from, const char *source, const char *text,
               size_t size);
  void (*refuse)(void *context, const struct sockaddr_in *from, enum group_fault fault, const char *text,
                 size_t size, const struct reason *why);
  void (*gap)(void *context, const struct sockaddr_in *from, const char *source, uint64_t lost);
  void *context;
};

// Takes one datagram. utc_s: of this machine, by which the age of lines is found.
void group_reader_take(struct group_reader *reader, const struct sockaddr_in *from, const char *data,
                       size_t size, int64_t now_ms, double utc_s, const struct group_sink *sink);
// Gives up sentences whose companions have not come for GROUP_KEPT_MS.
void group_reader_check(struct group_reader *reader, int64_t now_ms, const struct group_sink *sink);

// ------------------------------------------------------------
// Sockets. Nothing blocks. -1: errno says why.

// A socket that receives what is sent to this group on this interface, and nothing else. Other programs may
// listen as well.
int group_open_receiver(const struct sockaddr_in *at, const char *interface);
// Joins again, as after the interface has gone and come back. Returns 0, also if it is still joined.
int group_join(int file, const struct sockaddr_in *at, const char *interface);
// A socket that sends to groups on this interface.
int group_open_sender(const struct network_def *network);
double group_utc_s(void); // UTC of this machine, since 1970
