// Thrusters and buses in messages: commands, the description in a Welcome, the truth.
#include "net/messages/messages_internal.h"

#include <string.h>

void wire_fill_thruster_commands(const struct command *command, struct thruster_commands_message *out) {
  sagbend__v1__thruster_commands__init(&out->message);
  int extra = 0;
  for (int i = 0; i < 6; i++)
    extra |= command->wrench_b[i] != 0;
  out->extra = wire_wrench_message(command->wrench_b);
  out->message.extra_wrench = extra ? &out->extra : NULL;
  for (int i = 0; i < command->thruster_count; i++) {
    const struct thruster_command *thruster = &command->thrusters[i];
    Sagbend__V1__ThrusterCommand *item = out->list[i] = &out->item[i];
    sagbend__v1__thruster_command__init(item);
    item->name = text_of(thruster->name);
    item->enable = thruster->enable != 0;
    item->revolutions_rpm = thruster->revolutions_rpm;
    item->pitch = thruster->pitch;
    item->azimuth_rad = thruster->azimuth_rad;
  }

  out->message.n_thruster = (size_t)command->thruster_count;
  out->message.thruster = out->list;
}

static int copy_name(char out[SIGNAL_NAME], const char *name) {
  size_t length = strlen(name);
  if (length == 0 || length >= SIGNAL_NAME)
    return 0;
  memcpy(out, name, length + 1);
  return 1;
}

enum status wire_read_thruster_commands(const Sagbend__V1__ThrusterCommands *message, struct command *out,
                                        struct reason *why) {
  if (message->n_thruster < 1 || message->n_thruster > MAX_THRUSTERS)
    return fail(why, STATUS_BAD_INPUT, "thrusters: 1 to 12 of them expected");
  for (size_t i = 0; i < message->n_thruster; i++) {
    const Sagbend__V1__ThrusterCommand *item = message->thruster[i];
    struct thruster_command *thruster = &out->thrusters[i];
    if (!copy_name(thruster->name, item->name))
      return fail(why, STATUS_BAD_INPUT, "thrusters: a name of 1 to 23 characters expected in each");
    for (size_t k = 0; k < i; k++)
      if (strcmp(out->thrusters[k].name, thruster->name) == 0)
        return fail(why, STATUS_BAD_INPUT, "thrusters: a thruster is listed twice");
    thruster->enable = item->enable != 0;
    thruster->revolutions_rpm = item->revolutions_rpm;
    thruster->pitch = item->pitch;
    thruster->azimuth_rad = item->azimuth_rad;
  }
  out->thruster_count = (int)message->n_thruster;
  const Sagbend__V1__BodyWrench *extra_wrench = message->extra_wrench;
  if (extra_wrench) {
    const double extra[6] = {extra_wrench->surge_n, extra_wrench->sway_n,   extra_wrench->heave_n,
                             extra_wrench->roll_nm, extra_wrench->pitch_nm, extra_wrench->yaw_nm};
    memcpy(out->wrench_b, extra, sizeof extra);
  }
  return STATUS_OK;
}

size_t wire_fill_stops(const struct thruster_stops *stops, struct stops_message *out) {
  for (int i = 0; i < stops->count; i++)
    out->name[i] = text_of(stops->name[i]);
  return (size_t)stops->count;
}

enum status wire_read_stops(char *const *names, size_t count, struct thruster_stops *out,
                            struct reason *why) {
  if (count > MAX_THRUSTERS)
    return fail(why, STATUS_BAD_INPUT, "emergency_stop: at most 12 names expected");
  for (size_t i = 0; i < count; i++)
    if (!copy_name(out->name[i], names[i]))
      return fail(why, STATUS_BAD_INPUT, "emergency_stop: a name of 1 to 23 characters expected in each");
  out->count = (int)count;
  return STATUS_OK;
}

static void fill_thruster(const struct plant_def *plant, int i, struct plant_message *out) {
  const struct thruster_def *def = &plant->thruster[i];
  Sagbend__V1__ThrusterInfo *message = out->thrusters[i] = &out->thruster[i];
  sagbend__v1__thruster_info__init(message);
  message->name = text_of(def->name);
  message->kind = (Sagbend__V1__ThrusterKind)(def->kind + 1);
  message->drive = (Sagbend__V1__ThrusterDrive)(def->drive + 1);
  message->steered_case = SAGBEND__V1__THRUSTER_INFO__STEERED_STEERING;
  message->steering = (Sagbend__V1__ThrusterSteering)(thruster_steering(def->kind) + 1);
  message->across = thruster_axis(def->kind) == AXIS_ACROSS;
  message->forward_m = def->position_b_m[0];
  message->starboard_m = def->position_b_m[1];
  message->down_m = def->position_b_m[2];
  message->thrust_max_n = def->thrust_max_n;
  message->thrust_astern = def->thrust_astern;
  message->revolutions_max_rpm = def->revolutions_max_rpm;
  message->revolutions_lag_s = def->revolutions_lag_s;
  message->revolutions_rate_rpmps = def->revolutions_rate_rpmps;
  message->pitch_lag_s = def->pitch_lag_s;
  message->pitch_rate_1ps = def->pitch_rate_1ps;
  message->azimuth_lag_s = def->azimuth_lag_s;
  message->azimuth_rate_radps = def->azimuth_rate_radps;
  message->rudder_max_rad = def->rudder_max_rad;
  message->rudder_lift = def->rudder_lift;
  message->rudder_drag = def->rudder_drag;
  message->power_max_w = def->power_max_w;
  message->bus = text_of(def->bus >= 0 ? plant->bus[def->bus].name : "");
  message->timeout_s = def->timeout_s;
  message->stops_on_timeout = def->reaction == TIMEOUT_STOPS;
  for (int k = 0; k < def->sector_count; k++) {
    Sagbend__V1__ForbiddenZone *sector = out->sectors[i][k] = &out->sector[i][k];
    sagbend__v1__forbidden_zone__init(sector);
    sector->from_rad = def->sector[k].from_rad;
    sector->to_rad = def->sector[k].to_rad;
    sector->against = text_of(def->sector[k].against);
  }

  message->n_forbidden = (size_t)def->sector_count;
  message->forbidden = out->sectors[i];
}

#define HAS_VALUE(KIND, ...)                                                                                 \
  _Static_assert(SAGBEND__V1__THRUSTER_KIND__THRUSTER_KIND_##KIND == (int)THRUSTER_##KIND + 1,               \
                 "in the same order");
THRUSTER_KIND_TABLE(HAS_VALUE)
#undef HAS_VALUE
_Static_assert(SAGBEND__V1__THRUSTER_STEERING__THRUSTER_STEERING_RUDDER == (int)STEERING_RUDDER + 1,
               "in the same order");
_Static_assert(SAGBEND__V1__THRUSTER_DRIVE__THRUSTER_DRIVE_PITCH == (int)DRIVE_CPP + 1, "in the same order");

void wire_fill_plant(const struct plant_def *def, struct plant_message *out, Sagbend__V1__Welcome *welcome) {
  for (int i = 0; i < def->thruster_count; i++)
    fill_thruster(def, i, out);
  for (int i = 0; i < def->bus_count; i++) {
    Sagbend__V1__BusInfo *message = out->buses[i] = &out->bus[i];
    sagbend__v1__bus_info__init(message);
    message->name = text_of(def->bus[i].name);
    message->available_w = def->bus[i].available_w;
  }

  welcome->n_thruster = (size_t)def->thruster_count;
  welcome->thruster = out->thrusters;
  welcome->n_bus = (size_t)def->bus_count;
  welcome->bus = out->buses;
}

static enum status read_thruster(const Sagbend__V1__ThrusterInfo *message, const struct plant_def *plant,
                                 struct thruster_def *def, struct reason *why) {
  if (!copy_name(def->name, message->name) || (*message->bus && !copy_name(def->bus_name, message->bus)))
    return fail(why, STATUS_BAD_INPUT, "thruster: names of 1 to 23 characters expected");
  if (message->n_forbidden > MAX_SECTORS || !(message->revolutions_max_rpm > 0))
    return fail(why, STATUS_BAD_INPUT,
                "thruster: at most 4 forbidden zones and positive revolutions expected");
  if ((int)message->kind < 1 || (int)message->kind > THRUSTER_KIND_COUNT)
    return fail(why, STATUS_BAD_INPUT, "thruster: a kind that this version knows expected");
  def->kind = (enum thruster_kind)(message->kind - 1);
  def->drive = (enum thruster_drive)(message->drive - 1);
  const double place[3] = {message->forward_m, message->starboard_m, message->down_m};
  memcpy(def->position_b_m, place, sizeof place);
  def->thrust_max_n = message->thrust_max_n;
  def->thrust_astern = message->thrust_astern;
  def->revolutions_max_rpm = message->revolutions_max_rpm;
  def->revolutions_lag_s = message->revolutions_lag_s;
  def->revolutions_rate_rpmps = message->revolutions_rate_rpmps;
  def->pitch_lag_s = message->pitch_lag_s;
  def->pitch_rate_1ps = message->pitch_rate_1ps;
  def->azimuth_lag_s = message->azimuth_lag_s;
  def->azimuth_rate_radps = message->azimuth_rate_radps;
  def->rudder_max_rad = message->rudder_max_rad;
  def->rudder_lift = message->rudder_lift;
  def->rudder_drag = message->rudder_drag;
  def->power_max_w = message->power_max_w;
  def->timeout_s = message->timeout_s;
  def->reaction = message->stops_on_timeout ? TIMEOUT_STOPS : TIMEOUT_KEEPS_SETPOINT;
  def->ventilation = 1;
  for (size_t k = 0; k < message->n_forbidden; k++) {
    const Sagbend__V1__ForbiddenZone *sector = message->forbidden[k];
    def->sector[k] = (struct sector){.from_rad = sector->from_rad, .to_rad = sector->to_rad};
    if (*sector->against && !copy_name(def->sector[k].against, sector->against))
      return fail(why, STATUS_BAD_INPUT,
                  "thruster: a protected thruster's name of 1 to 23 characters expected");
  }
  def->sector_count = (int)message->n_forbidden;
  def->bus = -1;
  for (int i = 0; i < plant->bus_count; i++)
    if (*def->bus_name && strcmp(plant->bus[i].name, def->bus_name) == 0)
      def->bus = i;
  return STATUS_OK;
}

enum status wire_read_plant(const Sagbend__V1__Welcome *welcome, struct plant_def *out, struct reason *why) {
  if (welcome->n_thruster > MAX_THRUSTERS || welcome->n_bus > MAX_BUSES)
    return fail(why, STATUS_BAD_INPUT, "thruster, bus: at most 12 and 6 expected");
  for (size_t i = 0; i < welcome->n_bus; i++) {
    if (!copy_name(out->bus[i].name, welcome->bus[i]->name))
      return fail(why, STATUS_BAD_INPUT, "bus: a name of 1 to 23 characters expected in each");
    out->bus[i].available_w = welcome->bus[i]->available_w;
    out->bus_count++;
  }
  for (size_t i = 0; i < welcome->n_thruster; i++)
    if (read_thruster(welcome->thruster[i], out, &out->thruster[out->thruster_count++], why) != STATUS_OK)
      return STATUS_BAD_INPUT;
  return STATUS_OK;
}

static void fill_power_plant(const struct loop_view *view, struct plant_truth_message *out) {
  const struct power_output *power = &view->truth->power;
  sagbend__v1__power_plant__init(&out->power);
  for (int i = 0; i < power->generator_count; i++) {
    const struct generator_output *set = &power->generator[i];
    Sagbend__V1__GeneratorTruth *message = out->generators[i] = &out->generator[i];
    sagbend__v1__generator_truth__init(message);
    message->name = text_of(set->name);
    message->phase = (Sagbend__V1__GeneratorPhase)(set->phase + 1);
    message->load_w = set->load_w;
    message->reactive_w = set->reactive_w;
    message->trip = text_of(set->trip == TRIP_NONE ? "" : trip_name(set->trip));
    message->trip_count = set->trip_count;
    message->locked = set->locked;
  }
  for (int i = 0; i < power->tie_count; i++) {
    Sagbend__V1__TieTruth *message = out->ties[i] = &out->tie[i];
    sagbend__v1__tie_truth__init(message);
    message->name = text_of(power->tie[i].name);
    message->closed = power->tie[i].closed;
    message->trip_count = power->tie[i].trip_count;
  }
  for (int i = 0; i < power->battery_count; i++) {
    Sagbend__V1__BatteryTruth *message = out->batteries[i] = &out->battery[i];
    sagbend__v1__battery_truth__init(message);
    message->name = text_of(power->battery[i].name);
    message->charge = power->battery[i].charge;
    message->power_w = power->battery[i].power_w;
  }
  out->power.battery = out->batteries;
  out->power.n_battery = (size_t)power->battery_count;
  out->power.generator = out->generators;
  out->power.n_generator = (size_t)power->generator_count;
  out->power.tie = out->ties;
  out->power.n_tie = (size_t)power->tie_count;
  wire_fill_quantities(&out->power, MESSAGE_TRUTH_POWER_PLANT, view);
}

void wire_fill_plant_truth(const struct loop_view *view, const struct readings *told,
                           struct plant_truth_message *out, Sagbend__V1__Truth *truth) {
  const struct sim_output *output = view->truth;
  for (int i = 0; i < output->thruster_count; i++) {
    const struct thruster_output *thruster = &output->thruster[i];
    Sagbend__V1__ThrusterTruth *message = out->thrusters[i] = &out->thruster[i];
    sagbend__v1__thruster_truth__init(message);
    message->name = text_of(thruster->name);
    message->running = thruster->running;
    message->ready = thruster->ready;
    message->revolutions_rpm = thruster->revolutions_rpm;
    message->pitch = thruster->pitch;
    message->azimuth_rad = thruster->azimuth_rad;
    message->thrust_n = thruster->thrust_n;
    message->power_w = thruster->power_w;
    message->azimuths_in_forbidden_zone = thruster->in_forbidden_zone_count;
    message->emergency_stopped = told->thruster[i].stopped != 0;
  }
  for (int i = 0; i < output->bus_count; i++) {
    const struct bus_output *bus = &output->bus[i];
    Sagbend__V1__BusTruth *message = out->buses[i] = &out->bus[i];
    sagbend__v1__bus_truth__init(message);
    message->name = text_of(bus->name);
    message->closed = bus->closed;
    message->limited = bus->limited;
    message->available_w = bus->available_w;
    message->used_w = bus->used_w;
    message->limited_count = bus->limited_count;
    message->frequency = bus->frequency;
    message->voltage = bus->voltage;
    message->dark_count = bus->dark_count;
  }
  fill_power_plant(view, out);
  truth->power_plant = output->power.present ? &out->power : NULL;
  sagbend__v1__body_wrench__init(&out->wrench);
  wire_fill_quantities(&out->wrench, MESSAGE_TRUTH_THRUSTER_WRENCH, view);
  truth->thruster_wrench = output->thruster_count > 0 ? &out->wrench : NULL;
  truth->n_thruster = (size_t)output->thruster_count;
  truth->thruster = out->thrusters;
  truth->n_bus = (size_t)output->bus_count;
  truth->bus = out->buses;
}
