#include "net/buses/nmea_inputs.h"

#include "net/buses/buses_internal.h"
#include "net/zmtp/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

static void watch(const struct nmea_inputs *inputs, int index) {
  struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)index};
  epoll_ctl(inputs->events, EPOLL_CTL_ADD, inputs->input[index].file, &event);
}

enum status nmea_inputs_open(const struct nmea_session *session, struct nmea_inputs **out,
                             struct reason *why) {
  struct nmea_inputs *inputs = calloc(1, sizeof *inputs);
  *out = NULL;
  if (!inputs)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the NMEA inputs");
  inputs->def = *session->def;
  inputs->gate = session->gate;
  inputs->names = *session->names;
  inputs->image.thruster_count = session->gate->rules.thruster_count;
  for (int i = 0; i < inputs->image.thruster_count; i++) {
    inputs->image.setpoint[i] = session->setpoints[i];
  }
  for (int i = 0; i < MAX_NMEA_INPUTS; i++)
    inputs->input[i] = (struct nmea_input){.def = &inputs->def.inputs[i], .file = -1};
  inputs->events = epoll_create1(EPOLL_CLOEXEC);
  enum status status =
      inputs->events < 0 ? fail(why, STATUS_IO, "NMEA inputs: %s", strerror(errno)) : STATUS_OK;
  for (int i = 0; i < inputs->def.input_count && status == STATUS_OK; i++) {
    struct nmea_input *input = &inputs->input[i];
    status = *input->def->udp ? nmea_input_open_udp(input, why) : nmea_input_open_serial(input, why);
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
  const struct nmea_input *input = &inputs->input[index];
  struct nmea_place out;
  if (*input->def->udp)
    snprintf(out.text, sizeof out.text, "UDP %.*s:%d", (int)strcspn(input->def->udp, ":"), input->def->udp,
             input->port);
  else
    snprintf(out.text, sizeof out.text, "%s", input->def->serial);
  return out;
}

static void open_again(struct nmea_inputs *inputs) {
  struct reason why;
  for (int i = 0; i < inputs->def.input_count; i++) {
    struct nmea_input *input = &inputs->input[i];
    if (input->file >= 0 || clock_ms() < input->retry_ms)
      continue;
    if (nmea_input_open_serial(input, &why) == STATUS_OK)
      watch(inputs, i);
    else
      input->retry_ms = clock_ms() + NMEA_RETRY_MS;
  }
}

void nmea_inputs_serve(struct nmea_inputs *inputs, uint64_t current_step,
                       void (*on_command)(void *context, const struct command *command), void *context) {
  const struct bus_inbox inbox = {inputs->gate, current_step, on_command, context};
  struct epoll_event events[MAX_NMEA_INPUTS];
  int count = epoll_wait(inputs->events, events, MAX_NMEA_INPUTS, 0);
  for (int i = 0; i < count; i++) {
    struct nmea_input *input = &inputs->input[events[i].data.u32];
    if (input->file >= 0 && *input->def->udp)
      nmea_input_read_udp(inputs, input, &inbox);
    else if (input->file >= 0)
      nmea_input_read_serial(inputs, input, &inbox);
  }
  open_again(inputs);
}

void nmea_inputs_begin_session(struct nmea_inputs *inputs) {
  for (int i = 0; inputs && i < inputs->def.input_count; i++) {
    struct nmea_input *input = &inputs->input[i];
    if (input->file >= 0 && *input->def->udp)
      nmea_input_refuse_udp(inputs, input);
    else if (input->file >= 0)
      nmea_input_refuse_serial(inputs, input);
    input->master.alarms.count = 0;
  }
  for (int i = 0; inputs && i < NMEA_SENDERS; i++)
    inputs->sender[i].master.alarms.count = 0;
}
