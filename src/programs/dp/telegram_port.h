// A UDP port at which the telegrams of one instrument arrive: its lines, and who sends them.
#pragma once

#include "net/buses/telegram.h"

#include <netinet/in.h>
#include <stdint.h>

enum { PORT_SENDERS = 4 };

struct telegram_sender {
  struct sockaddr_in at;
  int count; // measurements
  double last_s;
};

struct telegram_port {
  int file;                 // socket; -1: none
  char begin[TELEGRAM_MAX]; // of a telegram whose end has not come yet
  size_t begun;             // its length
  struct telegram_sender sender[PORT_SENDERS];
  uint32_t overrun; // datagrams for which the socket had no room
};

// What a port gives its owner: a line without its end, or, with line NULL, what is wrong.
struct telegram_sink {
  void (*take)(void *owner, const char *line, size_t size, const char *wrong);
  // Whether this line is a telegram by itself.
  int (*is_whole)(void *owner, const char *line, size_t size);
  void *owner;
};

// Opens the port at the loopback interface. Returns 0, or -1 with errno.
int telegram_port_open(struct telegram_port *port, int number);
void telegram_port_close(struct telegram_port *port);
void telegram_port_forget(struct telegram_port *port); // senders and what has begun

// Takes what has come. A datagram may have several telegrams, a telegram may come in two datagrams.
void telegram_port_take(struct telegram_port *port, const struct telegram_sink *sink);

// Notes a measurement of the sender of the newest datagram. 0: another one sends already, and it is not to be
// used. A program with another address for each datagram has none that counts.
int telegram_port_admit(struct telegram_port *port, double time_s);
