// Sentences of thruster commands become one write at the gate; those of alarms go to what their sender
// reports.
#include "net/buses/buses_internal.h"

#include "sagbend/math/trig.h"
#include "net/buses/nmea_fields.h"
#include "net/buses/nmea_trc.h"

#include <stdio.h>
#include <string.h>

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

void nmea_send_write(struct nmea_inputs *inputs, struct bus_master *master, const struct nmea_write *write,
                     const struct bus_inbox *inbox) {
  struct reason why = {""};
  if (write->count > 0 && bus_master_write(master, &inputs->image, &write->image, write->thrusters,
                                           inbox->current_step, inbox, &why) != REFUSAL_COUNT)
    inputs->gate->counts.buses.nmea_at_gate += (uint64_t)write->count;
}

struct nmea_write nmea_read_sentences(struct nmea_inputs *inputs, struct bus_master *master, const char *data,
                                      size_t size) {
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
