#define _DEFAULT_SOURCE // SO_RXQ_OVFL
#include "programs/dp/telegram_port.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { DATAGRAMS = 500, DATAGRAM_MAX = 1500, ESTABLISHED = 3 };
static const double SILENT_S = 5; // until another sender may take over

int telegram_port_open(struct telegram_port *port, int number) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)number)};
  const int yes = 1;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  port->file = socket(AF_INET, SOCK_DGRAM, 0);
  if (port->file < 0)
    return -1;
  (void)setsockopt(port->file, SOL_SOCKET, SO_RXQ_OVFL, &yes, sizeof yes);
  return bind(port->file, (const struct sockaddr *)&at, sizeof at);
}

void telegram_port_close(struct telegram_port *port) {
  if (port->file >= 0)
    close(port->file);
}

void telegram_port_forget(struct telegram_port *port) {
  port->begun = 0;
  memset(port->sender, 0, sizeof port->sender);
}

static int is_same(const struct sockaddr_in *a, const struct sockaddr_in *b) {
  return a->sin_addr.s_addr == b->sin_addr.s_addr && a->sin_port == b->sin_port;
}

// The newest sender stands first. Another one that has sent often and is not silent is in possession.
int telegram_port_admit(struct telegram_port *port, double time_s) {
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
  while (at < PORT_SENDERS && !is_same(&port->sender[at].at, from))
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

// Datagrams that found no room, by the kernel's count.
static void report_overrun(struct telegram_port *port, const struct telegram_sink *sink,
                           struct msghdr *head) {
  char text[100];
  uint32_t overrun = port->overrun;
  for (struct cmsghdr *c = CMSG_FIRSTHDR(head); c; c = CMSG_NXTHDR(head, c))
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_RXQ_OVFL)
      memcpy(&overrun, CMSG_DATA(c), sizeof overrun);
  if (overrun == port->overrun)
    return;
  snprintf(text, sizeof text, "fewer datagrams expected: %u found no room", overrun - port->overrun);
  port->overrun = overrun;
  sink->take(sink->owner, NULL, 0, text);
}

void telegram_port_take(struct telegram_port *port, const struct telegram_sink *sink) {
  char data[DATAGRAM_MAX], control[64], text[100];
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
    report_overrun(port, sink, &head);
    if ((size_t)size <= sizeof data) {
      take_datagram(port, sink, data, (size_t)size);
      continue;
    }
    snprintf(text, sizeof text, "a datagram of at most %d characters expected, got %zd", DATAGRAM_MAX, size);
    sink->take(sink->owner, NULL, 0, text);
  }
}
