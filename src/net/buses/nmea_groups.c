// Thruster commands and alarms in a group on the ship's network, or by multicast without TAG blocks.
#include "net/buses/buses.h"
#include "net/buses/buses_internal.h"

#include "net/groups/groups.h"
#include "net/networks/networks.h"
#include "net/zmtp/zmtp.h"
#include "sagbend/base/base.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

// As the configuration names it: an address by multicast, or the group.
static const char *name_of(const struct nmea_input_def *def) {
  return *def->udp ? def->udp : network_group_name(def->group);
}

enum status nmea_check_networks(const struct network_def *network, struct reason *why) {
  char device[GROUP_DEVICE];
  if (!group_networks_are_one(network, device))
    return STATUS_OK;
  return fail(why, STATUS_BAD_INPUT,
              "nmea.network.interface_b: an address of another device expected, got %s, which is of %s like "
              "nmea.network.interface, %s",
              network->interface[1], device, network->interface[0]);
}

enum status nmea_input_open_group(struct nmea_inputs *inputs, struct nmea_input *input, struct reason *why) {
  const struct network_def *network = &inputs->def.network;
  const struct nmea_input_def *def = input->def;
  const int count = group_networks(network);
  struct sockaddr_in at = group_address(def->group);
  int failed;
  if (*def->udp)
    nmea_parse_listening(def->udp, &at);
  at = group_moved(at, network);
  for (int i = 0; i < count && !*def->senders; i++)
    if (!group_is_loopback(network->interface[i]))
      return fail(why, STATUS_BAD_INPUT, "NMEA input %s needs senders beyond loopback: NMEA has no security",
                  name_of(def));
  input->reader = malloc(sizeof *input->reader);
  if (!input->reader)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the NMEA inputs");
  if (nmea_check_networks(network, why) != STATUS_OK)
    return STATUS_BAD_INPUT;
  group_reader_init(input->reader, def->sources, count);
  if (group_receiver_open(&input->receiver, &at, network, &failed) != 0)
    return fail(why, STATUS_IO, "NMEA input %s on interface %s (nmea.network.interface%s): %s", name_of(def),
                network->interface[failed], failed ? "_b" : "", strerror(errno));
  input->port = ntohs(at.sin_port);
  if (count > inputs->gate->counts.buses.networks)
    inputs->gate->counts.buses.networks = count;
  return STATUS_OK;
}

void nmea_input_close_group(struct nmea_input *input) {
  if (input->reader)
    group_receiver_close(&input->receiver);
  free(input->reader);
}

// ------------------------------------------------------------
// What the reader gives.

struct taking {
  struct nmea_inputs *inputs;
  const struct nmea_input *input;
  const struct bus_inbox *inbox;
};

// A whole sentence that is neither TRC nor ALF; those with ! are encapsulated ones.
static int is_of_others(const char *text, size_t size) {
  struct reason why;
  if (nmea_has_formatter(text, size, "TRC") || nmea_has_formatter(text, size, "ALF"))
    return 0;
  return *text == '!' || nmea_check_form(text, size, &why) == REFUSAL_COUNT;
}

// A group has sentences of others, too, which are passed over. What is no sentence is refused.
static void take(void *context, const struct sockaddr_in *from, const char *source, const char *text,
                 size_t size) {
  const struct taking *taking = context;
  char kept[GROUP_TEXT];
  size_t used = 0;
  for (size_t begin = 0; begin < size;) {
    size_t end = begin;
    while (end < size && text[end] != '\n')
      end++;
    const size_t length = end - begin, line = length && text[end - 1] == '\r' ? length - 1 : length;
    if (line && !is_of_others(text + begin, line)) {
      memcpy(kept + used, text + begin, length);
      kept[used + length] = '\n';
      used += length + 1;
    } else {
      taking->inputs->gate->counts.buses.nmea_passed_over += line > 0;
    }
    begin = end + 1;
  }
  if (used)
    nmea_take_from_host(taking->inputs, ntohl(from->sin_addr.s_addr), source, kept, used, taking->inbox);
}

static void refuse(void *context, const struct sockaddr_in *from, enum group_fault fault, const char *text,
                   size_t size, const struct reason *why) {
  static const enum refusal refusals[] = {[GROUP_FAULT_TOKEN] = REFUSED_NMEA_FORM,
                                          [GROUP_FAULT_LENGTH] = REFUSED_NMEA_LENGTH,
                                          [GROUP_FAULT_TAG] = REFUSED_NMEA_FORM,
                                          [GROUP_FAULT_CHECKSUM] = REFUSED_NMEA_CHECKSUM,
                                          [GROUP_FAULT_INCOMPLETE] = REFUSED_NMEA_FIELDS};
  const struct taking *taking = context;
  const struct bus_master sender = nmea_named(ntohl(from->sin_addr.s_addr));
  taking->inputs->gate->counts.buses.nmea_received++;
  nmea_refuse_sentence(taking->inputs, &sender, refusals[fault], text, size, why);
}

static void report(const struct nmea_inputs *inputs, const char *event, const char *text) {
  inputs->gate->on_event(inputs->gate->context, event, text);
}

static void gap(void *context, const struct sockaddr_in *from, const char *source, uint64_t lost) {
  const struct taking *taking = context;
  char text[GATE_TEXT];
  snprintf(text, sizeof text, "%llu line%s of %.20s (%.20s) did not come to the input %.64s",
           (unsigned long long)lost, lost == 1 ? "" : "s", *source ? source : "a sender without source",
           nmea_named(ntohl(from->sin_addr.s_addr)).name + strlen("nmea:"), name_of(taking->input->def));
  report(taking->inputs, EVENT_NAME(nmea_gap), text);
}

// An address with its port, for people.
struct address_text {
  char text[INET_ADDRSTRLEN + 8];
};
static struct address_text address_of(const struct sockaddr_in *at) {
  struct address_text out;
  char address[INET_ADDRSTRLEN] = "";
  inet_ntop(AF_INET, &at->sin_addr, address, sizeof address);
  snprintf(out.text, sizeof out.text, "%s:%d", address, ntohs(at->sin_port));
  return out;
}

static void moved(void *context, const struct sockaddr_in *from, const struct sockaddr_in *before,
                  const char *source) {
  const struct taking *taking = context;
  char text[GATE_TEXT];
  snprintf(text, sizeof text,
           "lines of %.20s come to the input %.64s from %s, and came from %s: it has begun anew, or two "
           "senders have one source",
           source, name_of(taking->input->def), address_of(from).text, address_of(before).text);
  report(taking->inputs, EVENT_NAME(nmea_moved), text);
}

static void network(void *context, int which, int is_lost) {
  const struct taking *taking = context;
  char text[GATE_TEXT];
  if (is_lost)
    snprintf(text, sizeof text, "network %s brings nothing to the input %.64s, and network %s %s",
             network_name(which), name_of(taking->input->def), network_name(1 - which),
             is_lost == 1 ? "does" : "does not either");
  else
    snprintf(text, sizeof text, "network %s brings lines to the input %.64s again", network_name(which),
             name_of(taking->input->def));
  report(taking->inputs, is_lost ? EVENT_NAME(network_lost) : EVENT_NAME(network_again), text);
}

// A network is lost where it brings nothing to one group.
static void note_lost(struct nmea_inputs *inputs, int network) {
  int is_lost = 0;
  for (int k = 0; k < inputs->def.input_count; k++)
    is_lost |= inputs->input[k].reader && inputs->input[k].reader->network[network].is_lost;
  inputs->gate->counts.buses.network[network].is_lost = is_lost;
}

// The counts of the networks are those of all groups.
static void add_networks(struct nmea_inputs *inputs, const struct group_network before[NETWORKS],
                         const struct group_reader *reader) {
  for (int i = 0; i < NETWORKS; i++) {
    struct network_counts *sum = &inputs->gate->counts.buses.network[i];
    sum->lines += reader->network[i].lines - before[i].lines;
    sum->lines_lost += reader->network[i].lost - before[i].lost;
    sum->lines_doubled += reader->network[i].copies - before[i].copies;
    if (reader->network[i].is_lost != before[i].is_lost)
      note_lost(inputs, i);
  }
}

// The counts of the session are those of all groups.
static void add_counts(struct nmea_inputs *inputs, const struct group_counts *before,
                       const struct group_counts *after) {
  struct field_bus_counts *sum = &inputs->gate->counts.buses;
  sum->nmea_lines += after->lines - before->lines;
  sum->nmea_lines_lost += after->lost - before->lost; // wraps around with a line that comes late
  sum->nmea_lines_doubled += after->doubled - before->doubled;
  sum->nmea_lines_late += after->late - before->late;
  sum->nmea_passed_over += after->other - before->other + (after->passed - before->passed);
  sum->nmea_incomplete += after->incomplete - before->incomplete;
  if (after->lines != before->lines && !isnan(after->age_s)) {
    sum->nmea_age_s = after->age_s;
    sum->nmea_age_worst_s = fmax(sum->nmea_age_worst_s, after->age_worst_s);
  }
}

static void report_plain(struct nmea_inputs *inputs, struct nmea_input *input) {
  char text[GATE_TEXT];
  if (input->is_plain_reported || !input->reader->counts.plain || *input->def->udp)
    return;
  input->is_plain_reported = 1;
  snprintf(text, sizeof text, "sentences come to the group %s without the token UdPbC; they are read",
           network_group_name(input->def->group));
  report(inputs, EVENT_NAME(nmea_plain), text);
}

// A storm is left to the kernel until the next slice of time: a file that is not watched does not wake the
// main thread.
static void watch_storm(const struct nmea_inputs *inputs, struct nmea_input *input) {
  for (int i = 0; i < NETWORKS; i++) {
    const int rests = group_receiver_rests(&input->receiver, i);
    struct epoll_event event = {.events = rests ? 0 : EPOLLIN, .data.u32 = (uint32_t)(input - inputs->input)};
    if (input->receiver.way[i].file >= 0 && rests != input->is_resting[i])
      epoll_ctl(inputs->events, EPOLL_CTL_MOD, input->receiver.way[i].file, &event);
    input->is_resting[i] = rests;
  }
}

static void take_now(struct nmea_inputs *inputs, struct nmea_input *input,
                     const struct group_datagram *datagram, const struct group_sink *sink) {
  const struct group_moment at = {datagram->network, datagram->from, clock_ms(), group_utc_s()};
  const uint32_t address = ntohl(datagram->from.sin_addr.s_addr);
  const size_t size = datagram->size < sizeof datagram->data ? datagram->size : sizeof datagram->data;
  struct field_bus_counts *counts = &inputs->gate->counts.buses;
  counts->nmea_dropped += datagram->dropped;
  counts->network[datagram->network].dropped += datagram->dropped;
  if (nmea_ports_sent(inputs->ports, &datagram->from))
    counts->nmea_own++;
  else if (clients_admit(input->def->senders, address))
    group_reader_take(input->reader, &at, datagram->data, size, sink);
  else
    nmea_refuse_stranger(inputs, address, datagram->data, size);
}

static void take_later(void *owner, const void *where, const void *data, size_t size) {
  struct nmea_inputs *inputs;
  struct group_datagram datagram = {.network = 0};
  memcpy(&inputs, where, sizeof inputs);
  memcpy(&datagram, data, size < sizeof datagram ? size : sizeof datagram);
  take_now(inputs, owner, &datagram, inputs->delivering);
}

static void take_datagram(struct nmea_inputs *inputs, struct nmea_input *input,
                          const struct group_datagram *datagram, const struct group_sink *sink) {
  const int times = networks_pass(inputs->networks, &(struct network_message){.network = datagram->network,
                                                                              .direction = NETWORK_IN,
                                                                              .data = datagram,
                                                                              .size = sizeof *datagram,
                                                                              .deliver = take_later,
                                                                              .owner = input,
                                                                              .where = &inputs,
                                                                              .where_size = sizeof inputs});
  for (int i = 0; i < times; i++)
    take_now(inputs, input, datagram, sink);
}

void nmea_input_read_group(struct nmea_inputs *inputs, struct nmea_input *input,
                           const struct bus_inbox *inbox) {
  struct taking taking = {inputs, input, inbox};
  const struct group_sink sink = {take, refuse, gap, moved, network, &taking};
  const struct group_reader *reader = input->reader;
  const struct group_counts before = reader->counts;
  struct group_network networks[NETWORKS];
  struct group_datagram datagram;
  memcpy(networks, reader->network, sizeof networks);
  group_receiver_begin(&input->receiver, !inputs->gate->lockstep);
  while (group_receiver_take(&input->receiver, &datagram))
    take_datagram(inputs, input, &datagram, &sink);
  watch_storm(inputs, input);
  add_counts(inputs, &before, &reader->counts);
  add_networks(inputs, networks, reader);
  report_plain(inputs, input);
}

// An interface that goes takes the membership with it, and nothing says so: it is joined again and again.
static void join_again(struct nmea_inputs *inputs, struct nmea_input *input, int which) {
  char text[GATE_TEXT];
  const char *name = name_of(input->def), *interface = inputs->def.network.interface[which];
  if (!group_receiver_join(&input->receiver, which))
    return;
  const int is_apart = input->receiver.way[which].is_apart;
  if (is_apart)
    snprintf(text, sizeof text,
             "NMEA input %.64s: the interface %.16s has gone (%s); it is joined again every second", name,
             interface, strerror(errno));
  else
    snprintf(text, sizeof text, "NMEA input %.64s: the interface %.16s is there again", name, interface);
  report(inputs, is_apart ? EVENT_NAME(nmea_failed) : EVENT_NAME(nmea_again), text);
}

// In real time one commands within the time-out; lockstep waits for it.
static int64_t expected_ms(const struct gate *gate) {
  enum { LEAST_MS = 500 };
  const int64_t timeout_ms = (int64_t)gate->timeout_ms;
  return gate->lockstep || gate->held ? 0 : timeout_ms > LEAST_MS ? timeout_ms : LEAST_MS;
}

void nmea_input_keep_group(struct nmea_inputs *inputs, struct nmea_input *input,
                           const struct bus_inbox *inbox) {
  struct taking taking = {inputs, input, inbox};
  const struct group_sink sink = {take, refuse, gap, moved, network, &taking};
  const struct group_counts before = input->reader->counts;
  struct group_network networks[NETWORKS];
  memcpy(networks, input->reader->network, sizeof networks);
  inputs->delivering = &sink;
  networks_deliver(inputs->networks, input);
  inputs->delivering = NULL;
  input->reader->silent_ms = expected_ms(inputs->gate);
  group_reader_check(input->reader, clock_ms(), &sink);
  add_networks(inputs, networks, input->reader);
  add_counts(inputs, &before, &input->reader->counts);
  watch_storm(inputs, input);
  for (int i = 0; i < group_networks(&inputs->def.network); i++)
    join_again(inputs, input, i);
}

void nmea_input_refuse_group(struct nmea_inputs *inputs, struct nmea_input *input) {
  for (int i = 0; i < NETWORKS; i++)
    if (input->receiver.way[i].file >= 0)
      nmea_input_refuse_udp(inputs, input->receiver.way[i].file);
  networks_forget(inputs->networks, input); // what a fault delays belongs to the session before
  group_reader_init(input->reader, input->def->sources, group_networks(&inputs->def.network));
  for (int i = 0; i < NETWORKS; i++)
    note_lost(inputs, i);
}
