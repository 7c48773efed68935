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
  GROUP_TEXT = 1600,           // bytes of sentences that act together
  GROUP_PER_TURN = 8,          // datagrams of a network in one turn: controllers wait meanwhile
  GROUP_SLICE_MS = 5,
  GROUP_PER_SLICE = 80,   // 16000 a second
  GROUP_SILENT_MS = 500,  // a network that has brought nothing for so long is lost,
  GROUP_SILENT_LINES = 3, // if the other one has brought so many lines meanwhile
  GROUP_DEVICE = 16       // name of a device, with its end
};

// Interfaces and reach of what is sent and received by multicast. With a second interface everything is sent
// by both networks, and taken once from whichever brings it first.
struct network_def {
  char interface[NETWORKS][16]; // numeric IPv4 addresses of networks A and B; of B "": there is none
  int ttl;                      // routers that a datagram may pass, and 1
  int loop;                     // 1: programs on this machine that listen at the interface hear it, too
  int tag_time;                 // 1: TAG blocks have the parameter c
  int port_offset;              // added to the port of each group, and of multicast addresses
};
enum { GROUP_PORT_OFFSET = 5500 }; // the largest; the last group has port 60020

// The address of a group (enum network_group).
struct sockaddr_in group_address(int group);
// The same place with the offset of this network, as both sides of a group take it.
struct sockaddr_in group_moved(struct sockaddr_in at, const struct network_def *network);
int group_is_multicast(const struct sockaddr_in *at);
int group_is_same(const struct sockaddr_in *a, const struct sockaddr_in *b); // address and port
int group_is_interface(const char *text);              // a numeric IPv4 address that is no group
int group_is_loopback(const char *interface);          // 1: nothing leaves this machine
int group_networks(const struct network_def *network); // 1, or 2: there is a network B
// Whether both networks are by one device, whose name is put into device: then each datagram comes by both,
// and what fails fails for both. The loopback interface is for trials and is passed over.
int group_networks_are_one(const struct network_def *network, char device[GROUP_DEVICE]);
int group_is_source(const char *text); // two letters and four digits

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

// What the line counts of all senders say.
struct group_counts {
  uint64_t datagrams;
  uint64_t lines;            // with a line count
  uint64_t lost;             // numbers that never came; with two networks, that never acted
  uint64_t doubled;          // came again by the same network; the second does not act
  uint64_t copies;           // came by the other network, too; they do not act
  uint64_t late;             // came after a later one; they do not act
  uint64_t restarted;        // times that a sender began to count anew
  uint64_t moved;            // times that a sender came from another address
  uint64_t uncounted;        // lines without a line count
  uint64_t plain;            // datagrams without a token
  uint64_t other;            // datagrams of files and of NMEA 2000
  uint64_t wrong;            // datagrams and lines that could not be read
  uint64_t passed;           // lines of sources that are not wanted
  uint64_t incomplete;       // groups of sentences of which not all came
  uint64_t forgotten;        // senders that made room for others
  double age_s, age_worst_s; // of the newest line that says its time, and of the oldest; NaN: none
};

// Which numbers have come.
struct line_window {
  int newest;       // line count; -1: none has come
  uint64_t seen;    // bit k: the line newest - k has come
  uint64_t missing; // bit k: the line newest - k was counted as lost and has not come
};

// A sender as one network brings it.
struct group_way {
  struct sockaddr_in from;
  int64_t heard_ms; // 0: never by this network
  struct line_window window;
  unsigned counts_begun; // as of the stream, when this network was last at its count
  // Datagrams in a row whose lines seemed to be old ones and went on by one; the newest of these lines, and
  // the number of its datagram:
  int old_datagrams, old_newest;
  uint64_t old_datagram;
  uint64_t behind; // new lines that the other network has brought since its newest
  int is_late;     // it brings old lines, which the other one has brought
  uint64_t lines, lost;
};

enum { GROUP_HASHES = 128 }; // twice the lines that are remembered: a count that begins again meets none

// A sender of lines in a group: the source that it gives itself, and its address. With two networks it has an
// address on each, and its lines are counted together.
struct group_stream {
  char source[TAG_WORD];
  struct sockaddr_in from; // the first
  int64_t heard_ms;        // 0: this place is free
  int is_move_told;        // that it has another address was said
  struct line_window window;
  unsigned counts_begun; // times that it has begun to count
  uint64_t lines, lost, doubled, late;
  int64_t span_ms;             // when the present span of time began
  int span_lines[2];           // that acted in it, and in the one before
  uint32_t hash[GROUP_HASHES]; // of the newest sentences, by their numbers
  struct group_way way[NETWORKS];
};

// What one network has brought.
struct group_network {
  uint64_t lines;   // of wanted sources
  uint64_t lost;    // by their line counts; the other network may have brought them
  uint64_t copies;  // of lines, those that the other network had brought
  int64_t heard_ms; // when the newest came
  uint64_t behind;  // lines that the other network has brought since
  int is_lost;      // it brings nothing, and the other one does, or did last
};

// A line without line count or source, which the other network may bring as well.
struct group_twin {
  int64_t at_ms; // 0: this place is free
  int network;
  struct in_addr from;
  uint64_t hash;
};
enum { GROUP_TWINS = 32 };

// A sender without a source has another address on each network. Copies that agree say that two addresses are
// of one sender.
struct group_pair {
  struct in_addr by[NETWORKS];
  int first;  // network whose address stands for both
  int copies; // that agreed; 0: this place is free
};
enum { GROUP_PAIRS = 8, GROUP_AGREED = 3, GROUP_AGREED_MOST = 20 };

// Sentences that belong together and have not all come.
struct group_begun {
  int64_t since_ms;        // 0: this place is free
  struct sockaddr_in from; // the first address of the sender
  char source[TAG_WORD];
  int number, total;
  uint32_t has[4]; // bit k: the sentence k + 1
  size_t size;
  char text[GROUP_TEXT]; // in the order in which they came
};
enum { GROUP_BEGUN = 8 };

struct group_reader {
  const char *sources; // whose lines are wanted, separated by blanks; "": all. Borrowed
  int networks;        // 1 or 2
  int64_t silent_ms; // after which two networks that bring nothing are both lost; 0: they are not expected to
  int64_t expected_ms; // since when they are
  struct group_counts counts;
  struct group_network network[NETWORKS];
  struct group_stream stream[GROUP_STREAMS];
  struct group_begun begun[GROUP_BEGUN];
  struct group_twin twin[GROUP_TWINS];
  struct group_pair pair[GROUP_PAIRS];
};
void group_reader_init(struct group_reader *reader, const char *sources, int networks);

enum group_fault {
  GROUP_FAULT_TOKEN,     // no token and no sentence
  GROUP_FAULT_LENGTH,    // of a datagram or TAG block
  GROUP_FAULT_TAG,       // form of a TAG block
  GROUP_FAULT_CHECKSUM,  // of a TAG block
  GROUP_FAULT_INCOMPLETE // sentences that belong together
};

// Where the sentences go. from: the first address of the sender, whichever network has brought them. gap:
// lines of this source that were lost before the ones that are given next. moved: a source comes from another
// address; said once. network: that this network brings nothing while the other one does (is_lost 1) or does
// not either (2), or brings something again (0).
struct group_sink {
  void (*take)(void *context, const struct sockaddr_in *from, const char *source, const char *text,
               size_t size);
  void (*refuse)(void *context, const struct sockaddr_in *from, enum group_fault fault, const char *text,
                 size_t size, const struct reason *why);
  void (*gap)(void *context, const struct sockaddr_in *from, const char *source, uint64_t lost);
  void (*moved)(void *context, const struct sockaddr_in *from, const struct sockaddr_in *before,
                const char *source);
  void (*network)(void *context, int network, int is_lost);
  void *context;
};

// Where and when a datagram has come.
struct group_moment {
  int network; // 0: A
  struct sockaddr_in from;
  int64_t now_ms;
  double utc_s; // of this machine, by which the age of lines is found
};

// Takes one datagram.
void group_reader_take(struct group_reader *reader, const struct group_moment *at, const char *data,
                       size_t size, const struct group_sink *sink);
// Gives up sentences whose companions have not come for GROUP_KEPT_MS, and says when both networks are
// silent.
void group_reader_check(struct group_reader *reader, int64_t now_ms, const struct group_sink *sink);

// ------------------------------------------------------------
// Sockets. Nothing blocks. -1: errno says why.

// What listens to a group, or to another address of multicast, by each network.
struct group_receiver {
  struct sockaddr_in at;
  const struct network_def *network; // borrowed
  int64_t budget_ms;                 // when the present slice began
  struct group_receiver_way {
    int file;         // socket; -1: none
    int64_t join_ms;  // when it is joined again
    int is_apart;     // its interface is gone
    int64_t head_ns;  // when the datagram that waits first came; 0: unknown
    int turn, slice;  // datagrams that are still read in them
    uint32_t overrun; // the kernel's count
    uint64_t dropped; // datagrams for which the socket had no room
  } way[NETWORKS];
};

// A datagram as it has come.
struct group_datagram {
  int network;
  struct sockaddr_in from;
  size_t size;      // beyond GROUP_DATAGRAM: it is too long, and cut
  uint64_t dropped; // datagrams of this network that found no room before it
  char data[GROUP_DATAGRAM + 1];
};

// Listens to a group on each interface, and to nothing else; other programs may listen as well. -1: errno
// says why, *failed is the network. Release with group_receiver_close in every case.
int group_receiver_open(struct group_receiver *receiver, const struct sockaddr_in *at,
                        const struct network_def *network, int *failed);
void group_receiver_close(struct group_receiver *receiver);
// The next datagram in the order in which they came. Of each network at most GROUP_PER_TURN between two calls
// of group_receiver_begin. Returns 0 if there is none.
int group_receiver_take(struct group_receiver *receiver, struct group_datagram *out);
// Begins a turn. is_limited: of each network at most GROUP_PER_SLICE datagrams in GROUP_SLICE_MS; what is
// beyond stays with the kernel, which counts what finds no room. So a storm costs a bounded time.
void group_receiver_begin(struct group_receiver *receiver, int is_limited);
// Whether the budget of a network is used up, so that it need not be looked at until the next slice.
int group_receiver_rests(const struct group_receiver *receiver, int network);
// Joins again when it is due, as after the interface has gone and come back. Returns 1 if the interface has
// gone, with errno, or has come back: way[network].is_apart.
int group_receiver_join(struct group_receiver *receiver, int network);

// What sends to a group by each network.
struct group_sender {
  struct sockaddr_in to;
  const struct network_def *network; // borrowed
  struct group_sender_way {
    int file;           // -1: failed; opened again at retry_s
    uint16_t from_port; // network byte order; 0: none
    double retry_s;
    int has_failed;            // and does not work yet
    uint64_t failed, restored; // failures, and those of them that work again
    uint64_t sent, lost;       // datagrams
  } way[NETWORKS];
  // How often a datagram goes by a network now; NULL: once.
  int (*pass)(void *context, int network, const char *data, size_t size);
  void *context;
};

// Opens the sockets. -1: errno says why, *failed is the network. Release with group_sender_close in every
// case.
int group_sender_open(struct group_sender *sender, const struct sockaddr_in *to,
                      const struct network_def *network, int *failed);
void group_sender_close(struct group_sender *sender);
// Sends the same datagram by each network. Returns the bits of the networks that fail from now on, with errno
// of the newest; *taken: how many have taken it. clock_s: any monotonic clock.
unsigned group_sender_send(struct group_sender *sender, const char *data, size_t size, double clock_s,
                           int *taken);
// Sends by one network alone, beside the counts.
void group_sender_send_by(const struct group_sender *sender, int network, const char *data, size_t size);
// Opens again what has failed, when it is due.
void group_sender_retry(struct group_sender *sender, double clock_s);
// Whether a datagram from this address is one that was sent here.
int group_sender_is(const struct group_sender *sender, const struct sockaddr_in *from);
double group_utc_s(void); // UTC of this machine, since 1970
