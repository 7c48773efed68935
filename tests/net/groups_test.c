// Groups of the ship's network: TAG blocks are read and written as the public examples have them, line counts
// say what was lost, doubled and late, and sentences that belong together act together or not at all.
#include "net/groups/groups.h"

#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned sum_of(const char *text) {
  unsigned sum = 0;
  while (*text)
    sum ^= (unsigned char)*text++;
  return sum;
}

static const char *tagged(const char *body, const char *sentence) {
  static char text[400];
  snprintf(text, sizeof text, "\\%s*%02X\\%s", body, sum_of(body), sentence);
  return text;
}

START_TEST(tag_blocks_come_back) {
  struct tag tag = {.source = "HE0001",
                    .destination = "DP0001",
                    .line = 999,
                    .place = 2,
                    .total = 3,
                    .number = 34,
                    .utc_s = 1764460800.25};
  struct tag back;
  struct reason why = {""};
  char text[TAG_MAX + 1];
  size_t size = tag_write(&tag, text), begin;
  ck_assert_uint_le(size, TAG_MAX);
  ck_assert_msg(tag_read(text, size, &back, &begin, &why) == TAG_GOOD, "%s: %s", text, why.text);
  ck_assert_uint_eq(begin, size);
  ck_assert_str_eq(back.source, "HE0001");
  ck_assert_str_eq(back.destination, "DP0001");
  ck_assert_int_eq(back.line, 999);
  ck_assert_int_eq(back.place * 10000 + back.total * 100 + back.number, 20334);
  ck_assert_double_eq(back.utc_s, tag.utc_s);
  tag = (struct tag){.source = "GP0001", .line = 23, .utc_s = NAN};
  tag_write(&tag, text);
  ck_assert_str_eq(text, tagged("s:GP0001,n:23", ""));
  // Two blocks, a small checksum, parameters of others, seconds.
  snprintf(text, sizeof text, "\\s:GP0001*%02x\\\\n:5,x:1,c:1700000000*", sum_of("s:GP0001"));
  size = strlen(text);
  snprintf(text + size, sizeof text - size, "%02X\\", sum_of("n:5,x:1,c:1700000000"));
  ck_assert_msg(tag_read(text, strlen(text), &back, &begin, &why) == TAG_GOOD, "%s: %s", text, why.text);
  ck_assert_str_eq(back.source, "GP0001");
  ck_assert_int_eq(back.line, 5);
  ck_assert_double_eq(back.utc_s, 1.7e9);
  ck_assert_int_eq(tag_read("$GPGGA", 6, &back, &begin, &why), TAG_GOOD); // none
  ck_assert_uint_eq(begin, 0);
}
END_TEST

START_TEST(wrong_blocks_are_named) {
  static const struct {
    const char *text;
    enum tag_fault fault;
    const char *words;
  } cases[] = {{"\\s:GP0001,n:1*00\\$A", TAG_CHECKSUM, "the checksum *"},
               {"\\s:GP0001,n:1\\$A", TAG_CHECKSUM, "* and two hexadecimal digits"},
               {"\\s:GP0001,n:1*41", TAG_FORM, "a second backslash"},
               {"\\", TAG_FORM, "a second backslash"},
               {"\\\\", TAG_CHECKSUM, "* and two"}};
  static const char *const bodies[] = {
      "n:x", "n:",           "g:1-2", "g:3-2-1", "g:0-2-1", "g:1-2-3-4", "s:", "c:12.5", "s:0123456789abcdef",
      "sGP", "n:12345678901"};
  struct tag tag;
  size_t begin;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct reason why = {""};
    ck_assert_int_eq(tag_read(cases[i].text, strlen(cases[i].text), &tag, &begin, &why), cases[i].fault);
    ck_assert_msg(strstr(why.text, cases[i].words) != NULL, "%s: %s", cases[i].text, why.text);
  }
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
    struct reason why = {""};
    const char *text = tagged(bodies[i], "");
    ck_assert_msg(tag_read(text, strlen(text), &tag, &begin, &why) == TAG_FORM && *why.text, "%s", text);
  }
  char body[100];
  struct reason why = {""};
  snprintf(body, sizeof body, "s:GP0001,x:%070d", 0);
  const char *text = tagged(body, "");
  ck_assert_int_eq(tag_read(text, strlen(text), &tag, &begin, &why), TAG_LENGTH);
}
END_TEST

START_TEST(kinds_of_datagrams) {
  size_t begin;
  ck_assert_int_eq(datagram_kind("UdPbC\0\\s", 8, &begin), DATAGRAM_SENTENCES);
  ck_assert_uint_eq(begin, 6);
  ck_assert_int_eq(datagram_kind("UdPbC", 5, &begin), DATAGRAM_WRONG); // cut
  ck_assert_int_eq(datagram_kind("UdPbC$", 6, &begin), DATAGRAM_WRONG);
  ck_assert_int_eq(datagram_kind("RaUdP\0x", 7, &begin), DATAGRAM_OTHER);
  ck_assert_int_eq(datagram_kind("NkPgN\0x", 7, &begin), DATAGRAM_OTHER);
  ck_assert_int_eq(datagram_kind("$GPGGA", 6, &begin), DATAGRAM_PLAIN);
  ck_assert_int_eq(datagram_kind("", 0, &begin), DATAGRAM_WRONG);
}
END_TEST

// ------------------------------------------------------------
static char taken[4000], refused[1000];
static uint64_t gaps;

static void take(void *context, const struct sockaddr_in *from, const char *source, const char *text,
                 size_t size) {
  (void)context;
  (void)from;
  size_t used = strlen(taken);
  snprintf(taken + used, sizeof taken - used, "%s[%.*s]", source, (int)size, text);
}
static void refuse(void *context, const struct sockaddr_in *from, enum group_fault fault, const char *text,
                   size_t size, const struct reason *why) {
  (void)context;
  (void)from;
  (void)text;
  (void)size;
  size_t used = strlen(refused);
  snprintf(refused + used, sizeof refused - used, "%d %s;", fault, why->text);
}
static void gap(void *context, const struct sockaddr_in *from, const char *source, uint64_t lost) {
  (void)context;
  (void)from;
  (void)source;
  gaps += lost;
}
static char told[200];
static void moved(void *context, const struct sockaddr_in *from, const struct sockaddr_in *before,
                  const char *source) {
  (void)context;
  size_t used = strlen(told);
  snprintf(told + used, sizeof told - used, "%s %d before %d;", source, (int)from->sin_port,
           (int)before->sin_port);
}
static void network(void *context, int which, int is_lost) {
  (void)context;
  size_t used = strlen(told);
  snprintf(told + used, sizeof told - used, "%s %s;", network_name(which), is_lost ? "lost" : "again");
}
static const struct group_sink sink = {take, refuse, gap, moved, network, NULL};
static struct group_reader reader;

static void begin_with(const char *sources, int networks) {
  group_reader_init(&reader, sources, networks);
  *taken = *refused = *told = 0;
  gaps = 0;
}

static void begin(const char *sources) {
  begin_with(sources, 1);
}

// On network 0 or 1 from an address with this port.
static void give_data(int which, int port, const char *data, size_t size, int64_t now_ms, double utc_s) {
  const struct group_moment at = {
      which,
      {.sin_family = AF_INET, .sin_port = (in_port_t)port, .sin_addr.s_addr = (in_addr_t)(1 + which)},
      now_ms,
      utc_s};
  group_reader_take(&reader, &at, data, size, &sink);
}

static void give_by(int which, int port, const char *line, int64_t now_ms) {
  char data[600] = "UdPbC";
  size_t size = (size_t)snprintf(data + 6, sizeof data - 6, "%s\r\n", line) + 6;
  give_data(which, port, data, size, now_ms, 1.7e9);
}

static void give_from(int port, const char *line, int64_t now_ms) {
  give_by(0, port, line, now_ms);
}

static void give(int line) {
  char body[40], sentence[20];
  snprintf(body, sizeof body, "s:HE0001,n:%d", line);
  snprintf(sentence, sizeof sentence, "$%d", line);
  give_from(1, tagged(body, sentence), 1000);
}

// Numbers that come in the order of the list; what acts, what the counts say.
START_TEST(line_counts) {
  static const struct {
    int lines[12];
    const char *acts;
    uint64_t lost, doubled, late, restarted;
  } cases[] = {
      {{5, 6, 7, -1}, "5 6 7 ", 0, 0, 0, 0},
      {{5, 9, -1}, "5 9 ", 3, 0, 0, 0},
      {{998, 999, 1, 2, -1}, "998 999 1 2 ", 0, 0, 0, 0},
      {{998, 999, 0, 1, -1}, "998 999 0 1 ", 0, 0, 0, 0}, // counts modulo 1000
      {{998, 2, -1}, "998 2 ", 2, 0, 0, 0},               // 999 and 1
      {{5, 6, 6, 7, -1}, "5 6 7 ", 0, 1, 0, 0},
      {{5, 7, 6, 8, -1}, "5 7 8 ", 0, 0, 1, 0}, // not lost, but it does not act
      {{5, 7, 6, 6, 8, -1}, "5 7 8 ", 0, 1, 1, 0},
      {{400, 401, 1, 2, 3, 4, 5, -1}, "400 401 4 5 ", 0, 0, 3, 1}, // the sender counts anew: after four in a
                                                                   // row
      {{20, 21, 1, 2, 3, 4, 5, -1}, "20 21 4 5 ", 0, 0, 3, 1},
      {{400, 401, 1, 402, 2, 403, 3, -1}, "400 401 402 403 ", 0, 0, 3, 0}, // not in a row: far behind
      {{20, 21, 10, 9, 8, 7, 6, -1}, "20 21 ", 0, 0, 5, 0},                // do not go on by one
      {{5, 6, 6, 6, 6, 6, 7, -1}, "5 6 7 ", 0, 4, 0, 0},                   // one line many times
      {{5, 6, 7, 8, 5, 6, 7, 9, -1}, "5 6 7 8 9 ", 0, 3, 0, 0},
      {{1, 100, 37, 36, 36, 101, -1}, "1 100 101 ", 97, 0, 3, 0}, // 37 was counted as lost, 36 is too far
                                                                  // behind
      {{1000, 1001, 1002, -1}, "1000 1001 1002 ", 0, 0, 0, 0},    // a sender without a limit
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char acts[200] = "";
    begin("");
    for (const int *line = cases[i].lines; *line >= 0; line++) {
      *taken = 0;
      give(*line);
      if (*taken)
        snprintf(acts + strlen(acts), sizeof acts - strlen(acts), "%d ", *line);
    }
    ck_assert_msg(!strcmp(acts, cases[i].acts), "case %zu: %s", i, acts);
    ck_assert_msg(reader.counts.lost == cases[i].lost && reader.counts.doubled == cases[i].doubled &&
                      reader.counts.late == cases[i].late && reader.counts.restarted == cases[i].restarted,
                  "case %zu: lost %d doubled %d late %d restarted %d", i, (int)reader.counts.lost,
                  (int)reader.counts.doubled, (int)reader.counts.late, (int)reader.counts.restarted);
  }
  begin("");
  give(5);
  give(9);
  ck_assert_uint_eq(gaps, 3);
}
END_TEST

// Only a line that was counted as lost is taken from the lost ones when it comes.
START_TEST(lost_lines_stay_lost) {
  static const int lines[] = {1, 11, 200, 20, 19, 18, 17, 20, 21, 22, 23, 19, 18, 17};
  uint64_t newest = 0;
  begin("");
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    give(lines[i]);
    ck_assert_uint_ge(reader.counts.lost, newest);
    newest = reader.counts.lost;
  }
  ck_assert_uint_eq(reader.counts.lost, 9 + 188);
  ck_assert_uint_eq(reader.counts.restarted, 1);
}
END_TEST

static void give_many(int first, int count) {
  char data[600] = "UdPbC", body[40], sentence[20];
  size_t size = 6;
  for (int i = 0; i < count; i++) {
    snprintf(body, sizeof body, "s:DP0001,n:%d", first + i);
    snprintf(sentence, sizeof sentence, "$%d", first + i);
    size += (size_t)snprintf(data + size, sizeof data - size, "%s\r\n", tagged(body, sentence));
  }
  give_data(0, 1, data, size, 1000, 1.7e9);
}

// A datagram of several lines that the network doubles does not act again; one of a sender that counts anew
// acts after others.
START_TEST(doubled_datagrams) {
  for (int count = 1; count <= 8; count++) {
    begin("");
    for (int n = 0; n < 3; n++)
      for (int copy = 0; copy < 2; copy++) {
        *taken = 0;
        give_many(100 + n * count, count);
        ck_assert_msg((*taken == 0) == (copy == 1), "%d lines, datagram %d, copy %d: %s", count, n, copy,
                      taken);
      }
    ck_assert_uint_eq(reader.counts.doubled, 3 * (uint64_t)count);
    ck_assert_uint_eq(reader.counts.lost + reader.counts.late + reader.counts.restarted, 0);
    for (int n = 0; n < 5; n++) {
      *taken = 0;
      give_many(1 + n * count, count);
      ck_assert_msg((*taken == 0) == (n < 3), "%d lines, datagram %d anew: %s", count, n, taken);
    }
    ck_assert_uint_eq(reader.counts.restarted, 1);
  }
}
END_TEST

// Sentences of a datagram act in their order, also where only some belong together.
START_TEST(order_within_a_datagram) {
  char data[600] = "UdPbC";
  static const char *const lines[][2] = {{"s:DP0001,n:1", "$a"},
                                         {"g:1-2-7,s:DP0001,n:2", "$b"},
                                         {"g:2-2-7,s:DP0001,n:3", "$c"},
                                         {"s:DP0001,n:4", "$d"}};
  size_t size = 6;
  begin("");
  for (int i = 0; i < 4; i++)
    size += (size_t)snprintf(data + size, sizeof data - size, "%s\r\n", tagged(lines[i][0], lines[i][1]));
  give_data(0, 1, data, size, 1000, 1.7e9);
  ck_assert_str_eq(taken, "DP0001[$a\r\n]DP0001[$b\r\n$c\r\n]DP0001[$d\r\n]");
}
END_TEST

START_TEST(senders_are_told_apart) {
  begin("");
  give_from(1, tagged("s:HE0001,n:1", "$a"), 1);
  give_from(1, tagged("s:GP0001,n:7", "$b"), 1);
  give_from(2, tagged("s:HE0001,n:4", "$c"), 1);
  give_from(1, tagged("s:HE0001,n:2", "$d"), 1);
  ck_assert_uint_eq(reader.counts.lost + reader.counts.doubled + reader.counts.late, 0);
  ck_assert_str_eq(taken, "HE0001[$a\r\n]GP0001[$b\r\n]HE0001[$c\r\n]HE0001[$d\r\n]");
  begin("HE0001 HE0002");
  give_from(1, tagged("s:GP0001,n:7", "$b"), 1);
  give_from(1, tagged("s:HE0002,n:7", "$c"), 1);
  give_from(1, "$plain", 1);
  ck_assert_str_eq(taken, "HE0002[$c\r\n]");
  ck_assert_uint_eq(reader.counts.passed, 2);
  begin("");
  for (int i = 0; i < 200; i++)
    give_from(i, tagged("s:HE0001,n:1", "$a"), i + 1);
  ck_assert_uint_eq(reader.counts.forgotten, 200 - GROUP_STREAMS);
}
END_TEST

START_TEST(together_or_not_at_all) {
  begin("");
  give_from(1, tagged("g:1-2-7,s:DP0001,n:1", "$a"), 1000);
  ck_assert_str_eq(taken, "");
  give_from(1, tagged("g:2-2-7,s:DP0001,n:2", "$b"), 1100);
  ck_assert_str_eq(taken, "DP0001[$a\r\n$b\r\n]");
  give_from(1, tagged("g:1-2-8,s:DP0001,n:3", "$a"), 2000);
  group_reader_check(&reader, 2500, &sink);
  ck_assert_str_eq(refused, "");
  group_reader_check(&reader, 2501, &sink);
  ck_assert_msg(strstr(refused, "2 sentences that belong together (g) expected, got 1 within 0.5 s") != NULL,
                "%s", refused);
  ck_assert_uint_eq(reader.counts.incomplete, 1);
  *taken = 0; // the number is used again
  give_from(1, tagged("g:1-2-8,s:DP0001,n:4", "$c"), 3000);
  give_from(1, tagged("g:1-2-8,s:DP0001,n:5", "$c"), 3001);
  give_from(1, tagged("g:2-2-8,s:DP0001,n:6", "$d"), 3002);
  ck_assert_str_eq(taken, "DP0001[$c\r\n$d\r\n]");
  ck_assert_uint_eq(reader.counts.incomplete, 2);
  ck_assert_msg(strstr(refused, "got 1 of group 8 of DP0001 before the number was used again") != NULL, "%s",
                refused);
  for (int i = 1; i <= 99; i++) { // many begins of different groups keep no more room than there is
    char body[60];
    snprintf(body, sizeof body, "g:1-99-%d,s:DP0001,n:%d", i, 6 + i);
    give_from(1, tagged(body, "$e"), 4000);
  }
  ck_assert_uint_eq(reader.counts.incomplete, 2 + 99 - GROUP_BEGUN);
}
END_TEST

START_TEST(age_and_what_is_wrong) {
  static char large[GROUP_DATAGRAM + 1] = "UdPbC";
  begin("");
  ck_assert(isnan(reader.counts.age_s));
  give_from(1, tagged("s:HE0001,n:1,c:1699999999500", "$a"), 1);
  give_from(1, tagged("s:HE0001,n:2,c:1700000000", "$b"), 1);
  ck_assert_double_eq_tol(reader.counts.age_worst_s, 0.5, 1e-6);
  ck_assert_double_eq_tol(reader.counts.age_s, 0, 1e-6);
  give_data(0, 1, large, sizeof large, 1, 0);
  give_data(0, 1, "XdPbC", 6, 1, 0);
  give_data(0, 1, "RaUdP\0\1\2", 8, 1, 0);
  give_data(0, 1, "", 0, 1, 0);
  give_from(1, "\\s:HE0001,n:3*00\\$a", 1);
  ck_assert_uint_eq(reader.counts.wrong, 4);
  ck_assert_uint_eq(reader.counts.other, 1);
  ck_assert_ptr_nonnull(strstr(refused, "at most 1472 bytes"));
  ck_assert_ptr_nonnull(strstr(refused, "UdPbC and a zero byte"));
  ck_assert_ptr_nonnull(strstr(refused, "the checksum *"));
}
END_TEST

// ------------------------------------------------------------
// Two networks. Ports 1 and 2 are those of a sender on A and B.

static void give_number(int which, int line, int64_t now_ms) {
  char body[40], sentence[20];
  snprintf(body, sizeof body, "s:DP0001,n:%d", line);
  snprintf(sentence, sizeof sentence, "$%d", line);
  give_by(which, 1 + which, tagged(body, sentence), now_ms);
}

// Each letter is a line by A or B, each with the next number of its network; a small letter is one that the
// network loses, a digit after it how often it comes.
static void each_acts_once(const char *what, const char *ways, const char *acts, const uint64_t expected[6]) {
  int next[NETWORKS] = {996, 996};
  begin_with("", 2);
  for (const char *c = ways; *c; c++) {
    const int which = (*c | 32) - 'a', line = next[which];
    const int is_lost = *c & 32, times = c[1] >= '2' && c[1] <= '9' ? c[1] - '0' : 1;
    next[which] = next[which] % 999 + 1;
    for (int i = 0; i < times && !is_lost; i++)
      give_number(which, line, 1000);
    c += times > 1;
  }
  char numbers[300] = "";
  for (const char *at = taken; (at = strchr(at, '$')); at++)
    snprintf(numbers + strlen(numbers), sizeof numbers - strlen(numbers), "%d ", atoi(at + 1));
  const uint64_t counts[] = {reader.counts.lost, reader.counts.doubled,  reader.counts.copies,
                             reader.counts.late, reader.network[0].lost, reader.network[1].lost};
  ck_assert_msg(!strcmp(numbers, acts), "%s: %s", what, numbers);
  for (int i = 0; i < 6; i++)
    ck_assert_msg(counts[i] == expected[i], "%s: count %d: %d", what, i, (int)counts[i]);
  ck_assert_uint_eq(reader.counts.restarted + reader.counts.moved, 0);
}

START_TEST(two_networks_act_once) {
  static const struct {
    const char *what, *ways, *acts;
    uint64_t counts[6]; // lost, doubled, copies, late, lost on A, lost on B
  } cases[] = {
      {"both bring all", "ABABABABAB", "996 997 998 999 1 ", {0, 0, 5, 0, 0, 0}},
      {"B is behind", "AAAAAABBBBBB", "996 997 998 999 1 2 ", {0, 0, 6, 0, 0, 0}},
      {"A loses one", "ABaBABAB", "996 997 998 999 ", {0, 0, 3, 0, 1, 0}},
      {"both lose another", "ABaBAbAB", "996 997 998 999 ", {0, 0, 2, 0, 1, 1}},
      {"both lose one", "ABabAB", "996 998 ", {1, 0, 2, 0, 1, 1}},
      {"A ends", "ABABaBaBaB", "996 997 998 999 1 ", {0, 0, 2, 0, 0, 0}},
      {"A comes back", "ABABaBaBaBABAB", "996 997 998 999 1 2 3 ", {0, 0, 4, 0, 3, 0}},
      {"a switch on A repeats", "A3BA2BAB", "996 997 998 ", {0, 3, 3, 0, 0, 0}},
      {"B alone has begun", "aBABAB", "996 997 998 ", {0, 0, 2, 0, 0, 0}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    each_acts_once(cases[i].what, cases[i].ways, cases[i].acts, cases[i].counts);
}
END_TEST

// A sender that counts anew, by both networks, by one, and by one that was away meanwhile: what comes after
// acts, and nothing acts twice.
START_TEST(two_networks_count_anew) {
  begin_with("", 2);
  for (int n = 400; n < 420; n++)
    for (int which = 0; which < 2; which++)
      give_number(which, n, 1000);
  *taken = 0;
  for (int n = 1; n <= 6; n++)
    for (int which = 0; which < 2; which++)
      give_number(which, n, 1000);
  ck_assert_str_eq(taken, "DP0001[$4\r\n]DP0001[$5\r\n]DP0001[$6\r\n]");
  ck_assert_uint_eq(reader.counts.restarted, 1);
  *taken = 0; // once more, while B is away, which then brings all alone
  for (int n = 100; n <= 105; n++)
    give_number(0, n, 1000);
  for (int n = 1; n <= 70; n++)
    give_number(0, n, 1000);
  *taken = 0;
  give_number(1, 70, 1000);
  for (int n = 71; n <= 73; n++)
    give_number(1, n, 1000);
  ck_assert_str_eq(taken, "DP0001[$71\r\n]DP0001[$72\r\n]DP0001[$73\r\n]");
  *taken = 0; // and again with B alone
  for (int n = 1; n <= 6; n++)
    give_number(1, n, 1000);
  ck_assert_str_eq(taken, "DP0001[$4\r\n]DP0001[$5\r\n]DP0001[$6\r\n]");
}
END_TEST

START_TEST(two_networks_belong_together) {
  begin_with("", 2);
  give_by(0, 1, tagged("g:1-2-7,s:DP0001,n:1", "$a"), 1000); // each network loses the other half
  give_by(1, 2, tagged("g:2-2-7,s:DP0001,n:2", "$b"), 1000);
  ck_assert_str_eq(taken, "DP0001[$a\r\n$b\r\n]");
  *taken = 0; // without a line count or a source: by the text
  for (int n = 0; n < 3; n++)
    for (int which = 0; which < 2; which++)
      give_by(which, 1 + which, "$same", 1000);
  give_by(0, 1, tagged("n:1", "$x"), 1000);
  give_by(1, 2, tagged("n:1", "$x"), 1000);
  ck_assert_str_eq(taken, "[$same\r\n][$same\r\n][$same\r\n][$x\r\n]");
}
END_TEST

START_TEST(networks_are_lost_and_come_back) {
  int64_t now_ms = 1000;
  begin_with("", 2);
  int line = 1;
  for (; line <= 20; line++, now_ms += 100)
    for (int which = 0; which < 2; which++)
      give_number(which, line, now_ms);
  ck_assert_str_eq(told, "");
  for (; line <= 40; line++, now_ms += 100)
    give_number(1, line, now_ms);
  ck_assert_str_eq(told, "A lost;");
  for (int which = 0; which < 2; which++)
    give_number(which, line, now_ms);
  ck_assert_str_eq(told, "A lost;A again;");
  begin_with("", 2); // one that has never brought anything; two lines a second apart do not tell
  for (line = 1, now_ms = 1000; line <= 2; line++, now_ms += 1000)
    give_number(0, line, now_ms);
  ck_assert_str_eq(told, "");
  give_number(0, line, now_ms);
  ck_assert_str_eq(told, "B lost;");
}
END_TEST

START_TEST(another_address_is_said_once) {
  begin("");
  for (int port = 1; port <= 3; port++)
    give_from(port, tagged("s:HE0001,n:5", "$a"), port);
  ck_assert_str_eq(told, "HE0001 2 before 1;");
  ck_assert_uint_eq(reader.counts.moved, 2);
  begin_with("", 2); // on one network: the same sender
  give_number(0, 5, 1);
  give_number(1, 5, 1);
  give_by(1, 9, tagged("s:DP0001,n:6", "$6"), 600);
  give_number(0, 6, 600);
  ck_assert_str_eq(told, "DP0001 9 before 2;");
  ck_assert_str_eq(taken, "DP0001[$5\r\n]DP0001[$6\r\n]");
}
END_TEST

// While a sender talks on B, another address with its source and a count a few ahead is another sender.
START_TEST(an_intruder_is_not_adopted) {
  for (int which = 0; which < 2; which++) {
    begin_with("", 2);
    for (int n = 5; n <= 8; n++) {
      give_number(0, n, 1000 + n);
      give_number(1, n, 1000 + n);
      give_by(which, 9, tagged("s:DP0001,n:14", "$false"), 1000 + n);
    }
    ck_assert_msg(strstr(told, which ? "DP0001 9 before" : "DP0001 9 before 1;") != NULL, "%s", told);
    ck_assert_str_eq(taken, "DP0001[$5\r\n]DP0001[$false\r\n]DP0001[$6\r\n]DP0001[$7\r\n]DP0001[$8\r\n]");
    ck_assert_uint_eq(reader.counts.lost, 0);
    ck_assert_uint_eq(reader.counts.copies, 4);
  }
}
END_TEST

// A sender that has a new address on B, where it has just talked: each line acts once, whichever comes first.
START_TEST(a_new_address_acts_once) {
  begin_with("", 2);
  give_number(0, 5, 1000);
  give_number(1, 5, 1000);
  for (int n = 6; n <= 9; n++)
    for (int i = 0; i < 2; i++) {
      char body[40], sentence[20];
      snprintf(body, sizeof body, "s:DP0001,n:%d", n);
      snprintf(sentence, sizeof sentence, "$%d", n);
      if (i == n % 2)
        give_number(0, n, 1010);
      else
        give_by(1, 9, tagged(body, sentence), 1010);
    }
  ck_assert_str_eq(taken, "DP0001[$5\r\n]DP0001[$6\r\n]DP0001[$7\r\n]DP0001[$8\r\n]DP0001[$9\r\n]");
  ck_assert_str_eq(told, "DP0001 9 before 2;"); // its address on B
}
END_TEST

// A line that comes by B after the next one by A never acts: it is lost.
START_TEST(too_late_by_the_other_is_lost) {
  begin_with("", 2);
  for (int n = 1; n <= 3; n++)
    for (int which = 0; which < 2; which++)
      give_number(which, n, 1000);
  give_number(0, 5, 1000);
  give_number(1, 4, 1000);
  give_number(1, 5, 1000);
  ck_assert_ptr_null(strstr(taken, "$4"));
  ck_assert_uint_eq(reader.counts.lost, 1);
  ck_assert_uint_eq(reader.counts.late, 1);
}
END_TEST

// B brings lines that A has brought 600 lines before: none acts again, and A goes on; when A ends, B is
// followed.
START_TEST(far_too_late_is_not_new) {
  begin_with("", 2);
  for (int n = 1; n <= 700; n++)
    give_number(0, n, 1000 + 10 * n);
  *taken = 0;
  for (int n = 1; n <= 100; n++)
    give_number(1, n, 8001);
  ck_assert_str_eq(taken, "");
  give_number(0, 701, 8010);
  ck_assert_str_eq(taken, "DP0001[$701\r\n]");
  for (int n = 101; n <= 110; n++)
    give_number(1, n, 10011);
  ck_assert_ptr_nonnull(strstr(taken, "$110"));
}
END_TEST

// B comes back while A is late by 100 lines: what is ahead by few lines is new.
START_TEST(ahead_of_a_late_one_is_new) {
  begin_with("", 2);
  for (int n = 1; n <= 300; n++)
    give_number(0, n, 1000 + 10 * n);
  *taken = 0;
  give_number(1, 400, 4001);
  give_number(0, 301, 4002);
  give_number(1, 401, 4003);
  ck_assert_str_eq(taken, "DP0001[$400\r\n]DP0001[$401\r\n]");
}
END_TEST

// Two senders of one source, one on each network.
START_TEST(one_count_with_two_sentences_is_said) {
  begin_with("", 2);
  give_number(0, 5, 1000);
  give_number(1, 5, 1000);
  ck_assert_str_eq(told, "");
  give_number(0, 6, 1000);
  give_by(1, 2, tagged("s:DP0001,n:6", "$other"), 1000);
  give_by(1, 2, tagged("s:DP0001,n:6", "$other"), 1000);
  ck_assert_str_eq(told, "DP0001 2 before 1;");
  ck_assert_str_eq(taken, "DP0001[$5\r\n]DP0001[$6\r\n]");
}
END_TEST

// What a dead network loses is counted while it is dead, and not again when it is back.
START_TEST(a_dead_network_loses) {
  for (int has_begun = 0; has_begun < 2; has_begun++) {
    begin_with("", 2);
    give_number(0, 1, 1000);
    if (has_begun)
      give_number(1, 1, 1000);
    for (int n = 2; n <= 201; n++)
      give_number(0, n, 1000 + 10 * n);
    ck_assert_uint_eq(reader.network[1].lost, 199);
    give_number(0, 202, 4000);
    give_number(1, 202, 4000);
    ck_assert_uint_eq(reader.network[1].lost, 200);
    ck_assert_uint_eq(reader.network[0].lost + reader.counts.lost, 0);
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("groups");
  TCase *t = add_case(suite, "groups", 10);
  tcase_add_test(t, tag_blocks_come_back);
  tcase_add_test(t, wrong_blocks_are_named);
  tcase_add_test(t, kinds_of_datagrams);
  tcase_add_test(t, line_counts);
  tcase_add_test(t, lost_lines_stay_lost);
  tcase_add_test(t, doubled_datagrams);
  tcase_add_test(t, order_within_a_datagram);
  tcase_add_test(t, senders_are_told_apart);
  tcase_add_test(t, together_or_not_at_all);
  tcase_add_test(t, age_and_what_is_wrong);
  tcase_add_test(t, two_networks_act_once);
  tcase_add_test(t, two_networks_count_anew);
  tcase_add_test(t, two_networks_belong_together);
  tcase_add_test(t, networks_are_lost_and_come_back);
  tcase_add_test(t, another_address_is_said_once);
  tcase_add_test(t, an_intruder_is_not_adopted);
  tcase_add_test(t, a_new_address_acts_once);
  tcase_add_test(t, too_late_by_the_other_is_lost);
  tcase_add_test(t, far_too_late_is_not_new);
  tcase_add_test(t, ahead_of_a_late_one_is_new);
  tcase_add_test(t, one_count_with_two_sentences_is_said);
  tcase_add_test(t, a_dead_network_loses);
  return run_suite(suite);
}
