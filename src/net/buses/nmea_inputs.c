#include "net/buses/buses.h"
#include "net/buses/buses_internal.h"

#include "net/zmtp/zmtp.h"
#include "sagbend/base/base.h"
#include "sagbend/events/events.h"
#include "sagbend/math/math.h"
#include "sagbend/signals/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static void watch_file(const struct nmea_inputs *inputs, int index, int file) {
  struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)index};
  if (file >= 0)
    epoll_ctl(inputs->events, EPOLL_CTL_ADD, file, &event);
}

static void watch(const struct nmea_inputs *inputs, int index) {
  const struct nmea_input *input = &inputs->input[index];
  watch_file(inputs, index, input->file);
  for (int i = 0; input->reader && i < NETWORKS; i++)
    watch_file(inputs, index, input->receiver.way[i].file);
}

static int is_group(const struct nmea_input *input) {
  return nmea_is_group(input->def->udp, input->def->serial) || nmea_is_multicast(input->def->udp);
}

static enum status nmea_input_open_serial(struct nmea_input *input, struct reason *why);
static enum status nmea_input_open_udp(struct nmea_input *input, struct reason *why);

enum status nmea_inputs_open(const struct nmea_session *session, struct nmea_inputs **out,
                             struct reason *why) {
  struct nmea_inputs *inputs = calloc(1, sizeof *inputs);
  *out = NULL;
  if (!inputs)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the NMEA inputs");
  inputs->def = *session->def;
  inputs->gate = session->gate;
  inputs->names = *session->names;
  inputs->ports = session->ports;
  inputs->networks = session->networks;
  inputs->image.thruster_count = session->gate->rules.thruster_count;
  for (int i = 0; i < inputs->image.thruster_count; i++) {
    inputs->image.setpoint[i] = session->setpoints[i];
  }
  for (int i = 0; i < MAX_NMEA_INPUTS; i++)
    inputs->input[i] = (struct nmea_input){
        .def = &inputs->def.inputs[i], .file = -1, .receiver.way = {{.file = -1}, {.file = -1}}};
  inputs->events = epoll_create1(EPOLL_CLOEXEC);
  enum status status =
      inputs->events < 0 ? fail(why, STATUS_IO, "NMEA inputs: %s", strerror(errno)) : STATUS_OK;
  for (int i = 0; i < inputs->def.input_count && status == STATUS_OK; i++) {
    struct nmea_input *input = &inputs->input[i];
    status = is_group(input)    ? nmea_input_open_group(inputs, input, why)
             : *input->def->udp ? nmea_input_open_udp(input, why)
                                : nmea_input_open_serial(input, why);
    if (status == STATUS_OK)
      watch(inputs, i);
  }
  if (status == STATUS_OK)
    *out = inputs;
  else
    nmea_inputs_close(inputs);
  return status;
}

void nmea_inputs_close(struct nmea_inputs *inputs) {
  if (!inputs)
    return;
  for (int i = 0; i < MAX_NMEA_INPUTS; i++) {
    if (inputs->input[i].file >= 0)
      close(inputs->input[i].file);
    nmea_input_close_group(&inputs->input[i]);
  }
  if (inputs->events >= 0)
    close(inputs->events);
  free(inputs);
}

int nmea_inputs_file(const struct nmea_inputs *inputs) {
  return inputs->events;
}

int nmea_inputs_count(const struct nmea_inputs *inputs) {
  return inputs->def.input_count;
}

struct nmea_place nmea_inputs_place(const struct nmea_inputs *inputs, int index) {
  const struct nmea_input *input = &inputs->input[index];
  struct nmea_place out;
  if (nmea_is_group(input->def->udp, input->def->serial)) {
    char address[INET_ADDRSTRLEN] = "";
    const struct sockaddr_in *at = &input->receiver.at;
    inet_ntop(AF_INET, &at->sin_addr, address, sizeof address);
    snprintf(out.text, sizeof out.text, "UDP %s:%d", address, ntohs(at->sin_port));
  } else if (*input->def->udp)
    snprintf(out.text, sizeof out.text, "UDP %.*s:%d", (int)strcspn(input->def->udp, ":"), input->def->udp,
             input->port);
  else
    snprintf(out.text, sizeof out.text, "%s", input->def->serial);
  return out;
}

const struct group_reader *nmea_inputs_group(const struct nmea_inputs *inputs, int index) {
  return inputs->input[index].reader;
}

static void open_again(struct nmea_inputs *inputs, const struct bus_inbox *inbox) {
  struct reason why;
  for (int i = 0; i < inputs->def.input_count; i++) {
    struct nmea_input *input = &inputs->input[i];
    if (input->reader) {
      nmea_input_keep_group(inputs, input, inbox);
      continue;
    }
    if (input->file >= 0 || clock_ms() < input->retry_ms)
      continue;
    if (nmea_input_open_serial(input, &why) == STATUS_OK)
      watch(inputs, i);
    else
      input->retry_ms = clock_ms() + NMEA_RETRY_MS;
  }
}

static void nmea_input_read_serial(struct nmea_inputs *inputs, struct nmea_input *input,
                                   const struct bus_inbox *inbox);
static void nmea_input_end_answer(struct nmea_inputs *inputs, struct nmea_input *input,
                                  const struct bus_inbox *inbox);
static void nmea_input_read_udp(struct nmea_inputs *inputs, const struct nmea_input *input,
                                const struct bus_inbox *inbox);

void nmea_inputs_serve(struct nmea_inputs *inputs, uint64_t current_step,
                       void (*on_command)(void *context, const struct command *command), void *context) {
  const struct bus_inbox inbox = {inputs->gate, current_step, on_command, context};
  enum { FILES = NETWORKS * MAX_NMEA_INPUTS };
  struct epoll_event events[FILES];
  int count = epoll_wait(inputs->events, events, FILES, 0);
  for (int i = 0; i < count; i++) {
    struct nmea_input *input = &inputs->input[events[i].data.u32];
    if (input->reader)
      nmea_input_read_group(inputs, input, &inbox);
    else if (input->file >= 0 && *input->def->udp)
      nmea_input_read_udp(inputs, input, &inbox);
    else if (input->file >= 0)
      nmea_input_read_serial(inputs, input, &inbox);
  }
  for (int i = 0; i < inputs->def.input_count; i++)
    nmea_input_end_answer(inputs, &inputs->input[i], &inbox);
  open_again(inputs, &inbox);
}

void nmea_inputs_take_whole_answers(struct nmea_inputs *inputs, int on) {
  if (inputs)
    inputs->whole_answers = on;
}

static void nmea_input_refuse_serial(struct nmea_inputs *inputs, struct nmea_input *input);

void nmea_inputs_begin_session(struct nmea_inputs *inputs) {
  for (int i = 0; inputs && i < inputs->def.input_count; i++) {
    struct nmea_input *input = &inputs->input[i];
    if (input->reader)
      nmea_input_refuse_group(inputs, input);
    else if (input->file >= 0 && *input->def->udp)
      nmea_input_refuse_udp(inputs, input->file);
    else if (input->file >= 0)
      nmea_input_refuse_serial(inputs, input);
    input->master.alarms.count = 0;
    input->answer.count = 0;
  }
  for (int i = 0; inputs && i < NMEA_SENDERS; i++)
    inputs->sender[i].master.alarms.count = 0;
}

// ------------------------------------------------------------
// Sentences of thruster commands become one write at the gate; those of alarms go to what their sender
// reports.

void nmea_refuse_sentence(const struct nmea_inputs *inputs, const struct bus_master *master,
                          enum refusal refusal, const char *sentence, size_t size, const struct reason *why) {
  char text[GATE_TEXT], shown[100];
  size_t kept = size < sizeof shown - 1 ? size : sizeof shown - 1;
  for (size_t i = 0; i < kept; i++)
    shown[i] = (char)(sentence[i] >= 0x20 && sentence[i] <= 0x7e ? sentence[i] : '?');
  shown[kept] = 0;
  const char *what = *why->text ? why->text : refusal_help(refusal);
  snprintf(text, sizeof text, "%.300s%s'%s'", what, strstr(what, ", got ") ? " in " : ", got ", shown);
  gate_refuse(inputs->gate, master->name, refusal, text);
}

static enum refusal add_trc(const struct nmea_inputs *inputs, const struct nmea_trc *trc,
                            struct nmea_write *write, struct reason *why) {
  int at = trc->thruster - 1;
  if (at < 0 || at >= inputs->image.thruster_count) {
    fail(why, STATUS_BAD_INPUT, "a thruster number from 1 to %d expected in field 1, as in TRD%s",
         inputs->image.thruster_count,
         at < 0 ? ", not from 0; other sentences of its datagram act, each on the thruster of its number"
                : "");
    return REFUSED_NMEA_THRUSTER;
  }
  struct thruster_setpoint *setpoint = &write->image.setpoint[at];
  if (trc->has_rpm)
    setpoint->revolutions_rpm = trc->rpm_is_percent ? trc->rpm / 100 * inputs->names.full_rpm[at] : trc->rpm;
  if (trc->has_pitch)
    setpoint->pitch = trc->pitch_percent / 100;
  if (trc->has_azimuth)
    setpoint->azimuth_rad = trig_wrap(trc->azimuth_deg * (TRIG_PI / 180));
  setpoint->enable = 1;
  write->thrusters |= 1u << at;
  write->count++;
  return REFUSAL_COUNT;
}

static enum refusal take_trc(const struct nmea_inputs *inputs, const char *text, size_t size,
                             struct nmea_write *write, struct reason *why) {
  struct nmea_trc trc;
  enum refusal refusal = nmea_trc_read(text, size, &trc, why);
  return refusal == REFUSAL_COUNT ? add_trc(inputs, &trc, write, why) : refusal;
}

static void take_sentence(struct nmea_inputs *inputs, struct bus_master *master, const char *text,
                          size_t size, struct nmea_write *write) {
  struct reason why = {""};
  inputs->gate->counts.buses.nmea_received++;
  int is_alarm = nmea_has_formatter(text, size, "ALF");
  enum refusal refusal = is_alarm ? nmea_take_alarm(inputs, master, text, size, &why)
                                  : take_trc(inputs, text, size, write, &why);
  write->alarms += is_alarm && refusal == REFUSAL_COUNT;
  if (refusal != REFUSAL_COUNT)
    nmea_refuse_sentence(inputs, master, refusal, text, size, &why);
}

static void nmea_send_write(struct nmea_inputs *inputs, struct bus_master *master,
                            const struct nmea_write *write, const struct bus_inbox *inbox) {
  struct reason why = {""};
  if (write->count > 0 && bus_master_write(master, &inputs->image, &write->image, write->thrusters,
                                           inbox->current_step, inbox, &why) != REFUSAL_COUNT)
    inputs->gate->counts.buses.nmea_at_gate += (uint64_t)write->count;
}

// Reads the sentences of one datagram of this sender, which needs a name only.
static struct nmea_write nmea_read_sentences(struct nmea_inputs *inputs, struct bus_master *master,
                                             const char *data, size_t size) {
  struct nmea_write write = {.image = inputs->image};
  for (size_t begin = 0; begin < size;) {
    size_t end = begin;
    while (end < size && data[end] != '\n' && data[end] != '\r')
      end++;
    if (end > begin)
      take_sentence(inputs, master, data + begin, end - begin, &write);
    begin = end + 1;
  }
  return write;
}

void nmea_inputs_take(struct nmea_inputs *inputs, struct bus_master *master, const char *data, size_t size,
                      const struct bus_inbox *inbox) {
  bus_master_heard(master, inputs->gate);
  struct nmea_write write = nmea_read_sentences(inputs, master, data, size);
  nmea_send_write(inputs, master, &write, inbox);
}

// ------------------------------------------------------------
// Thruster commands by a serial line: each sentence is one command; in lockstep those of an answer are.

enum { ANSWER_ENDS_MS = 100 };

static enum status nmea_input_open_serial(struct nmea_input *input, struct reason *why) {
  input->file = nmea_open_serial(input->def->serial, input->def->baud, O_RDONLY);
  if (input->file < 0)
    return fail(why, STATUS_IO, "NMEA input %s: %s", input->def->serial, strerror(errno));
  const char *name = strrchr(input->def->serial, '/');
  snprintf(input->master.name, sizeof input->master.name, "nmea:%.50s", name ? name + 1 : input->def->serial);
  return STATUS_OK;
}

static void send_answer(struct nmea_inputs *inputs, struct nmea_input *input, const struct bus_inbox *inbox) {
  nmea_send_write(inputs, &input->master, &input->answer, inbox);
  input->answer.count = 0;
}

// In lockstep the sentences of an answer are collected: the first of them alone would be the whole answer.
static void take_line(struct nmea_inputs *inputs, struct nmea_input *input, const struct bus_inbox *inbox) {
  if (!inputs->whole_answers) {
    nmea_inputs_take(inputs, &input->master, input->line, input->line_size, inbox);
    return;
  }
  bus_master_heard(&input->master, inputs->gate);
  if (!input->answer.count)
    input->answer = (struct nmea_write){.image = inputs->image};
  take_sentence(inputs, &input->master, input->line, input->line_size, &input->answer);
  input->answer_ms = clock_ms();
  if (input->answer.thrusters >> (inputs->image.thruster_count - 1))
    send_answer(inputs, input, inbox);
}

// Whoever has commanded some of the thrusters and is silent has answered.
static void nmea_input_end_answer(struct nmea_inputs *inputs, struct nmea_input *input,
                                  const struct bus_inbox *inbox) {
  if (input->answer.count && clock_ms() - input->answer_ms >= ANSWER_ENDS_MS)
    send_answer(inputs, input, inbox);
}

// Collects lines. What does not fit in a sentence is skipped up to the end of its line.
static void take_bytes(struct nmea_inputs *inputs, struct nmea_input *input, const char *data, size_t size,
                       const struct bus_inbox *inbox) {
  static const struct reason none = {""};
  for (size_t i = 0; i < size; i++) {
    int is_end = data[i] == '\n' || data[i] == '\r';
    if (is_end && input->line_size > 0 && !input->is_too_long)
      take_line(inputs, input, inbox);
    if (is_end) {
      input->line_size = 0;
      input->is_too_long = 0;
    } else if (input->line_size < sizeof input->line) {
      input->line[input->line_size++] = data[i];
    } else if (!input->is_too_long) {
      input->is_too_long = 1;
      inputs->gate->counts.buses.nmea_received++;
      nmea_refuse_sentence(inputs, &input->master, REFUSED_NMEA_LENGTH, input->line, input->line_size, &none);
    }
  }
}

static void fail_serial(struct nmea_inputs *inputs, struct nmea_input *input, const char *why) {
  char text[GATE_TEXT];
  snprintf(text, sizeof text, "NMEA input %s: %s; it is opened again every second", input->def->serial, why);
  close(input->file);
  input->file = -1;
  input->line_size = 0;
  input->retry_ms = clock_ms() + NMEA_RETRY_MS;
  bus_master_leave(&input->master, inputs->gate);
  inputs->gate->on_event(inputs->gate->context, EVENT_NAME(nmea_failed), text);
}

// A line that fails is closed, to be opened again at retry_ms.
static void nmea_input_read_serial(struct nmea_inputs *inputs, struct nmea_input *input,
                                   const struct bus_inbox *inbox) {
  char data[1024];
  ssize_t size = read(input->file, data, sizeof data);
  if (size > 0)
    take_bytes(inputs, input, data, (size_t)size, inbox);
  else if (size == 0 || (errno != EAGAIN && errno != EINTR))
    fail_serial(inputs, input, size == 0 ? "the line is closed" : strerror(errno));
}

static void nmea_input_refuse_serial(struct nmea_inputs *inputs, struct nmea_input *input) {
  enum { READS = 64 }; // more than a line holds
  char data[1024];
  size_t waited = input->line_size;
  for (int i = 0; i < READS; i++) {
    ssize_t size = read(input->file, data, sizeof data);
    if (size <= 0)
      break; // nothing more; nmea_input_read_serial finds what else it is
    waited += (size_t)size;
  }
  if (!waited)
    return;
  input->line_size = 0;
  input->is_too_long = 0;
  inputs->gate->counts.buses.nmea_received++;
  gate_refuse(inputs->gate, input->master.name, REFUSED_SESSION, BUS_OF_BEFORE);
}

// ------------------------------------------------------------
// Thruster commands by UDP: one datagram is one command, one host is one sender.

enum {
  DATAGRAMS_WAITING = 10000, // more than a socket holds
  DATAGRAMS_PER_SERVE = 8,   // short: controllers wait meanwhile
  DATAGRAM_MAX = 1500        // bytes; what is longer is cut. 12 thrusters need 984
};

static enum status nmea_input_open_udp(struct nmea_input *input, struct reason *why) {
  struct sockaddr_in at, bound;
  socklen_t size = sizeof bound;
  nmea_parse_listening(input->def->udp, &at);
  if (ntohl(at.sin_addr.s_addr) >> 24 != 127 && !*input->def->senders)
    return fail(why, STATUS_BAD_INPUT, "NMEA input %s needs senders: NMEA has no security", input->def->udp);
  input->file = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (input->file < 0 || bind(input->file, (const struct sockaddr *)&at, sizeof at) != 0 ||
      getsockname(input->file, (struct sockaddr *)&bound, &size) != 0)
    return fail(why, STATUS_IO, "NMEA input %s: %s", input->def->udp, strerror(errno));
  input->port = ntohs(bound.sin_port);
  return STATUS_OK;
}

static struct nmea_sender *find_sender(struct nmea_inputs *inputs, uint32_t address, const char *source) {
  for (int i = 0; i < NMEA_SENDERS; i++)
    if (inputs->sender[i].address && !strcmp(inputs->sender[i].source, source) &&
        (*source || inputs->sender[i].address == address))
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

struct bus_master nmea_named(uint32_t address) {
  struct bus_master out = {.number = 0};
  snprintf(out.name, sizeof out.name, "nmea:%u.%u.%u.%u", address >> 24, address >> 16 & 255,
           address >> 8 & 255, address & 255);
  return out;
}

void nmea_take_from_host(struct nmea_inputs *inputs, uint32_t address, const char *source, const char *data,
                         size_t size, const struct bus_inbox *inbox) {
  struct bus_master newcomer = nmea_named(address);
  struct nmea_sender *sender = find_sender(inputs, address, source);
  if (*source)
    snprintf(newcomer.name, sizeof newcomer.name, "nmea:%s", source);
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
  snprintf(sender->source, sizeof sender->source, "%s", source);
  nmea_send_write(inputs, &sender->master, &write, inbox);
}

static void nmea_input_read_udp(struct nmea_inputs *inputs, const struct nmea_input *input,
                                const struct bus_inbox *inbox) {
  char data[DATAGRAM_MAX];
  for (int i = 0; i < DATAGRAMS_PER_SERVE; i++) {
    struct sockaddr_in from = {0};
    socklen_t from_size = sizeof from;
    ssize_t size = recvfrom(input->file, data, sizeof data, 0, (struct sockaddr *)&from, &from_size);
    uint32_t address = ntohl(from.sin_addr.s_addr);
    if (size < 0)
      return; // nothing more, or an error that the next datagram does not have
    if (clients_admit(input->def->senders, address)) {
      nmea_take_from_host(inputs, address, "", data, (size_t)size, inbox);
    } else {
      nmea_refuse_stranger(inputs, address, data, (size_t)size);
    }
  }
}

void nmea_refuse_stranger(struct nmea_inputs *inputs, uint32_t address, const char *data, size_t size) {
  static const struct reason none = {""};
  const struct bus_master stranger = nmea_named(address);
  inputs->gate->counts.buses.nmea_received++;
  nmea_refuse_sentence(inputs, &stranger, REFUSED_NMEA_SENDER, data, size, &none);
}

void nmea_input_refuse_udp(struct nmea_inputs *inputs, int file) {
  char data[DATAGRAM_MAX];
  for (int i = 0; i < DATAGRAMS_WAITING; i++) {
    struct sockaddr_in from = {0};
    socklen_t from_size = sizeof from;
    if (recvfrom(file, data, sizeof data, 0, (struct sockaddr *)&from, &from_size) < 0)
      return;
    if (nmea_ports_sent(inputs->ports, &from))
      continue;
    inputs->gate->counts.buses.nmea_received++;
    gate_refuse(inputs->gate, nmea_named(ntohl(from.sin_addr.s_addr)).name, REFUSED_SESSION, BUS_OF_BEFORE);
  }
}
