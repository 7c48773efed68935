#include "io/bus/modbus_signal.h"

#include "core/math/trig.h"

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

// "NAME.signal" of a thruster or bus; the name may contain dots.
static enum status find_part(enum signal_scope scope, const char *text, const char (*names)[SIGNAL_NAME],
                             int count, struct signal_place *out, struct reason *why) {
  const char *dot = strrchr(text, '.');
  int is_thruster = scope == SCOPE_THRUSTER;
  out->index = dot ? find_name(names, count, text, (size_t)(dot - text)) : -1;
  out->signal = dot ? find_signal(scope, dot + 1) : -1;
  if (out->index < 0)
    return fail(why, STATUS_BAD_INPUT, "%s",
                is_thruster ? "thruster.NAME.SIGNAL with one of vessel.thrusters expected"
                            : "bus.NAME.SIGNAL with one of vessel.power.buses expected");
  if (out->signal < 0)
    return fail(why, STATUS_BAD_INPUT, "%s",
                is_thruster ? "a signal of a thruster, such as ready or revolutions_set_rpm, expected"
                            : "a signal of a bus, such as used_w, expected");
  return STATUS_OK;
}

enum status modbus_signal_find(const char *text, const struct hil_names *names, struct signal_place *out,
                               struct reason *why) {
  static const char thruster[] = "thruster.", bus[] = "bus.", quantity[] = "quantity.";
  *out = (struct signal_place){-1, 0};
  if (strncmp(text, thruster, sizeof thruster - 1) == 0)
    return find_part(SCOPE_THRUSTER, text + sizeof thruster - 1, names->thruster, names->thruster_count, out,
                     why);
  if (strncmp(text, bus, sizeof bus - 1) == 0)
    return find_part(SCOPE_BUS, text + sizeof bus - 1, names->bus, names->bus_count, out, why);
  out->signal = strncmp(text, quantity, sizeof quantity - 1) == 0 ? find_quantity(text + sizeof quantity - 1)
                                                                  : find_signal(SCOPE_SESSION, text);
  if (strncmp(text, "tensioner.", 10) == 0 && !names->has_tensioner)
    return fail(why, STATUS_BAD_INPUT, "another signal expected where there is no pipe.tensioner");
  if (out->signal < 0)
    return fail(why, STATUS_BAD_INPUT,
                "a signal expected: session.step, thruster.NAME.ready, bus.NAME.used_w, quantity.NAME, or "
                "another of docs/field-buses.md");
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

double modbus_signal_value(struct signal_place place, const struct modbus_view *view) {
  if (place.signal >= MODBUS_SIGNAL_COUNT) {
    enum quantity quantity = (enum quantity)(place.signal - MODBUS_SIGNAL_COUNT);
    const struct loop_view loop = loop_view_of(view->frame, view->target);
    return quantity_exists(quantity, &loop) ? quantity_shown(quantity, &loop) : (double)NAN;
  }
  const struct signal_info *info = &SIGNALS[place.signal];
  if (info->scope == SCOPE_BUS)
    return bus_value(place.signal, &view->frame->output.bus[place.index]);
  if (info->scope == SCOPE_SESSION)
    return session_value(place.signal, view);
  return info->is_written ? setpoint_value(place.signal, &view->image->setpoint[place.index])
                          : feedback_value(place.signal, &view->frame->readings.thruster[place.index]);
}
