#include "sagbend/engine/engine_orders.h"

#include <math.h>
#include <string.h>

static const char HALT_NAME[] = "overrun";

// A route that an external controller may follow without the simulator's knowledge is not ruled out.
struct order_rules engine_order_rules(const struct config *config, const double hold_b[6]) {
  const struct tensioner_def *tensioner = &config->sim.pipe.tensioner;
  const int is_route_unknown = config->sim.controller == CONTROLLER_EXTERNAL && !*config->dp_file;
  const double most_mps = tensioner->order_count ? tensioner->speed_max_mps : TRACK_SPEED_MAX;
  struct command_def rules = {0};
  const double *circle_m = config->view.watch_circle_m;
  config_command_rules(config, hold_b, &rules);
  return (struct order_rules){.names = &config->scenario.names,
                              .mode = config->run.mode,
                              .is_setpoint_fixed = config->sim.controller == CONTROLLER_CONTINUOUS,
                              .may_follow_route = config->scenario.track.route.count > 0 || is_route_unknown,
                              .track_speed_max_mps = most_mps < TRACK_SPEED_MAX ? most_mps : TRACK_SPEED_MAX,
                              .outer_circle_m = fmax(circle_m[0], circle_m[WATCH_CIRCLES - 1]),
                              .tensioner = rules.tensioner};
}

static int begins_fault(const struct order *order) {
  return order->kind == ORDER_FAULT || order->kind == ORDER_EMERGENCY_STOP;
}

static int is_active(const struct orders_present *present, const char *name) {
  for (int i = 0; i < present->faults->count; i++)
    if (!strcmp(present->faults->fault[i].name, name))
      return 1;
  for (int i = 0; i < present->pending_count; i++)
    if (begins_fault(&present->pending[i]) && !strcmp(present->pending[i].name, name))
      return 1;
  return 0;
}

static int count_pending_faults(const struct orders_present *present) {
  int count = 0;
  for (int i = 0; i < present->pending_count; i++)
    count += present->pending[i].kind == ORDER_FAULT;
  return count;
}

// Whether no steps are made once the pending orders are in effect.
static int will_be_held(const struct orders_present *present) {
  int held = present->is_held;
  for (int i = 0; i < present->pending_count; i++)
    if (present->pending[i].kind == ORDER_PAUSE || present->pending[i].kind == ORDER_RESUME)
      held = present->pending[i].kind == ORDER_PAUSE;
  return held;
}

static enum status check_fault(const struct orders_present *present, struct order *order,
                               struct reason *why) {
  if (is_active(present, order->name) || !strcmp(order->name, ALL_FAULTS))
    return fail(why, STATUS_BAD_INPUT, "name: one that no active fault has expected, got '%s'", order->name);
  if (present->orders_active + count_pending_faults(present) >= MAX_ORDERS)
    return fail(why, STATUS_BAD_INPUT, "at most %d ordered faults at a time expected", MAX_ORDERS);
  return STATUS_OK;
}

static enum status check_stop(const struct orders_present *present, struct order *order, struct reason *why) {
  int is_stopped = fault_find(present->faults, FAULT_EMERGENCY_STOP, order->fault.target) != NULL;
  for (int i = 0; i < present->pending_count; i++)
    is_stopped |= present->pending[i].kind == ORDER_EMERGENCY_STOP &&
                  present->pending[i].fault.target == order->fault.target;
  return is_stopped ? fail(why, STATUS_BAD_INPUT, "emergency-stop: %s is stopped already", order->name)
                    : STATUS_OK;
}

// Whether the name is that of a halt (simulation.overrun): to clear it is to resume the run.
static int ends_halt(const struct orders_present *present, const char *name) {
  return strcmp(name, HALT_NAME) == 0 && present->is_halted && will_be_held(present);
}

static enum status check_clear(const struct orders_present *present, struct order *order,
                               struct reason *why) {
  if (!strcmp(order->name, ALL_FAULTS) || is_active(present, order->name))
    return STATUS_OK;
  if (ends_halt(present, order->name)) {
    order->kind = ORDER_RESUME;
    memset(order->name, 0, sizeof order->name);
    return STATUS_OK;
  }
  return fail(why, STATUS_BAD_INPUT, "name: that of an active fault or all%s expected, got '%s'",
              present->is_halted ? " or overrun (which ends the halt, as resume does)" : "", order->name);
}

static enum status check_hold(const struct orders_present *present, struct order *order, struct reason *why) {
  const int is_held = will_be_held(present), is_pause = order->kind == ORDER_PAUSE;
  return is_held != is_pause
             ? STATUS_OK
             : fail(why, STATUS_BAD_INPUT, "the session is %s", is_held ? "paused already" : "not paused");
}

// The functions that ORDER_TABLE names.
enum status order_check_present(const struct orders_present *present, struct order *order,
                                struct reason *why) {
  typedef enum status check(const struct orders_present *present, struct order *order, struct reason *why);
#define PRESENT_ALWAYS                                       NULL
#define PRESENT_IF(check)                                    check
#define PRESENT_AT_GATE(check)                               NULL
#define ROW(ID, word, number, payload, effect, present, ...) [ORDER_##ID] = PRESENT_##present,
  static check *const checks[] = {ORDER_TABLE(ROW)};
#undef ROW
  return checks[order->kind] ? checks[order->kind](present, order, why) : STATUS_OK;
}
