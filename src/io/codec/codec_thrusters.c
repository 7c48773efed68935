// Thrusters in messages: set-points, the plant's description, its truth.
#include "io/codec/codec_parts.h"

#include <string.h>

static char *text_of(const char *text) {
  return (char *)(uintptr_t)text;
} // which packing only reads

void wire_fill_thruster_commands(const struct command *c, struct thruster_commands_message *out) {
  sagbend__v1__thruster_commands__init(&out->message);
  int extra = 0;
  for (int i = 0; i < 6; i++)
    extra |= c->wrench_b[i] != 0;
  out->extra = wire_wrench_message(c->wrench_b);
  out->message.extra_wrench = extra ? &out->extra : NULL;
  for (int i = 0; i < c->thruster_count; i++) {
    const struct thruster_command *t = &c->thrusters[i];
    Sagbend__V1__ThrusterCommand *m = out->list[i] = &out->item[i];
    sagbend__v1__thruster_command__init(m);
    m->name = text_of(t->name);
    m->enable = t->enable != 0;
    m->revolutions_rpm = t->revolutions_rpm;
    m->pitch = t->pitch;
    m->azimuth_rad = t->azimuth_rad;
  }
  out->message.n_thruster = (size_t)c->thruster_count;
  out->message.thruster = out->list;
}

static int copy_name(char out[SIGNAL_NAME], const char *name) {
  size_t length = strlen(name);
  if (length == 0 || length >= SIGNAL_NAME)
    return 0;
  memcpy(out, name, length + 1);
  return 1;
}

const char *wire_read_thruster_commands(const Sagbend__V1__ThrusterCommands *m, struct command *out) {
  if (m->n_thruster < 1 || m->n_thruster > MAX_THRUSTERS)
    return "thrusters: 1 to 12 of them expected";
  for (size_t i = 0; i < m->n_thruster; i++) {
    const Sagbend__V1__ThrusterCommand *c = m->thruster[i];
    struct thruster_command *t = &out->thrusters[i];
    if (!copy_name(t->name, c->name))
      return "thrusters: a name of 1 to 23 characters expected in each";
    for (size_t k = 0; k < i; k++)
      if (strcmp(out->thrusters[k].name, t->name) == 0)
        return "thrusters: each at most once expected";
    t->enable = c->enable != 0;
    t->revolutions_rpm = c->revolutions_rpm;
    t->pitch = c->pitch;
    t->azimuth_rad = c->azimuth_rad;
  }
  out->thruster_count = (int)m->n_thruster;
  const Sagbend__V1__BodyWrench *w = m->extra_wrench;
  if (w) {
    const double extra[6] = {w->surge_n, w->sway_n, w->heave_n, w->roll_nm, w->pitch_nm, w->yaw_nm};
    memcpy(out->wrench_b, extra, sizeof extra);
  }
  return NULL;
}

static void fill_thruster(const struct plant_def *plant, int i, struct plant_message *out) {
  const struct thruster_def *d = &plant->thruster[i];
  Sagbend__V1__ThrusterInfo *m = out->thrusters[i] = &out->thruster[i];
  sagbend__v1__thruster_info__init(m);
  m->name = text_of(d->name);
  m->kind = (Sagbend__V1__ThrusterKind)(d->kind + 1);
  m->drive = (Sagbend__V1__ThrusterDrive)(d->drive + 1);
  m->forward_m = d->position_b_m[0];
  m->starboard_m = d->position_b_m[1];
  m->down_m = d->position_b_m[2];
  m->thrust_max_n = d->thrust_max_n;
  m->thrust_astern = d->thrust_astern;
  m->revolutions_max_rpm = d->revolutions_max_rpm;
  m->revolutions_lag_s = d->revolutions_lag_s;
  m->revolutions_rate_rpmps = d->revolutions_rate_rpmps;
  m->pitch_lag_s = d->pitch_lag_s;
  m->pitch_rate_1ps = d->pitch_rate_1ps;
  m->azimuth_lag_s = d->azimuth_lag_s;
  m->azimuth_rate_radps = d->azimuth_rate_radps;
  m->rudder_max_rad = d->rudder_max_rad;
  m->rudder_lift = d->rudder_lift;
  m->rudder_drag = d->rudder_drag;
  m->power_max_w = d->power_max_w;
  m->bus = text_of(d->bus >= 0 ? plant->bus[d->bus].name : "");
  m->timeout_s = d->timeout_s;
  m->stops_on_timeout = d->reaction == TIMEOUT_STOPS;
  for (int k = 0; k < d->sector_count; k++) {
    Sagbend__V1__ForbiddenSector *s = out->sectors[i][k] = &out->sector[i][k];
    sagbend__v1__forbidden_sector__init(s);
    s->from_rad = d->sector[k].from_rad;
    s->to_rad = d->sector[k].to_rad;
  }
  m->n_forbidden = (size_t)d->sector_count;
  m->forbidden = out->sectors[i];
}

_Static_assert(SAGBEND__V1__THRUSTER_KIND__THRUSTER_KIND_MAIN == (int)THRUSTER_MAIN + 1, "in the same order");
_Static_assert(SAGBEND__V1__THRUSTER_DRIVE__THRUSTER_DRIVE_PITCH == (int)DRIVE_CPP + 1, "in the same order");

void wire_fill_plant(const struct plant_def *def, struct plant_message *out, Sagbend__V1__Welcome *welcome) {
  for (int i = 0; i < def->thruster_count; i++)
    fill_thruster(def, i, out);
  for (int i = 0; i < def->bus_count; i++) {
    Sagbend__V1__BusInfo *b = out->buses[i] = &out->bus[i];
    sagbend__v1__bus_info__init(b);
    b->name = text_of(def->bus[i].name);
    b->available_w = def->bus[i].available_w;
  }
  welcome->n_thruster = (size_t)def->thruster_count;
  welcome->thruster = out->thrusters;
  welcome->n_bus = (size_t)def->bus_count;
  welcome->bus = out->buses;
}

static const char *read_thruster(const Sagbend__V1__ThrusterInfo *m, const struct plant_def *plant,
                                 struct thruster_def *d) {
  if (!copy_name(d->name, m->name) || (*m->bus && !copy_name(d->bus_name, m->bus)))
    return "thruster: names of 1 to 23 characters expected";
  if (m->n_forbidden > MAX_SECTORS || !(m->revolutions_max_rpm > 0))
    return "thruster: at most 4 forbidden sectors and positive revolutions expected";
  d->kind = (enum thruster_kind)(m->kind - 1);
  d->drive = (enum thruster_drive)(m->drive - 1);
  const double place[3] = {m->forward_m, m->starboard_m, m->down_m};
  memcpy(d->position_b_m, place, sizeof place);
  d->thrust_max_n = m->thrust_max_n;
  d->thrust_astern = m->thrust_astern;
  d->revolutions_max_rpm = m->revolutions_max_rpm;
  d->revolutions_lag_s = m->revolutions_lag_s;
  d->revolutions_rate_rpmps = m->revolutions_rate_rpmps;
  d->pitch_lag_s = m->pitch_lag_s;
  d->pitch_rate_1ps = m->pitch_rate_1ps;
  d->azimuth_lag_s = m->azimuth_lag_s;
  d->azimuth_rate_radps = m->azimuth_rate_radps;
  d->rudder_max_rad = m->rudder_max_rad;
  d->rudder_lift = m->rudder_lift;
  d->rudder_drag = m->rudder_drag;
  d->power_max_w = m->power_max_w;
  d->timeout_s = m->timeout_s;
  d->reaction = m->stops_on_timeout ? TIMEOUT_STOPS : TIMEOUT_KEEPS_SETPOINT;
  d->ventilation = 1;
  for (size_t k = 0; k < m->n_forbidden; k++)
    d->sector[k] = (struct sector){m->forbidden[k]->from_rad, m->forbidden[k]->to_rad};
  d->sector_count = (int)m->n_forbidden;
  d->bus = -1;
  for (int i = 0; i < plant->bus_count; i++)
    if (*d->bus_name && strcmp(plant->bus[i].name, d->bus_name) == 0)
      d->bus = i;
  return NULL;
}

const char *wire_read_plant(const Sagbend__V1__Welcome *welcome, struct plant_def *out) {
  if (welcome->n_thruster > MAX_THRUSTERS || welcome->n_bus > MAX_BUSES)
    return "thruster, bus: at most 12 and 6 expected";
  for (size_t i = 0; i < welcome->n_bus; i++) {
    if (!copy_name(out->bus[i].name, welcome->bus[i]->name))
      return "bus: a name of 1 to 23 characters expected in each";
    out->bus[i].available_w = welcome->bus[i]->available_w;
    out->bus_count++;
  }
  const char *wrong = NULL;
  for (size_t i = 0; i < welcome->n_thruster && !wrong; i++)
    wrong = read_thruster(welcome->thruster[i], out, &out->thruster[out->thruster_count++]);
  return wrong;
}

void wire_fill_plant_truth(const struct loop_view *view, struct plant_truth_message *out,
                           Sagbend__V1__Truth *truth) {
  const struct sim_output *o = view->truth;
  for (int i = 0; i < o->thruster_count; i++) {
    const struct thruster_output *t = &o->thruster[i];
    Sagbend__V1__ThrusterTruth *m = out->thrusters[i] = &out->thruster[i];
    sagbend__v1__thruster_truth__init(m);
    m->name = text_of(t->name);
    m->running = t->running;
    m->ready = t->ready;
    m->revolutions_rpm = t->revolutions_rpm;
    m->pitch = t->pitch;
    m->azimuth_rad = t->azimuth_rad;
    m->thrust_n = t->thrust_n;
    m->power_w = t->power_w;
    m->moved_commands = t->moved_count;
  }
  for (int i = 0; i < o->bus_count; i++) {
    const struct bus_output *b = &o->bus[i];
    Sagbend__V1__BusTruth *m = out->buses[i] = &out->bus[i];
    sagbend__v1__bus_truth__init(m);
    m->name = text_of(b->name);
    m->closed = b->closed;
    m->limited = b->limited;
    m->available_w = b->available_w;
    m->used_w = b->used_w;
    m->limited_count = b->limited_count;
  }
  sagbend__v1__body_wrench__init(&out->wrench);
  wire_fill_quantities(&out->wrench, MESSAGE_TRUTH_THRUSTER_WRENCH, view);
  truth->thruster_wrench = o->thruster_count > 0 ? &out->wrench : NULL;
  truth->n_thruster = (size_t)o->thruster_count;
  truth->thruster = out->thrusters;
  truth->n_bus = (size_t)o->bus_count;
  truth->bus = out->buses;
}
