// Instruments, set-point and vessel in a Welcome.
#include "net/messages/messages_internal.h"

#include <string.h>

// The same kinds in the same order, after the unspecified one.
#define INSTRUMENT(id, ...)                                                                                  \
  _Static_assert(SAGBEND__V1__INSTRUMENT_KIND__INSTRUMENT_KIND_##id == (int)INSTRUMENT_##id + 1,             \
                 "InstrumentKind");
#include "sagbend/signals/instruments.inc"

enum { NUMBERS = 36 }; // of a 6 x 6 matrix

static void fill_instrument(const struct wire_instrument *from, Sagbend__V1__InstrumentInfo *message) {
  sagbend__v1__instrument_info__init(message);
  message->name = text_of(from->name);
  message->kind = (Sagbend__V1__InstrumentKind)(from->kind + 1);
  message->forward_m = from->position_b_m[0];
  message->starboard_m = from->position_b_m[1];
  message->down_m = from->position_b_m[2];
  message->rate_hz = from->rate_hz;
  message->latency_s = from->latency_s;
  message->share = from->share;
}

void wire_fill_welcome(const struct wire_welcome *from, struct welcome_message *out,
                       Sagbend__V1__Welcome *welcome) {
  welcome->accepts_wrench = from->accepts_wrench != 0;
  welcome->sequence_above = from->sequence_above;
  for (int i = 0; i < from->instrument_count; i++) {
    fill_instrument(&from->instrument[i], &out->instrument[i]);
    out->instruments[i] = &out->instrument[i];
  }
  welcome->n_instrument = (size_t)from->instrument_count;
  welcome->instrument = out->instruments;
  sagbend__v1__setpoint__init(&out->setpoint);
  out->setpoint.north_m = from->setpoint[0];
  out->setpoint.east_m = from->setpoint[1];
  out->setpoint.heading_rad = from->setpoint[2];
  out->setpoint.order = from->setpoint_order;
  welcome->setpoint = from->has_setpoint ? &out->setpoint : NULL;
  wire_fill_track(&from->track, &out->track);
  welcome->track = from->track.order ? &out->track : NULL;
  wire_fill_tensioner_info(&from->tensioner, &out->tensioner);
  welcome->tensioner = from->has_tensioner ? &out->tensioner : NULL;
  sagbend__v1__vessel_info__init(&out->vessel);
  memcpy(out->inertia, from->inertia, sizeof out->inertia);
  memcpy(out->added_mass, from->added_mass, sizeof out->added_mass);
  out->vessel.mass_kg = from->mass_kg;
  out->vessel.n_inertia = out->vessel.n_added_mass = NUMBERS;
  out->vessel.inertia = out->inertia;
  out->vessel.added_mass = out->added_mass;
  welcome->vessel = &out->vessel;
}

static enum status read_instrument(const Sagbend__V1__InstrumentInfo *message, struct wire_instrument *out,
                                   struct reason *why) {
  size_t length = strlen(message->name);
  if (length == 0 || length >= SIGNAL_NAME)
    return fail(why, STATUS_BAD_INPUT, "instrument: a name of 1 to 23 characters expected in each");
  memcpy(out->name, message->name, length + 1);
  out->kind = (enum instrument)(message->kind - 1);
  const double place[3] = {message->forward_m, message->starboard_m, message->down_m};
  memcpy(out->position_b_m, place, sizeof place);
  out->rate_hz = message->rate_hz;
  out->latency_s = message->latency_s;
  out->share = message->share;
  return STATUS_OK;
}

enum status wire_read_welcome(const Sagbend__V1__Welcome *welcome, struct wire_welcome *out,
                              struct reason *why) {
  out->controller_view_period_s = welcome->controller_view_period_s;
  const Sagbend__V1__VesselInfo *vessel = welcome->vessel;
  const Sagbend__V1__Setpoint *setpoint_message = welcome->setpoint;
  out->accepts_wrench = welcome->accepts_wrench != 0;
  out->sequence_above = welcome->sequence_above;
  if (welcome->n_instrument > MAX_INSTRUMENTS)
    return fail(why, STATUS_BAD_INPUT, "instrument: at most 32 expected");
  for (size_t i = 0; i < welcome->n_instrument; i++)
    if (read_instrument(welcome->instrument[i], &out->instrument[out->instrument_count++], why) != STATUS_OK)
      return STATUS_BAD_INPUT;
  if (setpoint_message) {
    const double setpoint[3] = {setpoint_message->north_m, setpoint_message->east_m,
                                setpoint_message->heading_rad};
    memcpy(out->setpoint, setpoint, sizeof setpoint);
    out->has_setpoint = 1;
    out->setpoint_order = setpoint_message->order;
  }
  if (welcome->track && wire_read_track(welcome->track, &out->track, why) != STATUS_OK)
    return STATUS_BAD_INPUT;
  out->has_tensioner = welcome->tensioner != NULL;
  if (welcome->tensioner)
    wire_read_tensioner_info(welcome->tensioner, &out->tensioner);
  if (!vessel) // from an older simulator
    return STATUS_OK;
  if (vessel->n_inertia != NUMBERS || vessel->n_added_mass != NUMBERS)
    return fail(why, STATUS_BAD_INPUT, "vessel: 36 numbers of inertia and of added mass expected");
  out->mass_kg = vessel->mass_kg;
  memcpy(out->inertia, vessel->inertia, sizeof out->inertia);
  memcpy(out->added_mass, vessel->added_mass, sizeof out->added_mass);
  return STATUS_OK;
}
