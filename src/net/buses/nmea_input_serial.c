// Thruster commands by a serial line: each sentence is one command.
#include "net/buses/buses_internal.h"

#include "sagbend/rig/host_event.h"
#include "net/buses/nmea_address.h"
#include "net/zmtp/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum status nmea_input_open_serial(struct nmea_input *input, struct reason *why) {
  input->file = nmea_open_serial(input->def->serial, input->def->baud, O_RDONLY);
  if (input->file < 0)
    return fail(why, STATUS_IO, "NMEA input %s: %s", input->def->serial, strerror(errno));
  const char *name = strrchr(input->def->serial, '/');
  snprintf(input->master.name, sizeof input->master.name, "nmea:%.50s", name ? name + 1 : input->def->serial);
  return STATUS_OK;
}

// Collects lines. What does not fit in a sentence is skipped up to the end of its line.
static void take_bytes(struct nmea_inputs *inputs, struct nmea_input *input, const char *data, size_t size,
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

void nmea_input_read_serial(struct nmea_inputs *inputs, struct nmea_input *input,
                            const struct bus_inbox *inbox) {
  char data[1024];
  ssize_t size = read(input->file, data, sizeof data);
  if (size > 0)
    take_bytes(inputs, input, data, (size_t)size, inbox);
  else if (size == 0 || (errno != EAGAIN && errno != EINTR))
    fail_serial(inputs, input, size == 0 ? "the line is closed" : strerror(errno));
}

void nmea_input_refuse_serial(struct nmea_inputs *inputs, struct nmea_input *input) {
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
