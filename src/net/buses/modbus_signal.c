#include "net/buses/buses.h"
#include "sagbend/base/base.h"

#include "sagbend/math/math.h"

#include <math.h>
#include <string.h>

static const struct signal_info SIGNALS[] = {
#define X(id, scope, name, written, flag, unit, meaning) {scope, name, written, flag, unit, meaning},
    MODBUS_SIGNAL_TABLE(X)
#undef X
};

struct signal_info modbus_signal_info(int signal) {
  if (signal < MODBUS_SIGNAL_COUNT)
    return SIGNALS[signal];
  if (signal >= MODBUS_FIRST_INSTRUMENT_SIGNAL)
    return modbus_instrument_info(signal);
  const struct quantity_info *quantity = &quantity_table[signal - MODBUS_SIGNAL_COUNT];
  return (struct signal_info){SCOPE_SESSION,        quantity->shown_name, 0, 0,
                              quantity->shown_unit, quantity->meaning};
}

static int find_signal(enum signal_scope scope, const char *name) {
  for (int i = 0; i < MODBUS_SIGNAL_COUNT; i++)
    if (SIGNALS[i].scope == scope && strcmp(SIGNALS[i].name, name) == 0)
      return i;
  return -1;
}

static int find_quantity(const char *name) {
  for (int q = 0; q < QUANTITY_COUNT; q++)
    if (strcmp(quantity_shown_name(q), name) == 0)
      return MODBUS_SIGNAL_COUNT + q;
  return -1;
}

static int find_name(const char (*names)[SIGNAL_NAME], int count, const char *name, size_t length) {
  for (int i = 0; i < count; i++)
    if (strlen(names[i]) == length && strncmp(names[i], name, length) == 0)
      return i;
  return -1;
}

// What has signals of its own: the word before its name, and what is expected if it is another one.
static const struct part {
  enum signal_scope scope;
  const char *word, *name_expected, *signal_expected;
} PARTS[] = {
    {SCOPE_THRUSTER, "thruster.", "thruster.NAME.SIGNAL with one of vessel.thrusters expected",
     "a signal of a thruster, such as ready or revolutions_set_rpm, expected"},
    {SCOPE_BUS, "bus.", "bus.NAME.SIGNAL with one of vessel.power.buses expected",
     "a signal of a bus, such as used_w, expected"},
    {SCOPE_GENERATOR, "generator.", "generator.NAME.SIGNAL with one of vessel.power.generators expected",
     "a signal of a generator, such as on_line, expected"},
    {SCOPE_TIE, "tie.", "tie.NAME.SIGNAL with one of vessel.power.ties expected",
     "a signal of a tie, such as closed, expected"},
    {SCOPE_INSTRUMENT, "instrument.", "instrument.NAME.SIGNAL with one of instruments expected",
     "a signal of this kind of instrument, such as valid, expected: 'sagbend modbus-map' prints all"},
};

static int find_in(const struct hil_names *names, enum signal_scope scope, const char *name, size_t length) {
  return scope == SCOPE_THRUSTER     ? find_name(names->thruster, names->thruster_count, name, length)
         : scope == SCOPE_BUS        ? find_name(names->bus, names->bus_count, name, length)
         : scope == SCOPE_INSTRUMENT ? find_name(names->instrument, names->instrument_count, name, length)
         : scope == SCOPE_GENERATOR  ? find_name(names->generator, names->generator_count, name, length)
                                     : find_name(names->tie, names->tie_count, name, length);
}

// "NAME.signal"; the name may contain dots.
static enum status find_part(const struct part *part, const char *text, const struct hil_names *names,
                             struct signal_place *out, struct reason *why) {
  const char *dot = strrchr(text, '.');
  out->index = dot ? find_in(names, part->scope, text, (size_t)(dot - text)) : -1;
  out->signal = -1;
  if (dot && part->scope != SCOPE_INSTRUMENT)
    out->signal = find_signal(part->scope, dot + 1);
  else if (dot && out->index >= 0)
    out->signal = modbus_instrument_signal_named(names->instrument_kind[out->index], dot + 1);
  if (out->index < 0)
    return fail(why, STATUS_BAD_INPUT, "%s", part->name_expected);
  if (out->signal < 0)
    return fail(why, STATUS_BAD_INPUT, "%s", part->signal_expected);
  if ((out->signal == SIGNAL_FREQUENCY || out->signal == SIGNAL_VOLTAGE) && !names->has_power_plant)
    return fail(why, STATUS_BAD_INPUT, "needs vessel.power.generators");
  return STATUS_OK;
}

// "alarm.KIND", "command.alarm.KIND"; 0: it is neither.
static int find_alarm(const char *text, struct signal_place *out) {
  static const int signals[] = {SIGNAL_ALARM, SIGNAL_ALARM_SET};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
    const size_t size = strlen(SIGNALS[signals[i]].name);
    for (int kind = 0; kind < ALARM_KIND_COUNT; kind++)
      if (strncmp(text, SIGNALS[signals[i]].name, size) == 0 && text[size] == '.' &&
          strcmp(text + size + 1, dp_alarm_kind_name(kind)) == 0) {
        *out = (struct signal_place){signals[i], kind};
        return 1;
      }
  }
  return 0;
}

enum status modbus_signal_find(const char *text, const struct hil_names *names, struct signal_place *out,
                               struct reason *why) {
  static const char quantity[] = "quantity.";
  *out = (struct signal_place){-1, 0};
  for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++)
    if (strncmp(text, PARTS[i].word, strlen(PARTS[i].word)) == 0)
      return find_part(&PARTS[i], text + strlen(PARTS[i].word), names, out, why);
  if (find_alarm(text, out))
    return STATUS_OK;
  out->signal = strncmp(text, quantity, sizeof quantity - 1) == 0 ? find_quantity(text + sizeof quantity - 1)
                                                                  : find_signal(SCOPE_SESSION, text);
  if (strncmp(text, "tensioner.", 10) == 0 && !names->has_tensioner)
    return fail(why, STATUS_BAD_INPUT, "needs pipe.tensioner");
  if (out->signal < 0)
    return fail(why, STATUS_BAD_INPUT,
                "a signal such as session.step, thruster.NAME.ready, bus.NAME.used_w or quantity.NAME "
                "expected: docs/field-buses.md lists them%s",
                former_hint(FORMER_OUTPUT, strncmp(text, quantity, sizeof quantity - 1) == 0
                                               ? text + sizeof quantity - 1
                                               : "")
                    .text);
  return STATUS_OK;
}

static double degrees(double rad) {
  return rad * (180 / TRIG_PI);
}

static double setpoint_value(int signal, const struct thruster_setpoint *setpoint) {
  switch (signal) {
  case SIGNAL_ENABLE:
    return setpoint->enable;
  case SIGNAL_SET_REVOLUTIONS:
    return setpoint->revolutions_rpm;
  case SIGNAL_SET_PITCH:
    return setpoint->pitch;
  default:
    return degrees(setpoint->azimuth_rad);
  }
}

static double feedback_value(int signal, const struct thruster_feedback *feedback) {
  switch (signal) {
  case SIGNAL_READY:
    return feedback->ready;
  case SIGNAL_RUNNING:
    return feedback->running;
  case SIGNAL_REVOLUTIONS:
    return feedback->revolutions_rpm;
  case SIGNAL_PITCH:
    return feedback->pitch;
  case SIGNAL_AZIMUTH:
    return degrees(feedback->azimuth_rad);
  default:
    return feedback->power_w;
  }
}

static double bus_value(int signal, const struct bus_output *bus) {
  switch (signal) {
  case SIGNAL_AVAILABLE:
    return bus->available_w;
  case SIGNAL_USED:
    return bus->used_w;
  case SIGNAL_CLOSED:
    return bus->closed;
  case SIGNAL_FREQUENCY:
    return bus->frequency;
  case SIGNAL_VOLTAGE:
    return bus->voltage;
  default:
    return bus->limited;
  }
}

// Measured by the first instrument of this kind; on a vessel without instruments the exact value. NaN: there
// is no valid measurement.
static double measured(const struct frame *frame, enum instrument kind, int channel, double exact) {
  const struct readings *all = &frame->readings;
  if (all->instrument_count == 0)
    return exact;
  for (int i = 0; i < all->instrument_count; i++)
    if (all->instrument[i].kind == kind)
      return all->instrument[i].sequence > 0 && all->instrument[i].valid ? all->instrument[i].value[channel]
                                                                         : (double)NAN;
  return (double)NAN;
}

static double tensioner_value(int signal, const struct modbus_view *view) {
  const struct tensioner_setpoint *set = &view->image->tensioner;
  const struct sim_output *output = &view->frame->output;
  switch (signal) {
  case SIGNAL_TENSIONER_SET_MODE:
    return set->mode;
  case SIGNAL_TENSIONER_SET_TENSION:
    return set->tension_n;
  case SIGNAL_TENSIONER_SET_SPEED:
    return set->speed_mps;
  case SIGNAL_TENSIONER_MODE:
    return measured(view->frame, INSTRUMENT_TENSIONER, 1, output->tensioner.mode);
  case SIGNAL_TENSIONER_BRAKE:
    return measured(view->frame, INSTRUMENT_TENSIONER, 2, output->tensioner.mode == TENSIONER_BRAKE);
  case SIGNAL_TENSIONER_SOURCE:
    return output->tensioner.source;
  case SIGNAL_TENSIONER_TENSION:
    return measured(view->frame, INSTRUMENT_TENSIONER, 0, output->hangoff_tension_n);
  case SIGNAL_PAYOUT_LENGTH:
    return measured(view->frame, INSTRUMENT_PAYOUT, 0, output->paid_out_m);
  default:
    return measured(view->frame, INSTRUMENT_PAYOUT, 1, output->payout_mps);
  }
}

static double session_value(int signal, const struct modbus_view *view) {
  const struct sim_output *output = &view->frame->output;
  if (signal >= SIGNAL_TENSIONER_SET_MODE && signal <= SIGNAL_PAYOUT_SPEED)
    return tensioner_value(signal, view);
  switch (signal) {
  case SIGNAL_STANDBY:
    return view->image->standby;
  case SIGNAL_BEAT:
    return view->beat;
  case SIGNAL_BASED_ON:
  case SIGNAL_STEP:
    return (double)output->step;
  case SIGNAL_IN_COMMAND:
    return view->is_in_command;
  case SIGNAL_STATE:
    return view->frame->command_state;
  case SIGNAL_ACCEPTED:
    return (double)view->gate->counts.accepted;
  case SIGNAL_REFUSED:
    return (double)refused_in_all(&view->gate->counts);
  case SIGNAL_ALARMS_ACTIVE:
    return dp_alarm_count(&view->frame->alarms.list);
  case SIGNAL_ALARMS_RAISED:
    return (double)view->frame->alarms.raised;
  case SIGNAL_TIME:
    return output->time_s;
  case SIGNAL_LIFE:
    return (double)(output->step % 65536);
  case SIGNAL_HELD:
    return view->frame->timing.hold;
  case SIGNAL_ALL_AVAILABLE:
    return view->frame->readings.power_available_w;
  default:
    return view->frame->readings.power_used_w;
  }
}

// As a power management system hands them over: a status that is frozen there is as it believes it to be.
static double generator_value(int signal, const struct generator_feedback *told,
                              const struct generator_output *set) {
  return signal == SIGNAL_LOAD      ? told->load_w
         : signal == SIGNAL_ON_LINE ? (double)told->closed
                                    : !told->closed && set->trip != TRIP_NONE;
}

static int has_alarm(const struct dp_alarm_list *list, int kind) {
  for (int i = 0; i < list->count; i++)
    if ((int)list->alarm[i].kind == kind && list->alarm[i].severity != SEVERITY_MESSAGE)
      return 1;
  return 0;
}

double modbus_signal_value(struct signal_place place, const struct modbus_view *view) {
  if (place.signal >= MODBUS_FIRST_INSTRUMENT_SIGNAL)
    return modbus_instrument_value(place, &view->frame->readings);
  if (place.signal >= MODBUS_SIGNAL_COUNT) {
    enum quantity quantity = (enum quantity)(place.signal - MODBUS_SIGNAL_COUNT);
    const struct loop_view loop = loop_view_of(view->frame, view->target);
    return quantity_exists(quantity, &loop) ? quantity_shown(quantity, &loop) : (double)NAN;
  }
  const struct signal_info *info = &SIGNALS[place.signal];
  if (info->scope == SCOPE_ALARM)
    return has_alarm(info->is_written ? view->reported : &view->frame->alarms.list, place.index);
  if (info->scope == SCOPE_GENERATOR)
    return generator_value(place.signal, &view->frame->readings.power.generator[place.index],
                           &view->frame->output.power.generator[place.index]);
  if (info->scope == SCOPE_TIE)
    return (double)view->frame->readings.power.tie[place.index].closed;
  if (info->scope == SCOPE_BUS)
    return bus_value(place.signal, &view->frame->output.bus[place.index]);
  if (info->scope == SCOPE_SESSION)
    return session_value(place.signal, view);
  return info->is_written ? setpoint_value(place.signal, &view->image->setpoint[place.index])
                          : feedback_value(place.signal, &view->frame->readings.thruster[place.index]);
}
