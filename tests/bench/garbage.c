// What comes by the network, right and wrong in a random mixture, through sockets and the whole reader of
// sagbend-dp: good sentences, altered, cut, doubled and joined ones, other tokens, noise, too long datagrams.
// It prints what became of them; a number that is not finite, or an instrument out of its range, ends it with
// 1. Groups are sent: run it where nothing can leave the machine.
//
//   unshare -rn sh -c 'ip link set lo up && build/bench/garbage 2000'        MB (default 20), seed (default
//   1)
#define _GNU_SOURCE
#include "net/case/case.h"
#include "programs/dp/dp_program_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

enum { LONGEST = 2200, BATCH = 16, LINES = 8, KINDS = 6 };
static uint64_t state;
static const char *const KIND[KINDS] = {"good", "altered", "cut", "joined", "other token", "noise"};

static uint64_t draw(void) { // xorshift64*
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return state * UINT64_C(2685821657736338717);
}

static int below(int n) {
  return (int)(draw() >> 33) % n;
}

static const char *const SENTENCES[] = {
    "GPGGA,083733.00,59%02d.%04d,N,005%02d.%04d,E,%d,12,0.8,31.2,M,45.1,M,,",
    "GPVTG,%d.%d,T,,M,%d.%d,N,,K,A",
    "HEHDT,%d.%d,T",
    "HETHS,%d.%d,A",
    "HEROT,%d.%d,A",
    "PSXN,23,%d.%d,%d.%d,180.0,0.1%d",
    "WIMWV,%d.%d,R,%d.%d,M,A",
    "GPGSA,A,3,04,05,,09,12,,,24,,,,,2.5,1.3,2.1",
    "GPGST,083733.00,1.%d,,,,0.%d,0.%d,1.%d",
    "IIXDR,A,%d.%d,D,X,F,%d.%d,N,Y",
};

static size_t write_line(char *out) {
  static const char *const SOURCES[] = {"GP0001", "GP0002", "GP0003", "HE0001", "HE0002",
                                        "HE0003", "IN0001", "WI0001", "ZZ0009"};
  static int line[9];
  char body[200], sentence[240];
  struct tag tag = {.utc_s = NAN};
  const int s = below(9);
  snprintf(body, sizeof body, SENTENCES[below(sizeof SENTENCES / sizeof *SENTENCES)], below(60), below(10),
           below(60), below(10), below(9), below(9));
  snprintf(sentence, sizeof sentence, "$%s*%02X", body, telegram_checksum(body, strlen(body)));
  snprintf(tag.source, sizeof tag.source, "%s", SOURCES[s]);
  line[s] = line[s] % 999 + 1 + (below(200) == 0) * below(400);
  tag.line = line[s] > 999 ? (line[s] = 1) : line[s];
  if (below(20) == 0) {
    tag.total = 2 + below(3);
    tag.place = 1 + below(tag.total);
    tag.number = 1 + below(99);
  }
  const size_t size = tag_write(&tag, out);
  return size + (size_t)sprintf(out + size, "%s\r\n", sentence);
}

static size_t write_datagram(char *out, int kind) {
  size_t size = 7;
  memcpy(out, "UdPbC", 6);
  size = below(12) ? 6 : 0; // also plain sentences
  for (int n = 1 + below(LINES); n > 0; n--)
    size += write_line(out + size);
  if (kind == 1)
    for (int n = 1 + below(6); n > 0; n--)
      out[below((int)size)] = (char)below(256);
  if (kind == 2)
    size = 1 + (size_t)below((int)size);
  if (kind == 3) {
    const size_t again = (size_t)below((int)size);
    memmove(out + size, out + again, size - again);
    size += size - again;
  }
  if (kind == 4)
    memcpy(out, below(2) ? "RaUdP" : "NkPgN", 6);
  if (kind == 5) {
    size = (size_t)below(LONGEST);
    for (size_t i = 0; i < size; i++)
      out[i] = (char)(below(4) ? "$\\*,:-.\r\nUdPbC0123456789GgNHET"[below(30)] : below(256));
  }
  return size;
}

static void check_readings(const struct readings *readings) {
  for (int i = 0; i < readings->instrument_count; i++) {
    const struct reading *r = &readings->instrument[i];
    for (int k = 0; k < READING_CHANNELS; k++)
      if (!isfinite(r->value[k]) || (r->kind == INSTRUMENT_GYRO && k == 0 && fabs(r->value[0]) > 3.1416)) {
        printf("%s: channel %d is %g\n", r->name, k, r->value[k]);
        exit(1);
      }
  }
}

static int open_sender(void) {
  const struct in_addr loopback = {htonl(INADDR_LOOPBACK)};
  const int file = socket(AF_INET, SOCK_DGRAM, 0);
  return file >= 0 && setsockopt(file, IPPROTO_IP, IP_MULTICAST_IF, &loopback, sizeof loopback) == 0 ? file
                                                                                                     : -1;
}

static void print_counts(const struct dp_telegrams *t) {
  printf("instrument       taken    refused  passed over | lines       lost    doubled       late incomplete "
         "     wrong\n");
  for (int i = 0; i < t->config->telegram_count; i++) {
    const struct telegram_instrument *of = &t->instrument[i];
    const struct group_counts *c = &of->port.reader->counts;
    printf("%-10s %11" PRIu64 " %10" PRIu64 " %12" PRIu64 " | %-9" PRIu64 " %6" PRIu64 " %10" PRIu64
           " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 "\n",
           of->def->name, of->received, of->refused, of->others, c->lines, c->lost, c->doubled, c->late,
           c->incomplete, c->wrong);
  }
}

int main(int argc, char **argv) {
  static struct dp_config config;
  static struct dp_telegrams telegrams;
  static struct readings readings;
  static char data[2 * LONGEST * 2];
  const double bytes = 1e6 * (argc > 1 ? atof(argv[1]) : 20);
  struct telegram_pose pose = {0, 0};
  struct reason why = {""};
  struct rusage usage;
  uint64_t count[KINDS] = {0}, unsent = 0;
  long before_kb = 0;
  double sent = 0, time_s = 0;
  state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  state += !state;
  if (dp_config_load(TEST_SOURCE_DIR "/configs/osv-83m-450-dp.yaml", NULL, 0, &config, stderr) != STATUS_OK ||
      dp_telegrams_open(&telegrams, &config, &why) != STATUS_OK) {
    fprintf(stderr, "%s\n", why.text);
    return 2;
  }
  const int file = open_sender();
  const struct sockaddr_in to[2] = {group_address(2), group_address(3)}; // SATD, NAVD
  const clock_t begin = clock();
  while (sent < bytes) {
    for (int n = 0; n < BATCH; n++) {
      const int kind = below(KINDS);
      const size_t size = write_datagram(data, kind);
      unsent += sendto(file, data, size, 0, (const struct sockaddr *)&to[below(8) == 0], sizeof *to) < 0;
      sent += (double)size;
      count[kind]++;
    }
    time_s += 0.1;
    readings.instrument_count = readings.instrument_count ? readings.instrument_count : 1;
    dp_telegrams_take(&telegrams, time_s, &pose, &readings);
    check_readings(&readings);
    getrusage(RUSAGE_SELF, &usage);
    before_kb = before_kb || sent < 0.01 * bytes ? before_kb : usage.ru_maxrss;
  }
  printf("%.0f MB in %.0f s of processor time; datagrams:", 1e-6 * sent,
         (double)(clock() - begin) / CLOCKS_PER_SEC);
  for (int k = 0; k < KINDS; k++)
    printf(" %" PRIu64 " %s%s", count[k], KIND[k], k < KINDS - 1 ? "," : "");
  printf("; %" PRIu64 " not sent\nlargest memory %ld kB after 1 %%, %ld kB at the end\n", unsent, before_kb,
         usage.ru_maxrss);
  print_counts(&telegrams);
  dp_telegrams_close(&telegrams);
  return 0;
}
