#include "io/nmea/nmea_inputs.h"

#include "core/math/trig.h"
#include "io/net/clients.h"
#include "io/net/clock.h"
#include "io/nmea/nmea_address.h"
#include "io/nmea/nmea_trc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
  DATAGRAMS_PER_SERVE = 8, // short: controllers wait meanwhile
  DATAGRAM_MAX = 1500,     // bytes; what is longer is cut. 12 thrusters need 984
  LINE_MAX_BYTES = 128,
  SENDERS = 16,
  RETRY_MS = 1000
};

struct sender {
  uint32_t address; // host byte order; 0: this place is free
  int64_t heard_ms;
  struct bus_master master;
};

struct input {
  const struct nmea_input_def *def;
  int file; // -1: failed; opened again at retry_ms
  int64_t retry_ms;
  int port;                 // of UDP, as bound
  struct bus_master master; // at the other end of the serial line
  char line[LINE_MAX_BYTES];
  size_t line_size;
  int is_too_long; // the rest of this line is skipped
};

struct nmea_inputs {
  struct nmea_def def;
  struct gate *gate;
  double full_rpm[MAX_THRUSTERS];
  struct bus_image image;
  int events; // epoll
  struct input input[MAX_NMEA_INPUTS];
  struct sender sender[SENDERS]; // by UDP
};

static void watch(const struct nmea_inputs *inputs, int index) {
  struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)index};
  epoll_ctl(inputs->events, EPOLL_CTL_ADD, inputs->input[index].file, &event);
}

static enum status open_udp(struct input *input, struct reason *why) {
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

static enum status open_serial(struct input *input, struct reason *why) {
  input->file = nmea_open_serial(input->def->serial, input->def->baud, O_RDONLY);
  if (input->file < 0)
    return fail(why, STATUS_IO, "NMEA input %s: %s", input->def->serial, strerror(errno));
  const char *name = strrchr(input->def->serial, '/');
  snprintf(input->master.name, sizeof input->master.name, "nmea:%.50s", name ? name + 1 : input->def->serial);
  return STATUS_OK;
}

enum status nmea_inputs_open(const struct nmea_session *session, struct nmea_inputs **out,
                             struct reason *why) {
  struct nmea_inputs *inputs = calloc(1, sizeof *inputs);
  *out = NULL;
  if (!inputs)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the NMEA inputs");
  inputs->def = *session->def;
  inputs->gate = session->gate;
  inputs->image.thruster_count = session->gate->rules.thruster_count;
  for (int i = 0; i < inputs->image.thruster_count; i++) {
    inputs->image.setpoint[i] = session->setpoints[i];
    inputs->full_rpm[i] = session->full_rpm[i];
  }
  for (int i = 0; i < MAX_NMEA_INPUTS; i++)
    inputs->input[i] = (struct input){.def = &inputs->def.inputs[i], .file = -1};
  inputs->events = epoll_create1(EPOLL_CLOEXEC);
  enum status status =
      inputs->events < 0 ? fail(why, STATUS_IO, "NMEA inputs: %s", strerror(errno)) : STATUS_OK;
  for (int i = 0; i < inputs->def.input_count && status == STATUS_OK; i++) {
    struct input *input = &inputs->input[i];
    status = *input->def->udp ? open_udp(input, why) : open_serial(input, why);
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
  for (int i = 0; i < MAX_NMEA_INPUTS; i++)
    if (inputs->input[i].file >= 0)
      close(inputs->input[i].file);
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
  const struct input *input = &inputs->input[index];
  struct nmea_place out;
  if (*input->def->udp)
    snprintf(out.text, sizeof out.text, "UDP %.*s:%d", (int)strcspn(input->def->udp, ":"), input->def->udp,
             input->port);
  else
    snprintf(out.text, sizeof out.text, "%s", input->def->serial);
  return out;
}

// Counts a sentence that becomes no command, and reports it.
static void refuse(const struct nmea_inputs *inputs, const struct bus_master *master,
                   enum nmea_refusal refusal, const char *sentence, size_t size, const struct reason *why) {
  char text[GATE_TEXT], shown[100];
  size_t kept = size < sizeof shown - 1 ? size : sizeof shown - 1;
  for (size_t i = 0; i < kept; i++)
    shown[i] = (char)(sentence[i] >= 0x20 && sentence[i] <= 0x7e ? sentence[i] : '?');
  shown[kept] = 0;
  inputs->gate->counts.buses.nmea_refused[refusal]++;
  snprintf(text, sizeof text, "%s: %s: %.300s, got '%s'", master->name, nmea_refusal_name(refusal),
           *why->text ? why->text : nmea_refusal_help(refusal), shown);
  inputs->gate->on_event(inputs->gate->context, "nmea_refused", text);
}

// A write in the making: the sentences of one datagram.
struct nmea_write {
  struct bus_image image;
  uint32_t thrusters; // one bit each
  int count;          // of sentences
};

static enum nmea_refusal add_trc(const struct nmea_inputs *inputs, const struct nmea_trc *trc,
                                 struct nmea_write *write, struct reason *why) {
  int at = trc->thruster - 1;
  if (at < 0 || at >= inputs->image.thruster_count) {
    fail(why, STATUS_BAD_INPUT, "a thruster number from 1 to %d expected in field 1",
         inputs->image.thruster_count);
    return NMEA_REFUSED_THRUSTER;
  }
  struct thruster_setpoint *setpoint = &write->image.setpoint[at];
  if (trc->has_rpm)
    setpoint->revolutions_rpm = trc->rpm_is_percent ? trc->rpm / 100 * inputs->full_rpm[at] : trc->rpm;
  if (trc->has_pitch)
    setpoint->pitch = trc->pitch_percent / 100;
  if (trc->has_azimuth)
    setpoint->azimuth_rad = trig_wrap(trc->azimuth_deg * (TRIG_PI / 180));
  setpoint->enable = 1;
  write->thrusters |= 1u << at;
  write->count++;
  return NMEA_REFUSAL_COUNT;
}

static void take_sentence(const struct nmea_inputs *inputs, const struct bus_master *master, const char *text,
                          size_t size, struct nmea_write *write) {
  struct nmea_trc trc;
  struct reason why = {""};
  inputs->gate->counts.buses.nmea_received++;
  enum nmea_refusal refusal = nmea_trc_read(text, size, &trc, &why);
  if (refusal == NMEA_REFUSAL_COUNT)
    refusal = add_trc(inputs, &trc, write, &why);
  if (refusal != NMEA_REFUSAL_COUNT)
    refuse(inputs, master, refusal, text, size, &why);
}

static void send_write(struct nmea_inputs *inputs, struct bus_master *master, const struct nmea_write *write,
                       const struct bus_inbox *inbox) {
  struct reason why = {""};
  if (write->count > 0 && bus_master_write(master, &inputs->image, &write->image, write->thrusters,
                                           inbox->current_step, inbox, &why) != REFUSAL_COUNT)
    inputs->gate->counts.buses.nmea_refused[NMEA_REFUSED_GATE] += (uint64_t)write->count;
}

// Reads the sentences of one datagram of this sender, which needs a name only.
static struct nmea_write take_sentences(const struct nmea_inputs *inputs, const struct bus_master *master,
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
  struct nmea_write write = take_sentences(inputs, master, data, size);
  send_write(inputs, master, &write, inbox);
}

static struct sender *find_sender(struct nmea_inputs *inputs, uint32_t address) {
  for (int i = 0; i < SENDERS; i++)
    if (inputs->sender[i].address == address)
      return &inputs->sender[i];
  return NULL;
}

// A place for a new sender: a free one, or that of the one that was silent for longest, but never of the one
// in command.
static struct sender *make_place(struct nmea_inputs *inputs) {
  struct gate *gate = inputs->gate;
  struct sender *oldest = NULL;
  for (int i = 0; i < SENDERS; i++) {
    struct sender *sender = &inputs->sender[i];
    int place = bus_master_place(&sender->master, gate);
    if ((place < 0 || place != gate->in_command) && (!oldest || sender->heard_ms < oldest->heard_ms))
      oldest = sender;
  }
  int place = bus_master_place(&oldest->master, gate);
  if (place >= 0)
    gate_displace(gate, place, SENDERS);
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
  const struct bus_master newcomer = named(address);
  struct sender *sender = find_sender(inputs, address);
  if (sender) {
    sender->heard_ms = clock_ms();
    nmea_inputs_take(inputs, &sender->master, data, size, inbox);
    return;
  }
  struct nmea_write write = take_sentences(inputs, &newcomer, data, size);
  if (write.count == 0)
    return;
  sender = make_place(inputs);
  *sender = (struct sender){.address = address, .heard_ms = clock_ms(), .master = newcomer};
  send_write(inputs, &sender->master, &write, inbox);
}

static void read_udp(struct nmea_inputs *inputs, struct input *input, const struct bus_inbox *inbox) {
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
      refuse(inputs, &stranger, NMEA_REFUSED_SENDER, data, (size_t)size, &none);
    }
  }
}

// Collects lines. What does not fit in a sentence is skipped up to the end of its line.
static void take_bytes(struct nmea_inputs *inputs, struct input *input, const char *data, size_t size,
                       const struct bus_inbox *inbox) {
  static const struct reason none = {""};
  for (size_t i = 0; i < size; i++) {
    int is_end = data[i] == '\n' || data[i] == '\r';
    if (is_end && input->line_size > 0 && !input->is_too_long)
      nmea_inputs_take(inputs, &input->master, input->line, input->line_size, inbox);
    if (is_end) {
      input->line_size = 0;
      input->is_too_long = 0;
    } else if (input->line_size < sizeof input->line) {
      input->line[input->line_size++] = data[i];
    } else if (!input->is_too_long) {
      input->is_too_long = 1;
      inputs->gate->counts.buses.nmea_received++;
      refuse(inputs, &input->master, NMEA_REFUSED_LENGTH, input->line, input->line_size, &none);
    }
  }
}

static void fail_serial(struct nmea_inputs *inputs, struct input *input, const char *why) {
  char text[GATE_TEXT];
  snprintf(text, sizeof text, "NMEA input %s: %s; it is opened again every second", input->def->serial, why);
  close(input->file);
  input->file = -1;
  input->line_size = 0;
  input->retry_ms = clock_ms() + RETRY_MS;
  bus_master_leave(&input->master, inputs->gate);
  inputs->gate->on_event(inputs->gate->context, "nmea_failed", text);
}

static void read_serial(struct nmea_inputs *inputs, struct input *input, const struct bus_inbox *inbox) {
  char data[1024];
  ssize_t size = read(input->file, data, sizeof data);
  if (size > 0)
    take_bytes(inputs, input, data, (size_t)size, inbox);
  else if (size == 0 || (errno != EAGAIN && errno != EINTR))
    fail_serial(inputs, input, size == 0 ? "the line is closed" : strerror(errno));
}

static void open_again(struct nmea_inputs *inputs) {
  struct reason why;
  for (int i = 0; i < inputs->def.input_count; i++) {
    struct input *input = &inputs->input[i];
    if (input->file >= 0 || clock_ms() < input->retry_ms)
      continue;
    if (open_serial(input, &why) == STATUS_OK)
      watch(inputs, i);
    else
      input->retry_ms = clock_ms() + RETRY_MS;
  }
}

void nmea_inputs_serve(struct nmea_inputs *inputs, uint64_t current_step,
                       void (*on_command)(void *context, const struct command *command), void *context) {
  const struct bus_inbox inbox = {inputs->gate, current_step, on_command, context};
  struct epoll_event events[MAX_NMEA_INPUTS];
  int count = epoll_wait(inputs->events, events, MAX_NMEA_INPUTS, 0);
  for (int i = 0; i < count; i++) {
    struct input *input = &inputs->input[events[i].data.u32];
    if (input->file >= 0 && *input->def->udp)
      read_udp(inputs, input, &inbox);
    else if (input->file >= 0)
      read_serial(inputs, input, &inbox);
  }
  open_again(inputs);
}
