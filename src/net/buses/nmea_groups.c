// Thruster commands and alarms in a group on the ship's network, or by multicast without TAG blocks.
#include "net/buses/buses.h"
#include "net/buses/buses_internal.h"

#include "net/groups/groups.h"
#include "net/zmtp/zmtp.h"
#include "sagbend/base/base.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { DATAGRAMS_PER_SERVE = 8 }; // short: controllers wait meanwhile

// As the configuration names it: an address by multicast, or the group.
static const char *name_of(const struct nmea_input_def *def) {
  return *def->udp ? def->udp : network_group_name(def->group);
}

enum status nmea_input_open_group(struct nmea_inputs *inputs, struct nmea_input *input, struct reason *why) {
  const struct network_def *network = &inputs->def.network;
  const struct nmea_input_def *def = input->def;
  if (*def->udp)
    nmea_parse_listening(def->udp, &input->at);
  else
    input->at = group_address(def->group);
  if (!group_is_loopback(network->interface) && !*def->senders)
    return fail(why, STATUS_BAD_INPUT, "NMEA input %s needs senders beyond loopback: NMEA has no security",
                name_of(def));
  input->reader = malloc(sizeof *input->reader);
  if (!input->reader)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the NMEA inputs");
  group_reader_init(input->reader, def->sources);
  input->file = group_open_receiver(&input->at, network->interface);
  if (input->file < 0)
    return fail(why, STATUS_IO, "NMEA input %s on interface %s (nmea.network.interface): %s", name_of(def),
                network->interface, strerror(errno));
  input->port = ntohs(input->at.sin_port);
  input->join_ms = clock_ms() + GROUP_JOIN_AGAIN_MS;
  return STATUS_OK;
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

void nmea_input_read_group(struct nmea_inputs *inputs, struct nmea_input *input,
                           const struct bus_inbox *inbox) {
  struct taking taking = {inputs, input, inbox};
  const struct group_sink sink = {take, refuse, gap, &taking};
  const struct group_counts before = input->reader->counts;
  char data[GROUP_DATAGRAM + 1];
  for (int i = 0; i < DATAGRAMS_PER_SERVE; i++) {
    struct sockaddr_in from = {0};
    socklen_t from_size = sizeof from;
    const ssize_t size = recvfrom(input->file, data, sizeof data, 0, (struct sockaddr *)&from, &from_size);
    if (size < 0)
      break; // nothing more, or an error that the next datagram does not have
    if (nmea_ports_sent(inputs->ports, &from)) {
      inputs->gate->counts.buses.nmea_own++;
    } else if (clients_admit(input->def->senders, ntohl(from.sin_addr.s_addr))) {
      group_reader_take(input->reader, &from, data, (size_t)size, clock_ms(), group_utc_s(), &sink);
    } else {
      nmea_refuse_stranger(inputs, ntohl(from.sin_addr.s_addr), data, (size_t)size);
    }
  }
  add_counts(inputs, &before, &input->reader->counts);
  report_plain(inputs, input);
}

// An interface that goes takes the membership with it, and nothing says so: it is joined again and again.
static void join_again(struct nmea_inputs *inputs, struct nmea_input *input) {
  char text[GATE_TEXT];
  const char *name = name_of(input->def), *interface = inputs->def.network.interface;
  const int was_apart = input->is_apart;
  if (clock_ms() < input->join_ms)
    return;
  input->is_apart = group_join(input->file, &input->at, interface) != 0;
  input->join_ms = clock_ms() + (input->is_apart ? GROUP_JOIN_RETRY_MS : GROUP_JOIN_AGAIN_MS);
  if (input->is_apart == was_apart)
    return;
  if (input->is_apart)
    snprintf(text, sizeof text,
             "NMEA input %.64s: the interface %.16s has gone (%s); it is joined again every second", name,
             interface, strerror(errno));
  else
    snprintf(text, sizeof text, "NMEA input %.64s: the interface %.16s is there again", name, interface);
  report(inputs, input->is_apart ? EVENT_NAME(nmea_failed) : EVENT_NAME(nmea_again), text);
}

void nmea_input_keep_group(struct nmea_inputs *inputs, struct nmea_input *input,
                           const struct bus_inbox *inbox) {
  struct taking taking = {inputs, input, inbox};
  const struct group_sink sink = {take, refuse, gap, &taking};
  const struct group_counts before = input->reader->counts;
  group_reader_check(input->reader, clock_ms(), &sink);
  add_counts(inputs, &before, &input->reader->counts);
  join_again(inputs, input);
}

void nmea_input_refuse_group(struct nmea_inputs *inputs, struct nmea_input *input) {
  nmea_input_refuse_udp(inputs, input);
  group_reader_init(input->reader, input->def->sources);
}
