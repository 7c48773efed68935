#define _DEFAULT_SOURCE // the higher baud rates
#include "io/nmea/nmea_ports.h"

#include "io/net/endpoint.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

enum { WAITING_MAX = 8192 }; // bytes that a slow serial line may leave waiting

struct port {
  const struct nmea_port_def *def;
  int file; // -1: failed, tried again at retry_s
  double retry_s;
  struct sockaddr_in to;
  uint32_t wanted[MAX_INSTRUMENTS]; // sentences of each instrument, bits
  uint64_t sent[MAX_INSTRUMENTS];   // sequence of the newest telegram that went out
  int thrusters;
  double next_thrusters_s;
  char waiting[WAITING_MAX];
  size_t waiting_size;
};

struct nmea_ports {
  struct nmea_def def;
  struct nmea_counts counts;
  char failure[200];
  int names_known; // the instruments' names are those of the first readings
  struct port port[MAX_NMEA_PORTS];
};

static const struct {
  int baud;
  speed_t code;
} speeds[] = {{4800, B4800},   {9600, B9600},   {19200, B19200},
              {38400, B38400}, {57600, B57600}, {115200, B115200}};
enum { SPEEDS = sizeof speeds / sizeof *speeds };

int nmea_is_baud(int baud) {
  for (int i = 0; i < SPEEDS; i++)
    if (speeds[i].baud == baud)
      return 1;
  return 0;
}

static int parse_udp(const char *text, struct sockaddr_in *to) {
  char host[INET_ADDRSTRLEN] = "";
  const char *colon = strchr(text, ':');
  int port = colon ? endpoint_port(colon + 1) : -1;
  *to = (struct sockaddr_in){.sin_family = AF_INET};
  if (port < 1 || (size_t)(colon - text) >= sizeof host)
    return 0;
  memcpy(host, text, (size_t)(colon - text));
  if (inet_pton(AF_INET, host, &to->sin_addr) != 1)
    return 0;
  to->sin_port = htons((uint16_t)port);
  return 1;
}

int nmea_is_udp(const char *text) {
  struct sockaddr_in to;
  return parse_udp(text, &to);
}

int nmea_next_word(const char **text, char *word, size_t size) {
  const char *start = *text + strspn(*text, " ");
  size_t length = strcspn(start, " ");
  *text = start + length;
  if (length == 0)
    return 0;
  length = length < size ? length : size - 1;
  memcpy(word, start, length);
  word[length] = '\0';
  return 1;
}

static int has_word(const char *text, const char *wanted) {
  char word[SIGNAL_NAME];
  while (nmea_next_word(&text, word, sizeof word))
    if (!strcmp(word, wanted))
      return 1;
  return 0;
}

int nmea_known_sentences(const char *text, char word[16]) {
  while (nmea_next_word(&text, word, 16)) {
    int known = 0;
    for (int s = 0; s < NMEA_SENTENCE_COUNT; s++)
      known |= !strcmp(word, nmea_name(s));
    if (!known)
      return 0;
  }
  return 1;
}

uint32_t nmea_sentences_of(const struct nmea_port_def *def, enum instrument kind) {
  uint32_t wanted = 0;
  for (int s = 0; s < NMEA_SENTENCE_COUNT; s++)
    if (nmea_source(s) == kind && (!*def->sentences || has_word(def->sentences, nmea_name(s))))
      wanted |= 1u << s;
  return wanted;
}

static void fail_port(struct nmea_ports *p, struct port *port, const char *what, double clock_s) {
  snprintf(p->failure, sizeof p->failure, "NMEA port %s: %s: %s",
           *port->def->udp ? port->def->udp : port->def->serial, what, strerror(errno));
  if (port->file >= 0)
    close(port->file);
  port->file = -1;
  port->retry_s = clock_s + 1;
  p->counts.lost += port->waiting_size > 0;
  port->waiting_size = 0;
  p->counts.failed++;
}

static int open_udp(struct port *port) {
  int yes = 1;
  parse_udp(port->def->udp, &port->to);
  port->file = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  return port->file >= 0 && setsockopt(port->file, SOL_SOCKET, SO_BROADCAST, &yes, sizeof yes) == 0;
}

static int open_serial(struct port *port) {
  struct termios line;
  speed_t speed = B4800;
  for (int i = 0; i < SPEEDS; i++)
    if (speeds[i].baud == port->def->baud)
      speed = speeds[i].code;
  port->file = open(port->def->serial, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (port->file < 0 || tcgetattr(port->file, &line) != 0)
    return 0;
  line.c_iflag = 0;
  line.c_oflag = 0;
  line.c_lflag = 0;
  line.c_cflag = CS8 | CLOCAL | CREAD;
  return cfsetospeed(&line, speed) == 0 && cfsetispeed(&line, speed) == 0 &&
         tcsetattr(port->file, TCSANOW, &line) == 0;
}

static int open_port(struct nmea_ports *p, struct port *port, double clock_s) {
  if (*port->def->udp ? open_udp(port) : open_serial(port))
    return 1;
  fail_port(p, port, "cannot be opened", clock_s);
  return 0;
}

enum status nmea_ports_open(const struct nmea_def *def, struct nmea_ports **out, struct reason *why) {
  struct nmea_ports *p = calloc(1, sizeof *p);
  *out = NULL;
  if (!p)
    return fail(why, STATUS_NO_MEMORY, "no memory for the NMEA ports");
  p->def = *def;
  for (int i = 0; i < def->port_count; i++)
    p->port[i] = (struct port){.def = &p->def.ports[i], .file = -1};
  for (int i = 0; i < def->port_count; i++)
    if (!open_port(p, &p->port[i], 0)) {
      fail(why, STATUS_IO, "%s", p->failure);
      nmea_ports_close(p);
      return STATUS_IO;
    }
  *out = p;
  return STATUS_OK;
}

void nmea_ports_close(struct nmea_ports *p) {
  for (int i = 0; p && i < p->def.port_count; i++)
    if (p->port[i].file >= 0)
      close(p->port[i].file);
  free(p);
}

// What waits goes first; what the line does not take now waits, as far as there is room.
static void write_serial(struct nmea_ports *p, struct port *port, const char *text, size_t size,
                         double clock_s) {
  if (port->waiting_size + size > sizeof port->waiting) {
    p->counts.lost++;
    return;
  }
  memcpy(port->waiting + port->waiting_size, text, size);
  port->waiting_size += size;
  p->counts.sent += size > 0;
  ssize_t n = write(port->file, port->waiting, port->waiting_size);
  if (n > 0) {
    port->waiting_size -= (size_t)n;
    memmove(port->waiting, port->waiting + n, port->waiting_size);
  } else if (n < 0 && errno != EAGAIN && errno != EINTR) {
    fail_port(p, port, "writing failed", clock_s);
  }
}

static void send_text(struct nmea_ports *p, struct port *port, const char *text, size_t size,
                      double clock_s) {
  if (port->file < 0) {
    p->counts.lost++;
  } else if (!*port->def->udp) {
    write_serial(p, port, text, size, clock_s);
  } else if (sendto(port->file, text, size, 0, (const struct sockaddr *)&port->to, sizeof port->to) ==
             (ssize_t)size) {
    p->counts.sent++;
  } else if (errno == ECONNREFUSED || errno == EAGAIN || errno == ENOBUFS || errno == EINTR) {
    p->counts.lost++; // nobody listens, or not fast enough
  } else {
    p->counts.lost++;
    fail_port(p, port, "sending failed", clock_s);
  }
}

struct telegram_faults {
  struct nmea_twist twist;
  int twice;
};

static struct telegram_faults faults_of(const struct fault_set *set, int instrument) {
  struct telegram_faults f = {{0, 0, 0}, 0};
  if (!set)
    return f;
  const struct fault *age = fault_find(set, FAULT_AGE, instrument);
  f.twist.wrong_checksum = fault_find(set, FAULT_CHECKSUM, instrument) != NULL;
  f.twist.wrong_talker = fault_find(set, FAULT_TALKER, instrument) != NULL;
  f.twist.age_s = age ? age->value[0] : 0;
  f.twice = fault_find(set, FAULT_DUPLICATE_SENTENCE, instrument) != NULL;
  return f;
}

static void send_sentences(struct nmea_ports *p, struct port *port, uint32_t wanted,
                           const struct readings *readings, int index, const struct telegram_faults *f,
                           double clock_s) {
  char text[NMEA_MAX];
  for (int s = 0; s < NMEA_SENTENCE_COUNT; s++) {
    if (!(wanted & 1u << s))
      continue;
    const char *talker = *port->def->talker ? port->def->talker : nmea_default_talker(nmea_source(s));
    size_t size = nmea_write(s, &p->def.origin, talker, readings, index, &f->twist, text);
    for (int n = 0; size && n < 1 + f->twice; n++)
      send_text(p, port, text, size, clock_s);
  }
}

static void learn_names(struct nmea_ports *p, const struct readings *readings) {
  for (int i = 0; i < p->def.port_count; i++) {
    struct port *port = &p->port[i];
    port->thrusters = has_word(port->def->instruments, "thrusters");
    for (int k = 0; k < readings->instrument_count; k++)
      if (has_word(port->def->instruments, readings->instrument[k].name))
        port->wanted[k] = nmea_sentences_of(port->def, readings->instrument[k].kind);
  }
  p->names_known = 1;
}

static void send_port(struct nmea_ports *p, struct port *port, const struct readings *readings, double time_s,
                      const struct fault_set *faults, double clock_s) {
  static const struct telegram_faults none;
  if (port->file < 0 && clock_s >= port->retry_s)
    open_port(p, port, clock_s);
  for (int k = 0; k < readings->instrument_count; k++) {
    const struct reading *r = &readings->instrument[k];
    if (!port->wanted[k] || r->sequence == port->sent[k])
      continue;
    struct telegram_faults f = faults_of(faults, k);
    port->sent[k] = r->sequence;
    send_sentences(p, port, port->wanted[k], readings, k, &f, clock_s);
  }
  if (port->thrusters && time_s >= port->next_thrusters_s) {
    for (int k = 0; k < readings->thruster_count; k++)
      send_sentences(p, port, nmea_sentences_of(port->def, INSTRUMENT_COUNT), readings, k, &none, clock_s);
    while (port->next_thrusters_s <= time_s)
      port->next_thrusters_s += port->def->thruster_period_s;
  }
  if (port->file >= 0 && port->waiting_size > 0)
    write_serial(p, port, "", 0, clock_s);
}

void nmea_ports_send(struct nmea_ports *p, const struct readings *readings, double time_s,
                     const struct fault_set *faults, double clock_s) {
  if (!p)
    return;
  if (!p->names_known)
    learn_names(p, readings);
  for (int i = 0; i < p->def.port_count; i++)
    send_port(p, &p->port[i], readings, time_s, faults, clock_s);
}

const struct nmea_counts *nmea_ports_counts(const struct nmea_ports *p) {
  return &p->counts;
}
const char *nmea_ports_failure(const struct nmea_ports *p) {
  return p->failure;
}
