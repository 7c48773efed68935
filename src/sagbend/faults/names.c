// Faults and alarms by the names of the equipment.
#include "sagbend/faults/faults.h"

#include "sagbend/base/base.h"

#include <stdio.h>
#include <string.h>

static const char NETWORK_LIST[NETWORKS][SIGNAL_NAME] = {"A", "B"};   // as network_name
static const char ZONE_LIST[SIDES][SIGNAL_NAME] = {"main", "backup"}; // as controller_side_name

// Names of the possible targets; NULL: the kind needs no name.
static const char (*names_of(const struct hil_names *n, enum fault_target t, int *count)) [SIGNAL_NAME] {
  switch (t) {
  case TARGET_INSTRUMENT:
  case TARGET_SENTENCE:
    *count = n->instrument_count;
    return n->instrument;
  case TARGET_COMMON:
    *count = n->common_count;
    return n->common;
  case TARGET_THRUSTER:
    *count = n->thruster_count;
    return n->thruster;
  case TARGET_BUS:
    *count = n->bus_count;
    return n->bus;
  case TARGET_GENERATOR:
    *count = n->generator_count;
    return n->generator;
  case TARGET_CONTROLLER:
    *count = n->controller_count;
    return n->controller;
  case TARGET_TIE:
    *count = n->tie_count;
    return n->tie;
  case TARGET_NETWORK:
    *count = NETWORKS;
    return NETWORK_LIST;
  case TARGET_ZONE:
    *count = n->has_backup ? SIDES : 0;
    return ZONE_LIST;
  default:
    *count = 0;
    return NULL;
  }
}

static int find(const char (*list)[SIGNAL_NAME], int count, const char *name) {
  int i = 0;
  while (i < count && strcmp(list[i], name) != 0)
    i++;
  return i < count ? i : -1;
}

// "gyro-1, gyro-2", as far as it fits.
static void list_names(const char (*list)[SIGNAL_NAME], int count, char *out, size_t size) {
  size_t used = 0;
  *out = '\0';
  for (int i = 0; i < count && used + SIGNAL_NAME + 8 < size; i++)
    used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "", list[i]);
}

static struct nearest_hint name_hint(const char (*list)[SIGNAL_NAME], int count, const char *wanted) {
  struct nearest nearest = nearest_to(wanted);
  for (int i = 0; i < count; i++)
    nearest_try(&nearest, list[i]);
  return nearest_hint(&nearest);
}

static enum status find_target(const struct hil_names *names, const struct fault_request *q,
                               struct fault *out, struct reason *why) {
  enum fault_target t = fault_target_of(out->kind);
  int count;
  const char (*list)[SIGNAL_NAME] = names_of(names, t, &count);
  const char *kind = fault_target_name(t);
  out->target = -1;
  if (t == TARGET_TENSIONER && !names->has_tensioner)
    return fail(why, STATUS_BAD_INPUT, "%s needs pipe.tensioner", q->kind);
  if (t == TARGET_MANAGEMENT && !names->has_power_plant)
    return fail(why, STATUS_BAD_INPUT, "%s needs vessel.power.generators", q->kind);
  if (t == TARGET_PIPE && !names->has_bore)
    return fail(why, STATUS_BAD_INPUT, "%s needs a pipe with inner_diameter_m", q->kind);
  if (t == TARGET_SETPOINT && names->has_fixed_setpoint)
    return fail(why, STATUS_BAD_INPUT, "%s is not allowed with controller.kind continuous", q->kind);
  if (t == TARGET_NETWORK && !names->has_network_b &&
      (out->kind == FAULT_NETWORK_REPEAT || !strcmp(q->target, NETWORK_LIST[1])))
    return fail(
        why, STATUS_BAD_INPUT,
        "%s%s needs network B, network.command_endpoint_b, nmea.network.interface_b or modbus.endpoint_b",
        q->kind, out->kind == FAULT_NETWORK_REPEAT ? "" : " with target B");
  if (!list)
    return !*q->target || !strcmp(q->target, "all") || !strcmp(q->target, kind)
               ? STATUS_OK
               : fail(why, STATUS_BAD_INPUT, "%s or no target expected, got '%s'", kind, q->target);
  if (count == 0)
    return fail(why, STATUS_BAD_INPUT, "the case has no %s, which the fault %s needs", kind, q->kind);
  if (!strcmp(q->target, "all"))
    return STATUS_OK;
  out->target = find(list, count, q->target);
  if (*q->target && out->target >= 0)
    return STATUS_OK;
  char text[160];
  list_names(list, count, text, sizeof text);
  return *q->target ? fail(why, STATUS_BAD_INPUT, "%s or all expected, got '%s'%s", text, q->target,
                           name_hint(list, count, q->target).text)
                    : fail(why, STATUS_BAD_INPUT, "%s or all expected, got nothing", text);
}

// Reads a parameter that names another instrument or thruster.
static enum status find_other(const struct hil_names *names, const struct fault_parameter_given *p,
                              enum fault_target t, double *out, struct reason *why) {
  int count, at;
  const char (*list)[SIGNAL_NAME] = names_of(names, t, &count);
  char text[160];
  at = p->is_text ? find(list, count, p->text) : -1;
  *out = at;
  if (at >= 0)
    return STATUS_OK;
  list_names(list, count, text, sizeof text);
  return fail(why, STATUS_BAD_INPUT, "%s expected, got '%s'%s", text, p->is_text ? p->text : "a number",
              p->is_text ? name_hint(list, count, p->text).text : "");
}

static enum status take_parameter(const struct hil_names *names, const struct fault_parameter_given *p,
                                  double *out, enum fault_target target, struct reason *why) {
  int id = fault_parameter_find(p->name);
  const struct fault_parameter_def *def = fault_parameter_def((enum fault_parameter_id)id);
  if (id == PARAMETER_OF_INSTRUMENT || id == PARAMETER_WITH_THRUSTER)
    return find_other(names, p, target, out, why);
  int whole = id != PARAMETER_CHANNEL || p->number == floor(p->number);
  *out = p->number;
  if (!p->is_text && p->number >= def->low && p->number <= def->high && whole)
    return STATUS_OK;
  const char *noun = id == PARAMETER_CHANNEL ? "whole" : "finite";
  return p->is_text ? fail(why, STATUS_BAD_INPUT, "%s number from %g to %g expected, got '%s'", noun,
                           def->low, def->high, p->text)
                    : fail(why, STATUS_BAD_INPUT, "%s number from %g to %g expected, got %s", noun, def->low,
                           def->high, number_text(p->number).text);
}

static enum status unexpected(enum fault_kind kind, const char *given, struct reason *why) {
  const char *first = fault_parameter(kind, 0), *second = fault_parameter(kind, 1);
  return fail(why, STATUS_BAD_INPUT, "%s is not allowed with %s, which has %s%s%s", given, fault_name(kind),
              *first ? first : "no parameters", *second ? " and " : "", second);
}

static enum status take_parameters(const struct hil_names *names, const struct fault_request *q,
                                   struct fault *out, int *where, struct reason *why) {
  int given[FAULT_PARAMETERS] = {0};
  for (int i = 0; i < q->parameter_count; i++) {
    int slot = 0;
    while (slot < FAULT_PARAMETERS && strcmp(fault_parameter(out->kind, slot), q->parameter[i].name) != 0)
      slot++;
    *where = FAULT_WRONG_PARAMETER + i;
    if (slot == FAULT_PARAMETERS || !*q->parameter[i].name)
      return unexpected(out->kind, q->parameter[i].name, why);
    if (given[slot]++)
      return fail(why, STATUS_BAD_INPUT, "one value expected, got two");
    enum status status =
        take_parameter(names, &q->parameter[i], &out->value[slot], fault_target_of(out->kind), why);
    if (status != STATUS_OK)
      return status;
  }
  for (int slot = 0; slot < FAULT_PARAMETERS; slot++) {
    const char *name = fault_parameter(out->kind, slot);
    if (!*name || given[slot])
      continue;
    const struct fault_parameter_def *def =
        fault_parameter_def((enum fault_parameter_id)fault_parameter_find(name));
    *where = FAULT_MISSING;
    if (isnan(def->fallback))
      return fail(why, STATUS_BAD_INPUT, "%s expected, got nothing: %s", name, def->help);
    out->value[slot] = def->fallback;
  }
  return STATUS_OK;
}

// Checks a fault against the kinds of its instruments.
static enum status fit_instruments(const struct hil_names *names, const struct fault *f, struct reason *why) {
  int with_channel = !strcmp(fault_parameter(f->kind, 1), "channel"), copies = f->kind == FAULT_DUPLICATE_OF;
  for (int i = 0; i < names->instrument_count; i++) {
    enum instrument kind = names->instrument_kind[i];
    if (!fault_hits(f, f->kind, i))
      continue;
    if (f->target >= 0 && !(fault_instrument_kinds(f->kind) & 1u << kind))
      return fail(why, STATUS_BAD_INPUT, "a fault of a %s expected, got %s for %s", instrument_name(kind),
                  fault_name(f->kind), names->instrument[i]);
    if (f->target >= 0 && f->kind == FAULT_OTHER_TARGET && names->other_targets[i] == 0)
      return fail(why, STATUS_BAD_INPUT, "a reference with several targets expected, got %s, which has one",
                  names->instrument[i]);
    if (with_channel && f->value[1] >= instrument_channel_count(kind))
      return fail(why, STATUS_BAD_INPUT, "channel: a number from 0 to %d expected for %s, a %s, got %g",
                  instrument_channel_count(kind) - 1, names->instrument[i], instrument_name(kind),
                  f->value[1]);
    if (copies && (names->instrument_kind[(int)f->value[0]] != kind || (int)f->value[0] == f->target))
      return fail(why, STATUS_BAD_INPUT, "of_instrument: the name of another %s expected, got '%s'",
                  instrument_name(kind), names->instrument[(int)f->value[0]]);
  }
  return STATUS_OK;
}

static enum status fit_thrusters(const struct hil_names *names, const struct fault *f, struct reason *why) {
  if (f->target < 0)
    return STATUS_OK;
  if (f->kind == FAULT_ROTATING && thruster_steering(names->thruster_kind[f->target]) == STEERING_NONE)
    return fail(why, STATUS_BAD_INPUT, "a thruster with an azimuth expected, got the %s '%s'",
                THRUSTER_KINDS[names->thruster_kind[f->target]].title, names->thruster[f->target]);
  if (f->kind == FAULT_SWAPPED && (int)f->value[0] == f->target)
    return fail(why, STATUS_BAD_INPUT, "with_thruster: the name of another thruster expected, got '%s'",
                names->thruster[f->target]);
  return STATUS_OK;
}

static enum status fit_common(const struct hil_names *names, const struct fault *f, struct reason *why) {
  for (int k = 0; k < names->common_count; k++)
    if (fault_hits(f, f->kind, k) && !(names->common_channels[k] & 1u << (int)f->value[1]))
      return fail(why, STATUS_BAD_INPUT, "channel: one of the quantity of %s expected, got %g",
                  names->common[k], f->value[1]);
  return STATUS_OK;
}

static enum status fits(const struct hil_names *names, const struct fault *f, struct reason *why) {
  if (f->kind == FAULT_TAKE_OVER && f->target < 0)
    return fail(why, STATUS_BAD_INPUT, "one controller expected, got all");
  if (fault_target_of(f->kind) == TARGET_INSTRUMENT)
    return fit_instruments(names, f, why);
  if (fault_target_of(f->kind) == TARGET_COMMON)
    return fit_common(names, f, why);
  return fault_target_of(f->kind) == TARGET_THRUSTER ? fit_thrusters(names, f, why) : STATUS_OK;
}

static int parameter_is_valid(const struct hil_names *names, const struct fault *f, int slot,
                              struct reason *why) {
  const char *name = fault_parameter(f->kind, slot);
  int count, id = fault_parameter_find(name);
  if (!*name)
    return valid_range(f->value[slot], 0, 0, "value (of a parameter that it has not)", why);
  const struct fault_parameter_def *def = fault_parameter_def((enum fault_parameter_id)id);
  int index = id == PARAMETER_OF_INSTRUMENT || id == PARAMETER_WITH_THRUSTER;
  double high = index && names_of(names, fault_target_of(f->kind), &count) ? count - 1 : def->high;
  double whole = index || id == PARAMETER_CHANNEL ? floor(f->value[slot]) : f->value[slot];
  return valid_range(f->value[slot], def->low, high, name, why) &&
         valid_range(f->value[slot], whole, whole, name, why);
}

int fault_is_valid(const struct hil_names *names, const struct fault *f, struct reason *why) {
  int count;
  if (!valid_index((int64_t)f->kind, 0, FAULT_COUNT - 1, "kind", why))
    return 0;
  names_of(names, fault_target_of(f->kind), &count);
  if (!valid_index(f->target, -1, count - 1, "target", why) || !valid_finite(&f->since_s, 1, "since_s", why))
    return 0;
  for (int slot = 0; slot < FAULT_PARAMETERS; slot++)
    if (!parameter_is_valid(names, f, slot, why))
      return 0;
  if ((fault_target_of(f->kind) == TARGET_TENSIONER && !names->has_tensioner) ||
      (fault_target_of(f->kind) == TARGET_MANAGEMENT && !names->has_power_plant) ||
      (fault_target_of(f->kind) == TARGET_PIPE && !names->has_bore))
    return valid_fail(why, "kind: %s needs equipment that the vessel does not have", fault_name(f->kind));
  return fits(names, f, why) == STATUS_OK;
}

static enum status refuse_kind(const char *kind, struct reason *why) {
  struct nearest nearest = nearest_to(kind);
  for (int i = 0; i < FAULT_COUNT; i++)
    nearest_try(&nearest, fault_name((enum fault_kind)i));
  const struct former_hint former = former_hint(FORMER_FAULT, kind);
  const struct nearest_hint near = nearest_hint(&nearest);
  return fail(why, STATUS_BAD_INPUT, "a kind of fault expected, got '%s'%s; 'sagbend ctl --help' lists them",
              kind, *former.text ? former.text : near.text);
}

enum status fault_from_request(const struct hil_names *names, const struct fault_request *q,
                               struct fault *out, int *where, struct reason *why) {
  memset(out, 0, sizeof *out);
  out->kind = fault_by_name(q->kind);
  *where = FAULT_WRONG_KIND;
  if (out->kind == FAULT_COUNT)
    return refuse_kind(q->kind, why);
  *where = FAULT_WRONG_TARGET;
  enum status status = find_target(names, q, out, why);
  if (status == STATUS_OK)
    status = take_parameters(names, q, out, where, why);
  if (status != STATUS_OK)
    return status;
  *where = FAULT_WRONG_TARGET;
  return fits(names, out, why);
}

void fault_to_request(const struct hil_names *names, const struct fault *f, struct fault_request *out) {
  int count, others;
  const char (*list)[SIGNAL_NAME] = names_of(names, fault_target_of(f->kind), &count);
  memset(out, 0, sizeof *out);
  snprintf(out->kind, sizeof out->kind, "%s", fault_name(f->kind));
  if (list)
    snprintf(out->target, sizeof out->target, "%s",
             f->target < 0 || f->target >= count ? "all" : list[f->target]);
  for (int i = 0; i < FAULT_PARAMETERS && *fault_parameter(f->kind, i); i++) {
    struct fault_parameter_given *p = &out->parameter[out->parameter_count++];
    int id = fault_parameter_find(fault_parameter(f->kind, i));
    snprintf(p->name, sizeof p->name, "%s", fault_parameter(f->kind, i));
    p->number = f->value[i];
    p->is_text = id == PARAMETER_OF_INSTRUMENT || id == PARAMETER_WITH_THRUSTER;
    list = p->is_text ? names_of(names, fault_target_of(f->kind), &others) : NULL;
    if (list)
      snprintf(p->text, sizeof p->text, "%s", list[(int)f->value[i]]);
  }
}

struct fault_text fault_target_text(const struct hil_names *names, const struct fault *f) {
  struct fault_text text;
  int count;
  enum fault_target t = fault_target_of(f->kind);
  const char (*list)[SIGNAL_NAME] = names_of(names, t, &count);
  const char *kind = fault_target_name(t);
  if (!list)
    snprintf(text.text, sizeof text.text, "%s", kind);
  else if (f->target < 0 || f->target >= count)
    snprintf(text.text, sizeof text.text, "all %s%s", kind, t == TARGET_BUS ? "es" : "s");
  else
    snprintf(text.text, sizeof text.text, "%s", list[f->target]);
  return text;
}

const char *dp_alarm_source_at(const struct hil_names *names, int index) {
  if (index < names->instrument_count)
    return names->instrument[index];
  index -= names->instrument_count;
  if (index < names->thruster_count)
    return names->thruster[index];
  index -= names->thruster_count;
  return index < names->bus_count ? names->bus[index] : dp_alarm_source_word(index - names->bus_count);
}

int dp_alarm_source_index(const struct hil_names *names, const char *source) {
  for (int i = 0; dp_alarm_source_at(names, i); i++)
    if (strcmp(dp_alarm_source_at(names, i), source) == 0)
      return i;
  return -1;
}

int dp_alarm_source_is_known(const struct hil_names *names, const char *source) {
  return dp_alarm_source_index(names, source) >= 0;
}

enum status dp_alarm_sources_check(const struct hil_names *names, const struct dp_alarm_list *alarms,
                                   struct reason *why) {
  for (int i = 0; i < alarms->count; i++)
    if (!dp_alarm_source_is_known(names, alarms->alarm[i].source))
      return fail(why, STATUS_BAD_INPUT,
                  "alarm.source: the name of an instrument, thruster or bus in Welcome, or a word of "
                  "docs/protocol.md such as controller, expected, got '%s'",
                  alarms->alarm[i].source);
  return STATUS_OK;
}
