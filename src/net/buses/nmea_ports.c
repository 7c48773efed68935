// Transmits readings as sentences to UDP ports, groups and serial lines.
#include "net/buses/buses.h"
#include "net/buses/buses_internal.h"

#include "net/networks/networks.h"
#include "net/zmtp/zmtp.h"
#include "sagbend/base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WAITING_MAX = 8192 };                         // bytes that wait for a slow serial line, at most
enum { LINE_COUNTS = 80 };                           // sources in groups; what is beyond has no count
enum { CHOICE_FIRST = 20000, CHOICE_COUNT = 10000 }; // UDP ports of port *

struct port {
  const struct nmea_port_def *def;
  int file; // -1: failed; opened again at retry_s
  double retry_s;
  struct sockaddr_in to;
  int has_failed;   // and does not work yet
  int is_group;     // datagrams have a token and a TAG block
  int is_multicast; // sender takes the place of file
  struct group_sender sender;
  struct networks *networks;        // what faults do; NULL: nothing
  double storm_s[NETWORKS];         // until when a storm has been sent; 0: there is none
  int number;                       // of the newest sentences that belong together, 1 to 99
  int reservation;                  // socket that keeps the chosen port for the receiver; -1: none
  int is_here;                      // the receiver is on this machine: the system reports whether it listens
  int is_refused;                   // nobody listens there, as of the present pass
  char sends[NMEA_SENTENCE_COUNT];  // 1: the sentence, of each source that the port has
  int sentences[MAX_INSTRUMENTS];   // number of each instrument's; 0: the port does not have it
  char said_first[MAX_INSTRUMENTS]; // its sentences without a measurement were sent
  uint64_t sent[MAX_INSTRUMENTS];   // sequence of the newest reading sent
  uint64_t tried[MAX_INSTRUMENTS];  // of the newest one for which that was tried
  int sends_thrusters, sends_power, sends_alarms;
  uint64_t thrusters_due; // periods of thrusters and power plant that have begun, and were sent
  uint64_t thrusters_tried;
  char waiting[WAITING_MAX];
  size_t waiting_size;
};

struct nmea_ports {
  struct nmea_def def;
  struct nmea_counts counts;
  char failure[200];
  int says_first;  // instruments that have not measured yet say so
  int is_assigned; // the instruments are assigned to the ports by name, with the first readings
  struct port port[MAX_NMEA_PORTS];
  int line_count;
  struct line_count {
    struct sockaddr_in to;
    char source[8];
    int newest;
  } line[LINE_COUNTS]; // of each source in each group
};

// A failure is counted and reported once, until the port works again.
static void fail_port(struct nmea_ports *ports, struct port *port, const char *what, double clock_s) {
  snprintf(ports->failure, sizeof ports->failure, "NMEA port %.107s: %s: %s",
           *port->def->udp ? port->def->udp : port->def->serial, what, strerror(errno));
  if (port->file >= 0)
    close(port->file);
  port->file = -1;
  port->retry_s = clock_s + 1;
  ports->counts.lost += port->waiting_size > 0;
  port->waiting_size = 0;
  ports->counts.failed += !port->has_failed;
  port->has_failed = 1;
}

static void say_multicast_failed(struct nmea_ports *ports, const struct port *port, int network,
                                 const char *what) {
  const struct network_def *def = &ports->def.network;
  const int has_two = group_networks(def) > 1;
  snprintf(ports->failure, sizeof ports->failure,
           "NMEA port %.64s on %s%s%snmea.network.interface%s %.16s: %s: %s",
           port->is_group ? network_group_name(port->def->group) : port->def->udp, has_two ? "network " : "",
           has_two ? network_name(network) : "", has_two ? ", " : "", network ? "_b" : "",
           def->interface[network], what, strerror(errno));
}

static int try_bind(int type, const struct sockaddr_in *at) {
  int file = socket(AF_INET, type | SOCK_CLOEXEC, 0);
  if (file < 0 || bind(file, (const struct sockaddr *)at, sizeof *at) == 0)
    return file;
  close(file);
  return -1;
}

// A UDP port that is free, and below those that systems give to anybody who asks. The TCP port of the same
// number is kept meanwhile, so that no other run chooses it before the receiver has opened it.
static int choose_port(struct port *port) {
  const unsigned start = (unsigned)getpid() * 13;
  for (unsigned i = 0; i < CHOICE_COUNT; i++) {
    port->to.sin_port = htons((uint16_t)(CHOICE_FIRST + (start + i) % CHOICE_COUNT));
    const int reservation = try_bind(SOCK_STREAM, &port->to),
              probe = reservation < 0 ? -1 : try_bind(SOCK_DGRAM, &port->to);
    if (probe >= 0) {
      close(probe);
      port->reservation = reservation;
      return 1;
    }
    if (reservation >= 0)
      close(reservation);
  }
  port->to.sin_port = 0;
  return 0;
}

static int open_multicast(struct nmea_ports *ports, struct port *port) {
  int failed;
  port->is_multicast = 1;
  if (group_sender_open(&port->sender, &port->to, &ports->def.network, &failed) == 0)
    return 1;
  say_multicast_failed(ports, port, failed, "cannot be opened");
  return 0;
}

int nmea_ports_sent(const struct nmea_ports *ports, const struct sockaddr_in *from) {
  for (int i = 0; ports && i < ports->def.port_count; i++)
    if (ports->port[i].is_multicast && group_sender_is(&ports->port[i].sender, from))
      return 1;
  return 0;
}

static int open_udp(struct port *port) {
  int yes = 1;
  if (!port->to.sin_port && !choose_port(port))
    return 0;
  port->is_here = ntohl(port->to.sin_addr.s_addr) >> 24 == 127;
  port->file = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (port->file < 0 || (port->is_here && connect(port->file, (const struct sockaddr *)&port->to,
                                                  sizeof port->to) != 0)) // so that errors are reported
    return 0;
  return setsockopt(port->file, SOL_SOCKET, SO_BROADCAST, &yes, sizeof yes) == 0;
}

static int open_serial(struct port *port) {
  port->file = nmea_open_serial(port->def->serial, port->def->baud, O_WRONLY);
  return port->file >= 0;
}

static int open_port(struct nmea_ports *ports, struct port *port, double clock_s) {
  if (*port->def->serial ? open_serial(port) : open_udp(port)) {
    ports->counts.restored += port->has_failed;
    port->has_failed = 0;
    return 1;
  }
  fail_port(ports, port, "cannot be opened", clock_s);
  return 0;
}

static int open_first(struct nmea_ports *ports, struct port *port) {
  if (port->is_group)
    port->to = group_address(port->def->group);
  else if (*port->def->udp)
    nmea_parse_listening(port->def->udp, &port->to);
  if (!group_is_multicast(&port->to))
    return open_port(ports, port, 0);
  port->to = group_moved(port->to, &ports->def.network);
  return open_multicast(ports, port);
}

enum status nmea_ports_open(const struct nmea_def *def, struct nmea_ports **out, struct reason *why) {
  *out = NULL;
  if (nmea_check_networks(&def->network, why) != STATUS_OK)
    return STATUS_BAD_INPUT;
  struct nmea_ports *ports = calloc(1, sizeof *ports);
  if (!ports)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the NMEA ports");
  ports->def = *def;
  for (int i = 0; i < def->port_count; i++)
    ports->port[i] = (struct port){.def = &ports->def.ports[i],
                                   .file = -1,
                                   .reservation = -1,
                                   .is_group = nmea_is_group(def->ports[i].udp, def->ports[i].serial),
                                   .sends_alarms = words_contain(def->ports[i].instruments, "alarms")};
  for (int i = 0; i < def->port_count; i++)
    if (!open_first(ports, &ports->port[i])) {
      fail(why, STATUS_IO, "%s", ports->failure);
      nmea_ports_close(ports);
      return STATUS_IO;
    }
  *out = ports;
  return STATUS_OK;
}

void nmea_ports_close(struct nmea_ports *ports) {
  for (int i = 0; ports && i < ports->def.port_count; i++) {
    if (ports->port[i].is_multicast)
      group_sender_close(&ports->port[i].sender);
    if (ports->port[i].file >= 0)
      close(ports->port[i].file);
    if (ports->port[i].reservation >= 0)
      close(ports->port[i].reservation);
  }
  free(ports);
}

// Appends to what waits and writes as much as the line accepts. A sentence that does not fit is lost.
static void write_serial(struct nmea_ports *ports, struct port *port, const char *text, size_t size,
                         double clock_s) {
  if (port->waiting_size + size > sizeof port->waiting) {
    ports->counts.lost++;
    return;
  }
  memcpy(port->waiting + port->waiting_size, text, size);
  port->waiting_size += size;
  ports->counts.sent += size > 0;
  ssize_t n = write(port->file, port->waiting, port->waiting_size);
  if (n > 0) {
    port->waiting_size -= (size_t)n;
    memmove(port->waiting, port->waiting + n, port->waiting_size);
  } else if (n < 0 && errno != EAGAIN && errno != EINTR) {
    fail_port(ports, port, "writing failed", clock_s);
  }
}

static int nobody_listens(const struct port *port) {
  int error = 0;
  socklen_t size = sizeof error;
  return port->is_here && getsockopt(port->file, SOL_SOCKET, SO_ERROR, &error, &size) == 0 &&
         error == ECONNREFUSED;
}

static ssize_t send_datagram(const struct port *port, const char *text, size_t size) {
  ssize_t sent = sendto(port->file, text, size, 0, (const struct sockaddr *)&port->to, sizeof port->to);
  if (sent < 0 && errno == ECONNREFUSED) // of the sentence before
    sent = sendto(port->file, text, size, 0, (const struct sockaddr *)&port->to, sizeof port->to);
  return sent;
}

// The next line count of a source in the group of a port; -1: there are too many sources.
static int next_line(struct nmea_ports *ports, const struct port *port, const char *source) {
  int i = 0;
  while (i < ports->line_count && (ports->line[i].to.sin_addr.s_addr != port->to.sin_addr.s_addr ||
                                   strcmp(ports->line[i].source, source)))
    i++;
  if (i == LINE_COUNTS)
    return -1;
  if (i == ports->line_count) {
    ports->line[ports->line_count++] = (struct line_count){.to = port->to};
    snprintf(ports->line[i].source, sizeof ports->line[i].source, "%s", source);
  }
  return ports->line[i].newest = ports->line[i].newest % TAG_LINE_COUNT + 1;
}

// What a sentence is part of, and whose it is.
struct sending {
  const char *talker;
  int place, total; // of sentences that belong together
  int is_doubled;   // sent twice
};

// The TAG block of the next sentence of a port.
static struct tag next_tag(struct nmea_ports *ports, struct port *port, const struct sending *sending) {
  struct tag tag = {.utc_s = NAN};
  if (*port->def->sfi)
    snprintf(tag.source, sizeof tag.source, "%s", port->def->sfi);
  else
    snprintf(tag.source, sizeof tag.source, "%.2s%04d", sending->talker, (int)(port - ports->port) + 1);
  snprintf(tag.destination, sizeof tag.destination, "%s", port->def->destination);
  tag.line = next_line(ports, port, tag.source);
  if (sending->total > 1) {
    if (sending->place == 1)
      port->number = port->number % GROUP_SENTENCES + 1;
    tag.place = sending->place;
    tag.total = sending->total;
    tag.number = port->number;
  }
  if (ports->def.network.tag_time)
    tag.utc_s = group_utc_s();
  return tag;
}

// By each network. What one of them takes is sent.
static void send_multicast(struct nmea_ports *ports, struct port *port, const char *text, size_t size,
                           double clock_s) {
  int taken;
  const unsigned failed = group_sender_send(&port->sender, text, size, clock_s, &taken);
  ports->counts.sent += taken > 0;
  ports->counts.lost += taken == 0;
  for (int i = 0; i < NETWORKS; i++)
    if (failed >> i & 1u) {
      ports->counts.failed++;
      say_multicast_failed(ports, port, i, "sending failed");
    }
}

// A pass ends where nobody listens: whoever opens the port meanwhile gets all sentences of the next one.
static void send_once(struct nmea_ports *ports, struct port *port, const char *text, size_t size,
                      double clock_s) {
  if (port->is_refused)
    return;
  if (port->is_multicast) {
    send_multicast(ports, port, text, size, clock_s);
    return;
  }
  if (port->file < 0) {
    ports->counts.lost++;
    return;
  }
  if (*port->def->serial) {
    write_serial(ports, port, text, size, clock_s);
    return;
  }

  ssize_t sent = send_datagram(port, text, size);
  port->is_refused = sent < 0 ? errno == ECONNREFUSED : nobody_listens(port);
  if (port->is_refused)
    return;
  if (sent == (ssize_t)size) {
    ports->counts.sent++;
    return;
  }
  ports->counts.lost++;
  int is_slow = sent < 0 && (errno == EAGAIN || errno == ENOBUFS || errno == EINTR);
  if (!is_slow)
    fail_port(ports, port, "sending failed", clock_s);
}

// A sentence of a group that is doubled on the way keeps its line count.
static void send_text(struct nmea_ports *ports, struct port *port, const struct sending *sending,
                      const char *text, size_t size, double clock_s) {
  char datagram[GROUP_DATAGRAM];
  if (port->is_group) {
    const struct tag tag = next_tag(ports, port, sending);
    size = datagram_write(&tag, text, size, datagram);
    text = datagram;
  }
  for (int n = 0; n < 1 + sending->is_doubled; n++)
    send_once(ports, port, text, size, clock_s);
}

struct transmission {
  struct nmea_corruption corruption;
  int is_duplicated;
};

static struct transmission transmission_of(const struct fault_set *set, int instrument) {
  struct transmission result = {{0, 0, 0}, 0};
  if (!set)
    return result;

  const struct fault *age = fault_find(set, FAULT_AGE, instrument);
  result.corruption.wrong_checksum = fault_find(set, FAULT_CHECKSUM, instrument) != NULL;
  result.corruption.wrong_talker = fault_find(set, FAULT_TALKER, instrument) != NULL;
  result.corruption.age_s = age ? age->value[0] : 0;
  result.is_duplicated = fault_find(set, FAULT_DUPLICATE_SENTENCE, instrument) != NULL;
  return result;
}

static void send_sentences(struct nmea_ports *ports, struct port *port, int source,
                           const struct readings *readings, int index,
                           const struct transmission *transmission, double clock_s) {
  char text[NMEA_MAX];
  for (int s = 0; s < NMEA_SENTENCE_COUNT; s++) {
    if (!port->sends[s] || nmea_source((enum nmea_sentence)s) != source)
      continue;
    const char *talker = *port->def->talker ? port->def->talker : nmea_default_talker(source);
    struct sending sending = {.talker = talker, .is_doubled = transmission->is_duplicated};
    size_t size;
    while (port->is_group && nmea_write((enum nmea_sentence)s, &ports->def.origin, talker, readings, index,
                                        sending.total, &transmission->corruption, text) > 0)
      sending.total++;
    for (int part = 0; (size = nmea_write((enum nmea_sentence)s, &ports->def.origin, talker, readings, index,
                                          part, &transmission->corruption, text)) > 0;
         part++) {
      sending.place = part + 1;
      send_text(ports, port, &sending, text, size, clock_s);
    }
  }
}

static int nmea_port_sends(const struct nmea_port_def *def, enum nmea_sentence sentence);

static void assign_instruments(struct nmea_ports *ports, const struct readings *readings) {
  for (int i = 0; i < ports->def.port_count; i++) {
    struct port *port = &ports->port[i];
    for (int s = 0; s < NMEA_SENTENCE_COUNT; s++)
      port->sends[s] = (char)nmea_port_sends(port->def, (enum nmea_sentence)s);
    port->sends_thrusters = words_contain(port->def->instruments, "thrusters");
    port->sends_power = words_contain(port->def->instruments, "power");
    for (int k = 0; k < readings->instrument_count; k++) {
      if (words_contain(port->def->instruments, readings->instrument[k].name))
        port->sentences[k] = nmea_sentence_count(port->def, (int)readings->instrument[k].kind);
      port->sends_power &= strcmp(readings->instrument[k].name, "power") != 0; // then it is that instrument
    }
  }
  ports->is_assigned = 1;
}

// The sentences of an instrument that has no measurement yet, marked as not valid.
static void say_first(struct nmea_ports *ports, struct port *port, const struct readings *readings, int k,
                      double clock_s) {
  static const struct transmission undisturbed;
  struct readings not_valid = *readings;
  not_valid.instrument[k].valid = 0;
  send_sentences(ports, port, (int)readings->instrument[k].kind, &not_valid, k, &undisturbed, clock_s);
  port->said_first[k] = (char)!port->is_refused;
}

static void send_reading(struct nmea_ports *ports, struct port *port, const struct readings *readings, int k,
                         const struct fault_set *faults, double clock_s) {
  const uint64_t sequence = readings->instrument[k].sequence;
  if (!sequence && ports->says_first && port->sentences[k] && !port->said_first[k])
    say_first(ports, port, readings, k, clock_s);
  if (!port->sentences[k] || sequence == port->sent[k])
    return;
  struct transmission transmission = transmission_of(faults, k);
  if (sequence != port->tried[k] && port->tried[k] != port->sent[k]) // nobody has listened to that one
    ports->counts.lost += (uint64_t)port->sentences[k];
  port->tried[k] = sequence;
  send_sentences(ports, port, (int)readings->instrument[k].kind, readings, k, &transmission, clock_s);
  if (!port->is_refused)
    port->sent[k] = sequence;
}

static void send_thrusters_and_power(struct nmea_ports *ports, struct port *port,
                                     const struct readings *readings, double time_s, double clock_s) {
  static const struct transmission undisturbed;
  const int thrusters = port->sends_thrusters ? readings->thruster_count : 0,
            power = port->sends_power ? nmea_power_count(&readings->power) : 0;
  uint64_t due = 1 + (uint64_t)(time_s / port->def->thruster_period_s + 1e-6); // rounding must not delay it
  if (due == port->thrusters_due)
    return;
  if (due != port->thrusters_tried && port->thrusters_tried != port->thrusters_due)
    ports->counts.lost += (uint64_t)(thrusters + power);
  port->thrusters_tried = due;
  for (int k = 0; k < thrusters; k++)
    send_sentences(ports, port, NMEA_THRUSTERS, readings, k, &undisturbed, clock_s);
  for (int k = 0; k < power; k++)
    send_sentences(ports, port, NMEA_POWER, readings, k, &undisturbed, clock_s);
  if (!port->is_refused)
    port->thrusters_due = due;
}

static void send_later(void *owner, const void *where, const void *data, size_t size) {
  const struct port *port = owner;
  group_sender_send_by(&port->sender, *(const int *)where, data, size);
}

static int pass(void *context, int network, const char *data, size_t size) {
  struct port *port = context;
  return networks_pass(port->networks, &(struct network_message){.network = network,
                                                                 .direction = NETWORK_OUT,
                                                                 .data = data,
                                                                 .size = size,
                                                                 .deliver = send_later,
                                                                 .owner = port,
                                                                 .where = &network,
                                                                 .where_size = sizeof network});
}

void nmea_ports_disturb(struct nmea_ports *ports, struct networks *networks) {
  for (int i = 0; ports && i < ports->def.port_count; i++) {
    struct port *port = &ports->port[i];
    port->networks = networks;
    port->sender.pass = pass;
    port->sender.context = port;
  }
}

// The datagrams of a storm that are due, of a source that nobody has.
static void send_storm(struct port *port, double clock_s) {
  static const char storm[] = "UdPbC\0\\s:ZZ0000,n:1*00\\$ZZTXT,01,01,01,storm*2E\r\n";
  enum { MOST = 5000 };
  for (int i = 0; i < NETWORKS; i++) {
    const double hz = networks_storm_hz(port->networks, i);
    if (!(hz > 0) || !(port->storm_s[i] > 0))
      port->storm_s[i] = hz > 0 ? clock_s : 0;
    for (int n = 0; hz > 0 && n < MOST && port->storm_s[i] < clock_s; n++, port->storm_s[i] += 1 / hz)
      group_sender_send_by(&port->sender, i, storm, sizeof storm - 1);
  }
}

// Opens again what has failed.
static void retry(struct nmea_ports *ports, struct port *port, double clock_s) {
  if (!port->is_multicast && port->file < 0 && clock_s >= port->retry_s)
    open_port(ports, port, clock_s);
  if (!port->is_multicast)
    return;
  networks_deliver(port->networks, port);
  send_storm(port, clock_s);
  for (int i = 0; i < NETWORKS; i++)
    ports->counts.restored -= port->sender.way[i].restored;
  group_sender_retry(&port->sender, clock_s);
  for (int i = 0; i < NETWORKS; i++)
    ports->counts.restored += port->sender.way[i].restored;
}

static void send_port(struct nmea_ports *ports, struct port *port, const struct readings *readings,
                      double time_s, const struct fault_set *faults, double clock_s) {
  retry(ports, port, clock_s);
  port->is_refused = 0;
  for (int k = 0; k < readings->instrument_count; k++)
    send_reading(ports, port, readings, k, faults, clock_s);
  send_thrusters_and_power(ports, port, readings, time_s, clock_s);
  if (port->file >= 0 && port->waiting_size > 0)
    write_serial(ports, port, "", 0, clock_s);
}

void nmea_ports_send(struct nmea_ports *ports, const struct readings *readings, double time_s,
                     const struct fault_set *faults, double clock_s) {
  if (!ports)
    return;
  if (!ports->is_assigned)
    assign_instruments(ports, readings);
  for (int i = 0; i < ports->def.port_count; i++)
    send_port(ports, &ports->port[i], readings, time_s, faults, clock_s);
}

void nmea_ports_begin_session(struct nmea_ports *ports) {
  for (int i = 0; ports && i < ports->def.port_count; i++) {
    memset(ports->port[i].said_first, 0, sizeof ports->port[i].said_first);
    memset(ports->port[i].sent, 0, sizeof ports->port[i].sent);
    memset(ports->port[i].tried, 0, sizeof ports->port[i].tried);
    ports->port[i].thrusters_due = ports->port[i].thrusters_tried = 0;
  }
}

void nmea_ports_say_first(struct nmea_ports *ports, int on) {
  if (ports)
    ports->says_first = on;
}

void nmea_ports_send_again(struct nmea_ports *ports) {
  for (int i = 0; ports && i < ports->def.port_count; i++) {
    struct port *port = &ports->port[i];
    if (port->is_here)
      continue;
    memset(port->said_first, 0, sizeof port->said_first);
    memset(port->sent, 0, sizeof port->sent);
    memset(port->tried, 0, sizeof port->tried);
    port->thrusters_due = port->thrusters_tried = 0;
  }
}

struct nmea_place nmea_ports_place(const struct nmea_ports *ports, int index) {
  const struct port *port = &ports->port[index];
  struct nmea_place out = {""};
  char address[INET_ADDRSTRLEN] = "";
  if (port->is_group && inet_ntop(AF_INET, &port->to.sin_addr, address, sizeof address))
    snprintf(out.text, sizeof out.text, "%s:%d", address, ntohs(port->to.sin_port));
  else if (*port->def->udp)
    snprintf(out.text, sizeof out.text, "%.*s:%d", (int)strcspn(port->def->udp, ":"), port->def->udp,
             ntohs(port->to.sin_port));
  return out;
}

void nmea_ports_send_not_valid(struct nmea_ports *ports, const struct readings *readings, double clock_s) {
  static const struct transmission undisturbed;
  if (!ports || !ports->is_assigned)
    return;
  struct readings not_valid = *readings;
  for (int k = 0; k < not_valid.instrument_count; k++)
    not_valid.instrument[k].valid = 0;

  for (int i = 0; i < ports->def.port_count; i++) {
    struct port *port = &ports->port[i];
    retry(ports, port, clock_s);
    port->is_refused = 0;
    for (int k = 0; k < not_valid.instrument_count; k++)
      if (port->sentences[k] && not_valid.instrument[k].sequence)
        send_sentences(ports, port, (int)not_valid.instrument[k].kind, &not_valid, k, &undisturbed, clock_s);
  }
}

void nmea_ports_send_alert(struct nmea_ports *ports, const struct nmea_alert *alert, double clock_s) {
  char text[NMEA_MAX];
  for (int i = 0; i < ports->def.port_count; i++) {
    struct port *port = &ports->port[i];
    port->is_refused = 0;
    for (int number = 1; port->sends_alarms && number <= 2; number++) {
      const char *talker = *port->def->talker ? port->def->talker : "II";
      const int total = nmea_alf_write(alert, 2, talker, text) > 0 ? 2 : 1;
      const size_t size = nmea_alf_write(alert, number, talker, text);
      if (size)
        send_text(ports, port, &(struct sending){talker, number, total, 0}, text, size, clock_s);
    }
  }
}

void nmea_ports_set_start(struct nmea_ports *ports, double start_utc_s) {
  if (ports)
    ports->def.origin.start_utc_s = start_utc_s;
}

const struct nmea_origin *nmea_ports_origin(const struct nmea_ports *ports) {
  return &ports->def.origin;
}

struct nmea_network_counts nmea_ports_network(const struct nmea_ports *ports, int network) {
  struct nmea_network_counts out = {0, 0, 0};
  for (int i = 0; i < ports->def.port_count; i++) {
    const struct group_sender_way *way = &ports->port[i].sender.way[network];
    out.sent += way->sent;
    out.lost += way->lost;
    out.failed += way->failed;
  }
  return out;
}

const struct nmea_counts *nmea_ports_counts(const struct nmea_ports *ports) {
  return &ports->counts;
}
const char *nmea_ports_failure(const struct nmea_ports *ports) {
  return ports->failure;
}

// Lines of makers that are no sentences have no place in a group.
static int nmea_port_sends(const struct nmea_port_def *def, enum nmea_sentence sentence) {
  if (nmea_is_group(def->udp, def->serial) && !nmea_is_whole_sentence(sentence))
    return 0;
  return !*def->sentences || words_contain(def->sentences, nmea_name(sentence));
}

int nmea_sentence_count(const struct nmea_port_def *def, int source) {
  int count = 0;
  for (int s = 0; s < NMEA_SENTENCE_COUNT; s++)
    count += nmea_source((enum nmea_sentence)s) == source && nmea_port_sends(def, (enum nmea_sentence)s);
  return count;
}
