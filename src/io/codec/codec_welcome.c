// What a Welcome says of instruments, set-point and vessel.
#include "io/codec/codec_parts.h"

#include <string.h>

_Static_assert(SAGBEND__V1__INSTRUMENT_KIND__INSTRUMENT_KIND_TOUCHDOWN == (int)INSTRUMENT_TOUCHDOWN + 1 &&
                   (int)INSTRUMENT_TOUCHDOWN + 1 == (int)INSTRUMENT_COUNT,
               "the same kinds in the same order, after the unspecified one");

enum { NUMBERS = 36 };

static char *text_of(const char *text) {
  return (char *)(uintptr_t)text;
} // which packing only reads

static void fill_instrument(const struct wire_instrument *from, Sagbend__V1__InstrumentInfo *m) {
  sagbend__v1__instrument_info__init(m);
  m->name = text_of(from->name);
  m->kind = (Sagbend__V1__InstrumentKind)(from->kind + 1);
  m->forward_m = from->position_b_m[0];
  m->starboard_m = from->position_b_m[1];
  m->down_m = from->position_b_m[2];
  m->rate_hz = from->rate_hz;
  m->latency_s = from->latency_s;
  m->share = from->share;
}

void wire_fill_welcome(const struct wire_welcome *w, struct welcome_message *out,
                       Sagbend__V1__Welcome *welcome) {
  welcome->accepts_wrench = w->accepts_wrench != 0;
  welcome->sequence_above = w->sequence_above;
  for (int i = 0; i < w->instrument_count; i++) {
    fill_instrument(&w->instrument[i], &out->instrument[i]);
    out->instruments[i] = &out->instrument[i];
  }
  welcome->n_instrument = (size_t)w->instrument_count;
  welcome->instrument = out->instruments;
  sagbend__v1__setpoint__init(&out->setpoint);
  out->setpoint.north_m = w->setpoint[0];
  out->setpoint.east_m = w->setpoint[1];
  out->setpoint.heading_rad = w->setpoint[2];
  welcome->setpoint = w->has_setpoint ? &out->setpoint : NULL;
  sagbend__v1__vessel_info__init(&out->vessel);
  memcpy(out->inertia, w->inertia, sizeof out->inertia);
  memcpy(out->added_mass, w->added_mass, sizeof out->added_mass);
  out->vessel.mass_kg = w->mass_kg;
  out->vessel.n_inertia = out->vessel.n_added_mass = NUMBERS;
  out->vessel.inertia = out->inertia;
  out->vessel.added_mass = out->added_mass;
  welcome->vessel = &out->vessel;
}

static const char *read_instrument(const Sagbend__V1__InstrumentInfo *m, struct wire_instrument *out) {
  size_t length = strlen(m->name);
  if (length == 0 || length >= SIGNAL_NAME)
    return "instrument: a name of 1 to 23 characters expected in each";
  memcpy(out->name, m->name, length + 1);
  out->kind = (enum instrument)(m->kind - 1);
  const double place[3] = {m->forward_m, m->starboard_m, m->down_m};
  memcpy(out->position_b_m, place, sizeof place);
  out->rate_hz = m->rate_hz;
  out->latency_s = m->latency_s;
  out->share = m->share;
  return NULL;
}

const char *wire_read_welcome(const Sagbend__V1__Welcome *welcome, struct wire_welcome *out) {
  const Sagbend__V1__VesselInfo *v = welcome->vessel;
  const Sagbend__V1__Setpoint *s = welcome->setpoint;
  out->accepts_wrench = welcome->accepts_wrench != 0;
  out->sequence_above = welcome->sequence_above;
  if (welcome->n_instrument > MAX_INSTRUMENTS)
    return "instrument: at most 32 expected";
  const char *wrong = NULL;
  for (size_t i = 0; i < welcome->n_instrument && !wrong; i++)
    wrong = read_instrument(welcome->instrument[i], &out->instrument[out->instrument_count++]);
  if (wrong)
    return wrong;
  if (s) {
    const double setpoint[3] = {s->north_m, s->east_m, s->heading_rad};
    memcpy(out->setpoint, setpoint, sizeof setpoint);
    out->has_setpoint = 1;
  }
  if (!v) // of an older simulator
    return NULL;
  if (v->n_inertia != NUMBERS || v->n_added_mass != NUMBERS)
    return "vessel: 36 numbers of inertia and of added mass expected";
  out->mass_kg = v->mass_kg;
  memcpy(out->inertia, v->inertia, sizeof out->inertia);
  memcpy(out->added_mass, v->added_mass, sizeof out->added_mass);
  return NULL;
}
