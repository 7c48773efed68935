// Thruster commands by UDP: one datagram is one command, one host is one sender.
#include "net/buses/buses_internal.h"

#include "net/buses/nmea_address.h"
#include "sagbend/base/clients.h"
#include "net/zmtp/clock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

enum {
  DATAGRAMS_WAITING = 10000, // more than a socket holds
  DATAGRAMS_PER_SERVE = 8,   // short: controllers wait meanwhile
  DATAGRAM_MAX = 1500        // bytes; what is longer is cut. 12 thrusters need 984
};

enum status nmea_input_open_udp(struct nmea_input *input, struct reason *why) {
  struct sockaddr_in at, bound;
  socklen_t size = sizeof bound;
  nmea_parse_listening(input->def->udp, &at);
  if (ntohl(at.sin_addr.s_addr) >> 24 != 127 && !*input->def->senders)
    return fail(why, STATUS_BAD_INPUT, "NMEA input %s: senders expected, because NMEA has no security",
                input->def->udp);
  input->file = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (input->file < 0 || bind(input->file, (const struct sockaddr *)&at, sizeof at) != 0 ||
      getsockname(input->file, (struct sockaddr *)&bound, &size) != 0)
    return fail(why, STATUS_IO, "NMEA input %s: %s", input->def->udp, strerror(errno));
  input->port = ntohs(bound.sin_port);
  return STATUS_OK;
}

static struct nmea_sender *find_sender(struct nmea_inputs *inputs, uint32_t address) {
  for (int i = 0; i < NMEA_SENDERS; i++)
    if (inputs->sender[i].address == address)
      return &inputs->sender[i];
  return NULL;
}

// A place for a new sender: a free one, or that of the one that was silent for longest, but never of the one
// in command.
static struct nmea_sender *make_place(struct nmea_inputs *inputs) {
  struct gate *gate = inputs->gate;
  struct nmea_sender *oldest = NULL;
  for (int i = 0; i < NMEA_SENDERS; i++) {
    struct nmea_sender *sender = &inputs->sender[i];
    int place = bus_master_place(&sender->master, gate);
    if ((place < 0 || place != gate->in_command) && (!oldest || sender->heard_ms < oldest->heard_ms))
      oldest = sender;
  }
  int place = bus_master_place(&oldest->master, gate);
  if (place >= 0)
    gate_displace(gate, place, NMEA_SENDERS);
  return oldest;
}

static struct bus_master named(uint32_t address) {
  struct bus_master out = {.number = 0};
  snprintf(out.name, sizeof out.name, "nmea:%u.%u.%u.%u", address >> 24, address >> 16 & 255,
           address >> 8 & 255, address & 255);
  return out;
}

// Only a sender of a valid sentence gets a place.
static void take_datagram(struct nmea_inputs *inputs, uint32_t address, const char *data, size_t size,
                          const struct bus_inbox *inbox) {
  struct bus_master newcomer = named(address);
  struct nmea_sender *sender = find_sender(inputs, address);
  if (sender) {
    sender->heard_ms = clock_ms();
    nmea_inputs_take(inputs, &sender->master, data, size, inbox);
    return;
  }
  struct nmea_write write = nmea_read_sentences(inputs, &newcomer, data, size);
  if (write.count == 0 && write.alarms == 0)
    return;
  sender = make_place(inputs);
  *sender = (struct nmea_sender){.address = address, .heard_ms = clock_ms(), .master = newcomer};
  nmea_send_write(inputs, &sender->master, &write, inbox);
}

void nmea_input_read_udp(struct nmea_inputs *inputs, const struct nmea_input *input,
                         const struct bus_inbox *inbox) {
  static const struct reason none = {""};
  char data[DATAGRAM_MAX];
  for (int i = 0; i < DATAGRAMS_PER_SERVE; i++) {
    struct sockaddr_in from = {0};
    socklen_t from_size = sizeof from;
    ssize_t size = recvfrom(input->file, data, sizeof data, 0, (struct sockaddr *)&from, &from_size);
    uint32_t address = ntohl(from.sin_addr.s_addr);
    if (size < 0)
      return; // nothing more, or an error that the next datagram does not have
    if (clients_admit(input->def->senders, address)) {
      take_datagram(inputs, address, data, (size_t)size, inbox);
    } else {
      const struct bus_master stranger = named(address);
      inputs->gate->counts.buses.nmea_received++;
      nmea_refuse_sentence(inputs, &stranger, REFUSED_NMEA_SENDER, data, (size_t)size, &none);
    }
  }
}

void nmea_input_refuse_udp(struct nmea_inputs *inputs, const struct nmea_input *input) {
  char data[DATAGRAM_MAX];
  for (int i = 0; i < DATAGRAMS_WAITING; i++) {
    struct sockaddr_in from = {0};
    socklen_t from_size = sizeof from;
    if (recvfrom(input->file, data, sizeof data, 0, (struct sockaddr *)&from, &from_size) < 0)
      return;
    inputs->gate->counts.buses.nmea_received++;
    gate_refuse(inputs->gate, named(ntohl(from.sin_addr.s_addr)).name, REFUSED_SESSION, BUS_OF_BEFORE);
  }
}
