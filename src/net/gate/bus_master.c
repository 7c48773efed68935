#include "net/gate/bus_master.h"

#include <string.h>

int bus_master_place(const struct bus_master *master, const struct gate *gate) {
  return master->number ? gate_find_number(gate, master->number) : -1;
}

void bus_master_heard(struct bus_master *master, struct gate *gate) {
  int place = bus_master_place(master, gate);
  if (place >= 0)
    gate_heard(gate, place);
  else if (master->number)
    bus_master_leave(master, gate); // it was forgotten, or another session has begun
}

void bus_master_leave(struct bus_master *master, struct gate *gate) {
  int place = bus_master_place(master, gate);
  if (place >= 0)
    gate_leave(gate, place);
  master->number = 0;
  master->alarms.count = 0;
}

static int join(struct bus_master *master, const struct bus_inbox *inbox) {
  int place = bus_master_place(master, inbox->gate);
  if (place < 0) {
    place = gate_make_place(inbox->gate);
    gate_join(inbox->gate, place, "", master->name, inbox->current_step);
    master->number = inbox->gate->controller[place].number;
    master->written = 0;
  }
  gate_heard(inbox->gate, place);
  return place;
}

enum refusal bus_master_refuse(struct bus_master *master, enum refusal reason, const struct bus_inbox *inbox,
                               const struct reason *why) {
  join(master, inbox);
  gate_refuse(inbox->gate, master->name, reason, *why->text ? why->text : NULL);
  return reason;
}

// The order that the image contains: its mode, and the set-point of this mode.
static struct tensioner_setpoint order_of(const struct tensioner_setpoint *image) {
  return (struct tensioner_setpoint){.given = 1,
                                     .mode = image->mode,
                                     .tension_n = image->mode == TENSIONER_TENSION ? image->tension_n : 0,
                                     .speed_mps = image->mode == TENSIONER_SPEED ? image->speed_mps : 0};
}

static void make_command(const struct gate *gate, const struct bus_image *image, uint32_t thrusters,
                         struct command *out) {
  if (thrusters & BUS_TENSIONER)
    out->tensioner = order_of(&image->tensioner);
  for (int i = 0; i < image->thruster_count; i++) {
    const struct thruster_setpoint *setpoint = &image->setpoint[i];
    struct thruster_command *thruster = &out->thrusters[out->thruster_count];
    if (!(thrusters >> i & 1u))
      continue;
    memcpy(thruster->name, gate->rules.thruster[i].name, sizeof thruster->name);
    thruster->enable = setpoint->enable;
    thruster->revolutions_rpm = setpoint->revolutions_rpm;
    thruster->pitch = setpoint->pitch;
    thruster->azimuth_rad = setpoint->azimuth_rad;
    out->thruster_count++;
  }
}

enum refusal bus_master_write(struct bus_master *master, struct bus_image *image,
                              const struct bus_image *next, uint32_t thrusters, uint64_t based_on_step,
                              const struct bus_inbox *inbox, struct reason *why) {
  struct gate *gate = inbox->gate;
  int place = join(master, inbox);
  uint64_t sequence = gate->controller[place].last_sequence + 1;
  struct command command = {.sequence = sequence, .based_on_step = based_on_step};

  // A set-point is checked even while the master asks for nothing, because it acts later.
  make_command(gate, next, master->written | thrusters, &command);
  if (command.thruster_count > 0 && command_check(&gate->rules, &command, why) != STATUS_OK)
    return bus_master_refuse(master, REFUSED_RANGE, inbox, why);
  if (next->standby || command.thruster_count == 0) {
    const struct tensioner_setpoint order = command.tensioner;
    command = (struct command){.sequence = sequence, .based_on_step = based_on_step, .standby = 1};
    if (!next->standby)
      command.tensioner = order;
  }

  enum refusal reason = gate_admit(gate, place, sequence, &command, inbox->current_step, why);
  if (reason != REFUSAL_COUNT)
    return bus_master_refuse(master, reason, inbox, why);
  master->written |= thrusters;
  *image = *next;
  gate->counts.from_buses++;
  gate->alarms = &master->alarms;
  inbox->on_command(inbox->context, &command);
  gate->alarms = NULL;
  return REFUSAL_COUNT;
}
