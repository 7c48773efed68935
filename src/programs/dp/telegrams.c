// NMEA telegrams that sagbend-dp receives as datagrams, at ports and in multicast groups.
#define _DEFAULT_SOURCE // SO_RXQ_OVFL
#include "programs/dp/dp_program_internal.h"

#include "net/zmtp/zmtp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { DATAGRAMS = 500, DATAGRAM_MAX = 1500, ESTABLISHED = 3 };
static const double SILENT_S = 5; // until another sender may take over

// Opens the port at the loopback interface. Returns 0, or -1 with errno.
static int telegram_port_open(struct telegram_port *port, int number) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)number)};
  const int yes = 1;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  port->file = socket(AF_INET, SOCK_DGRAM, 0);
  if (port->file < 0)
    return -1;
  (void)setsockopt(port->file, SOL_SOCKET, SO_RXQ_OVFL, &yes, sizeof yes);
  return bind(port->file, (const struct sockaddr *)&at, sizeof at);
}

// The same for a group on the ship's network, of which only this source is read ("": all). *failed: the
// network.
static int telegram_port_join(struct telegram_port *port, int group, const char *source,
                              const struct network_def *network, int *failed) {
  const struct sockaddr_in at = group_moved(group_address(group), network);
  *failed = 0;
  port->reader = malloc(sizeof *port->reader);
  if (!port->reader)
    return -1;
  group_reader_init(port->reader, source, group_networks(network));
  return group_receiver_open(&port->receiver, &at, network, failed);
}

static void telegram_port_close(struct telegram_port *port) {
  if (port->file >= 0)
    close(port->file);
  if (port->reader)
    group_receiver_close(&port->receiver);
  free(port->reader);
}

// Forgets senders and what has begun.
static void telegram_port_forget(struct telegram_port *port) {
  port->begun = 0;
  memset(port->sender, 0, sizeof port->sender);
}

// Notes a measurement of the sender of the newest datagram. 0: another one sends already, and it is not to be
// used. A program with another address for each datagram has none that counts.
// The newest sender stands first. Another one that has sent often and is not silent is in possession.
static int telegram_port_admit(struct telegram_port *port, double time_s) {
  for (int i = 1; i < PORT_SENDERS; i++)
    if (port->sender[i].count >= ESTABLISHED && time_s - port->sender[i].last_s <= SILENT_S)
      return 0;
  port->sender[0].count += port->sender[0].count < ESTABLISHED;
  port->sender[0].last_s = time_s;
  return 1;
}

// Puts a sender first; a new one takes the place of one that does not count yet, or of the last one.
static void note_sender(struct telegram_port *port, const struct sockaddr_in *from) {
  int at = 0, last = PORT_SENDERS - 1;
  while (at < PORT_SENDERS && !group_is_same(&port->sender[at].at, from))
    at++;
  if (at == PORT_SENDERS) {
    for (at = last; at > 0 && port->sender[at].count >= ESTABLISHED;)
      at--;
    port->sender[at].at = *from;
    port->sender[at].count = 0;
  }
  for (; at > 0; at--) {
    struct telegram_sender moved = port->sender[at];
    port->sender[at] = port->sender[at - 1];
    port->sender[at - 1] = moved;
  }
}

// The end of a datagram without an end of line: a telegram, or the begin of one.
static void take_rest(struct telegram_port *port, const struct telegram_sink *sink, const char *text,
                      size_t size) {
  if (size >= sizeof port->begin || sink->is_whole(sink->owner, text, size)) {
    sink->take(sink->owner, text, size, NULL);
    return;
  }
  memcpy(port->begin, text, size);
  port->begun = size;
}

// The first line of a datagram may be the rest of what has begun. If they make no telegram, each is one.
static void take_first(struct telegram_port *port, const struct telegram_sink *sink, const char *text,
                       size_t size) {
  char whole[2 * TELEGRAM_MAX];
  size_t begun = port->begun;
  port->begun = 0;
  if (begun && size < TELEGRAM_MAX) {
    memcpy(whole, port->begin, begun);
    memcpy(whole + begun, text, size);
    if (sink->is_whole(sink->owner, whole, begun + size)) {
      sink->take(sink->owner, whole, begun + size, NULL);
      return;
    }
  }
  if (begun)
    sink->take(sink->owner, port->begin, begun, NULL);
  if (size)
    sink->take(sink->owner, text, size, NULL);
}

static void take_datagram(struct telegram_port *port, const struct telegram_sink *sink, const char *data,
                          size_t size) {
  for (size_t begin = 0; begin < size;) {
    size_t end = begin;
    while (end < size && data[end] != '\n' && data[end] != '\r')
      end++;
    int is_rest = end == size && !(begin == 0 && port->begun);
    if (is_rest)
      take_rest(port, sink, data + begin, end - begin);
    else if (begin == 0)
      take_first(port, sink, data, end);
    else if (end > begin)
      sink->take(sink->owner, data + begin, end - begin, NULL);
    begin = end + 1;
  }
}

static void report_overrun(uint32_t count, const struct telegram_sink *sink) {
  char text[100];
  if (!count)
    return;
  snprintf(text, sizeof text, "the datagrams come too fast: %u found no room", count);
  sink->take(sink->owner, NULL, 0, text);
}

// Datagrams that found no room, by the kernel's count.
static void take_overrun(struct telegram_port *port, const struct telegram_sink *sink, struct msghdr *head) {
  uint32_t overrun = port->overrun;
  for (struct cmsghdr *c = CMSG_FIRSTHDR(head); c; c = CMSG_NXTHDR(head, c))
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_RXQ_OVFL)
      memcpy(&overrun, CMSG_DATA(c), sizeof overrun);
  report_overrun(overrun - port->overrun, sink);
  port->overrun = overrun;
}

// What a group gives: sentences, in order and once.
struct from_group {
  struct telegram_port *port;
  const struct telegram_sink *sink;
};

static void take_lines(void *context, const struct sockaddr_in *from, const char *source, const char *text,
                       size_t size) {
  const struct from_group *to = context;
  (void)source;
  note_sender(to->port, from);
  take_datagram(to->port, to->sink, text, size);
}

static void refuse_lines(void *context, const struct sockaddr_in *from, enum group_fault fault,
                         const char *text, size_t size, const struct reason *why) {
  const struct from_group *to = context;
  (void)from;
  (void)fault;
  (void)text;
  (void)size;
  to->sink->take(to->sink->owner, NULL, 0, why->text);
}

static void note_gap(void *context, const struct sockaddr_in *from, const char *source, uint64_t lost) {
  const struct from_group *to = context;
  char text[100];
  (void)from;
  snprintf(text, sizeof text, "%llu lines of %s did not come", (unsigned long long)lost,
           *source ? source : "a sender without source");
  to->sink->take(to->sink->owner, NULL, 0, text);
}

static void note_move(void *context, const struct sockaddr_in *from, const struct sockaddr_in *before,
                      const char *source) {
  const struct from_group *to = context;
  char text[100];
  (void)from;
  (void)before;
  if (to->port->reader->networks < NETWORKS)
    return; // telegram_port_admit decides
  snprintf(text, sizeof text, "%s comes from another address, or two senders have this source", source);
  to->sink->take(to->sink->owner, NULL, 0, text);
}

static void note_network(void *context, int network, int is_lost) {
  const struct from_group *to = context;
  char text[100];
  if (!is_lost)
    return;
  snprintf(text, sizeof text, "network %s brings nothing, and network %s does", network_name(network),
           network_name(1 - network));
  to->sink->take(to->sink->owner, NULL, 0, text);
}

static void take_group(struct telegram_port *port, const struct telegram_sink *sink) {
  struct from_group to = {port, sink};
  const struct group_sink lines = {take_lines, refuse_lines, note_gap, note_move, note_network, &to};
  struct group_datagram datagram;
  group_reader_check(port->reader, clock_ms(), &lines);
  for (int i = 0; i < NETWORKS; i++)
    group_receiver_join(&port->receiver, i);
  for (int n = 0; n < DATAGRAMS; n++) {
    if (n % GROUP_PER_TURN == 0)
      group_receiver_begin(&port->receiver, 0);
    if (!group_receiver_take(&port->receiver, &datagram))
      return;
    const struct group_moment at = {datagram.network, datagram.from, clock_ms(), group_utc_s()};
    report_overrun((uint32_t)datagram.dropped, sink);
    group_reader_take(port->reader, &at, datagram.data, datagram.size, &lines);
  }
}

// Takes what has come. A datagram may have several telegrams, a telegram may come in two datagrams.
static void telegram_port_take(struct telegram_port *port, const struct telegram_sink *sink) {
  char data[DATAGRAM_MAX], control[64], text[100];
  if (port->reader) {
    take_group(port, sink);
    return;
  }
  for (int n = 0; n < DATAGRAMS; n++) {
    struct sockaddr_in from = {0};
    struct iovec part = {data, sizeof data};
    struct msghdr head = {.msg_name = &from,
                          .msg_namelen = sizeof from,
                          .msg_iov = &part,
                          .msg_iovlen = 1,
                          .msg_control = control,
                          .msg_controllen = sizeof control};
    ssize_t size = recvmsg(port->file, &head, MSG_DONTWAIT | MSG_TRUNC);
    if (size < 0)
      return;
    note_sender(port, &from);
    take_overrun(port, sink, &head);
    if ((size_t)size <= sizeof data) {
      take_datagram(port, sink, data, (size_t)size);
      continue;
    }
    snprintf(text, sizeof text, "a datagram of at most %d characters expected, got %zd", DATAGRAM_MAX, size);
    sink->take(sink->owner, NULL, 0, text);
  }
}

// ------------------------------------------------------------
// From telegrams to readings: the place of a fix in the world plane, axes of an acoustic position, the
// elevation that a laser does not report, the rate of what comes without one.

enum { VALUES_ALONE = 10 };         // number of values that may come without their rate
static const double SMOOTH_S = 0.5; // of a value whose rate is wanted
static const double GAP_S = 5;      // after which it begins again
static const double TURN = 2 * 3.14159265358979323846;

static const struct dp_instrument *instrument_of(const struct dp_config *config, int i) {
  const struct navigation_def *navigation = &config->def.navigation;
  for (int k = 0; k < navigation->count; k++)
    if (!strcmp(navigation->instrument[k].name, config->telegram[i].instrument))
      return &navigation->instrument[k];
  return NULL; // never: the DP file was checked
}

void dp_telegrams_begin(struct dp_telegrams *t) {
  t->has_sample = 0;
  for (int i = 0; i < t->config->telegram_count; i++) {
    struct telegram_instrument *of = &t->instrument[i];
    memset(&of->newest, 0, sizeof of->newest);
    memcpy(of->newest.name, of->def->name, sizeof of->def->name);
    of->newest.kind = of->def->kind;
    of->values_alone = 0;
    of->smooth_s = -GAP_S;
    snprintf(of->target, sizeof of->target, "%s", of->telegram->target);
    telegram_port_forget(&of->port);
  }
}

enum status dp_telegrams_open(struct dp_telegrams *t, const struct dp_config *config, struct reason *why) {
  memset(t, 0, sizeof *t);
  t->config = config;
  for (int i = 0; i < MAX_DP_TELEGRAMS; i++)
    t->instrument[i].port.file = -1;
  t->network = (struct network_def){.ttl = 1, .loop = 1, .port_offset = config->port_offset};
  memcpy(t->network.interface, config->interface, sizeof t->network.interface);
  for (int i = 0; i < config->telegram_count; i++) {
    t->instrument[i].def = instrument_of(config, i);
    t->instrument[i].telegram = &config->telegram[i];
    const struct dp_telegram_def *def = &config->telegram[i];
    struct telegram_port *port = &t->instrument[i].port;
    int failed;
    char device[GROUP_DEVICE];
    if (!def->port && group_networks_are_one(&t->network, device))
      return fail(why, STATUS_BAD_INPUT,
                  "nmea.interface_b: an address of another device than that of nmea.interface, %s, expected",
                  device);
    if (!def->port && telegram_port_join(port, def->group, def->source, &t->network, &failed) != 0)
      return fail(why, STATUS_IO, "telegrams of %s in group %s on interface %s: %s", def->instrument,
                  network_group_name(def->group), config->interface[failed], strerror(errno));
    if (def->port && telegram_port_open(port, def->port) != 0)
      return fail(why, STATUS_IO, "telegrams of %s at UDP port %d: %s", config->telegram[i].instrument,
                  config->telegram[i].port, strerror(errno));
  }
  dp_telegrams_begin(t);
  return STATUS_OK;
}

void dp_telegrams_close(struct dp_telegrams *t) {
  for (int i = 0; i < MAX_DP_TELEGRAMS; i++)
    telegram_port_close(&t->instrument[i].port);
}

static void refuse(struct telegram_instrument *of, const char *why) {
  of->refused++;
  snprintf(of->problem, sizeof of->problem, "%s: %s", of->newest.name, why);
}

// A fix without a velocity beside it would be held for one of a vessel at rest.
static void place_fix(const struct dp_telegrams *t, struct telegram_instrument *of,
                      const struct telegram *telegram) {
  struct reading *to = &of->newest;
  double plane[2];
  to->valid = telegram_in_plane(t->config->origin_rad, telegram->value, plane);
  if (to->valid)
    memcpy(to->value, plane, sizeof plane);
  if (!to->valid)
    refuse(of, "a position within 1000 km of nmea.origin_deg expected in GGA");
  else if (of->values_alone > VALUES_ALONE) {
    to->valid = 0;
    refuse(of, "GGA needs VTG beside it: the velocity is missing");
  }
}

// The rate of gyros and motion sensors that do not report it, from the value itself: one of 0 would deny each
// turn.
static void find_rate(struct telegram_instrument *of, double time_s) {
  static const int values[INSTRUMENT_COUNT] = {[INSTRUMENT_GYRO] = 1, [INSTRUMENT_MOTION] = 2};
  int count = values[of->newest.kind], rate = of->newest.kind == INSTRUMENT_GYRO ? 1 : 3;
  double h_s = time_s - of->smooth_s, *value = of->newest.value;
  if (!count || (of->newest.kind == INSTRUMENT_GYRO && of->values_alone <= VALUES_ALONE))
    return;
  for (int k = 0; k < count; k++) {
    if (h_s >= GAP_S)
      of->smooth[k] = value[k];
    value[rate + k] = remainder(value[k] - of->smooth[k], TURN) / (SMOOTH_S + fmin(h_s, GAP_S));
    of->smooth[k] += fmin(h_s, GAP_S) * value[rate + k];
  }
  of->smooth_s = time_s;
}

// 1: the telegram is of the target of this port, which is the first that comes unless the DP file names it.
// Of a laser and a radar without a name the controller looks at the number itself.
static int is_of_target(struct telegram_instrument *of, struct telegram *telegram) {
  char text[120];
  int is_scan = of->newest.kind == INSTRUMENT_LASER || of->newest.kind == INSTRUMENT_RADAR;
  if (!*telegram->target || (is_scan && !*of->telegram->target))
    return 1;
  if (!*of->target && telegram->valid)
    memcpy(of->target, telegram->target, sizeof of->target);
  if (strcmp(of->target, telegram->target) != 0) {
    snprintf(text, sizeof text, "telegrams of %s expected, got one of %s",
             *of->target ? of->target : "a target with a fix", telegram->target);
    refuse(of, text);
    return 0;
  }
  if (is_scan)
    telegram->value[3] = 1; // the one that is meant
  return 1;
}

// Turns an acoustic position and a laser's bearing to the bow with the heading by which the controller turns
// it back, and gives a laser that reports no elevation that of its target.
static void complete(const struct dp_telegrams *t, struct telegram_instrument *of,
                     const struct telegram *telegram) {
  double *value = of->newest.value;
  const struct dp_instrument *d = of->def;
  if (d->kind == INSTRUMENT_HYDROACOUSTIC && telegram->axes == AXES_NORTH) {
    double c = cos(t->pose.heading_rad), s = sin(t->pose.heading_rad);
    value[0] = c * telegram->value[0] + s * telegram->value[1];
    value[1] = c * telegram->value[1] - s * telegram->value[0];
  }
  int is_scan = d->kind == INSTRUMENT_LASER || d->kind == INSTRUMENT_RADAR;
  if (is_scan && telegram->axes == AXES_NORTH)
    value[1] = remainder(telegram->value[1] - t->pose.heading_rad, TURN);
  if (is_scan && !(telegram->channels >> 2 & 1u)) {
    double up_m = d->has_target ? t->pose.down_m + d->position_b_m[2] - d->target_m[2] : 0;
    value[2] = value[0] > fabs(up_m) ? asin(up_m / value[0]) : 0;
  }
}

// Whether it may become a measurement; otherwise it is refused.
static int is_to_be_used(const struct dp_telegrams *t, struct telegram_instrument *of,
                         struct telegram *telegram) {
  if (!is_of_target(of, telegram))
    return 0;
  if (!(telegram->channels & 1u) || telegram_port_admit(&of->port, t->time_s))
    return 1;
  refuse(of, "telegrams of one sender expected, got one of another");
  return 0;
}

struct taking {
  struct dp_telegrams *t;
  struct telegram_instrument *of;
};

static int is_whole(void *owner, const char *line, size_t size) {
  const struct taking *taking = owner;
  struct telegram telegram;
  struct reason why;
  return telegram_read(line, size, taking->of->newest.kind, &telegram, &why) == STATUS_OK;
}

static void take_line(void *owner, const char *line, size_t size, const char *wrong) {
  const struct taking *taking = owner;
  struct telegram_instrument *of = taking->of;
  struct reading *to = &of->newest;
  struct telegram telegram;
  struct reason why = {""};
  if (!line || telegram_read(line, size, to->kind, &telegram, &why) != STATUS_OK) {
    refuse(of, line ? why.text : wrong);
    return;
  }
  if (*telegram.other) {
    of->others++;
    memcpy(of->other, telegram.other, sizeof of->other);
    return;
  }
  if (!is_to_be_used(taking->t, of, &telegram))
    return;
  of->received++;
  const int from = telegram.valid ? 0 : to->kind == INSTRUMENT_TAUT_WIRE ? 2 : READING_CHANNELS;
  for (int k = from; k < READING_CHANNELS; k++) // a slack wire still has a length, a tension and its switch
    if (telegram.channels >> k & 1u && (telegram.axes != AXES_GEOGRAPHIC || k > 1))
      to->value[k] = telegram.value[k];
  if (telegram.channels >> (to->kind == INSTRUMENT_GNSS ? 3 : 1) & 1u)
    of->values_alone = 0;
  if (!(telegram.channels & 1u))
    return;
  to->valid = telegram.valid;
  to->sequence++;
  to->time_s = fmax(0, taking->t->time_s - of->telegram->latency_s);
  if (!telegram.valid)
    return;
  of->values_alone += of->values_alone < 2 * VALUES_ALONE;
  find_rate(of, taking->t->time_s);
  if (telegram.axes == AXES_GEOGRAPHIC)
    place_fix(taking->t, of, &telegram);
  complete(taking->t, of, &telegram);
}

static void replace(struct readings *readings, const struct reading *newest) {
  for (int k = 0; k < readings->instrument_count; k++)
    if (readings->instrument[k].kind == newest->kind && !strcmp(readings->instrument[k].name, newest->name)) {
      readings->instrument[k] = *newest;
      return;
    }
  if (readings->instrument_count > 0 && readings->instrument_count < MAX_INSTRUMENTS)
    readings->instrument[readings->instrument_count++] = *newest;
}

// What the simulator repeats until a controller has come is one measurement, however often it was heard.
static void count_once(struct telegram_instrument *of) {
  of->newest.sequence = of->newest.sequence > 0;
  of->values_alone = of->values_alone > 0;
}

void dp_telegrams_take(struct dp_telegrams *t, double time_s, const struct telegram_pose *pose,
                       struct readings *readings) {
  t->time_s = time_s;
  t->pose = *pose;
  for (int i = 0; i < t->config->telegram_count; i++) {
    struct taking taking = {t, &t->instrument[i]};
    telegram_port_take(&t->instrument[i].port, &(struct telegram_sink){take_line, is_whole, &taking});
    if (!t->has_sample)
      count_once(&t->instrument[i]);
    replace(readings, &t->instrument[i].newest);
  }
  t->has_sample = 1;
}
