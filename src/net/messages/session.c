// Session: everything that a view needs to know beside the state.
#include "net/messages/messages.h"
#include "net/messages/messages_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double *numbers_of(const double *numbers) {
  return (double *)(uintptr_t)numbers;
}

struct power_message {
  Sagbend__V1__PowerPlantInfo message;
  Sagbend__V1__GeneratorInfo set[MAX_GENERATORS], *sets[MAX_GENERATORS];
  Sagbend__V1__TieInfo tie[MAX_TIES], *ties[MAX_TIES];
  Sagbend__V1__BatteryInfo battery[MAX_BATTERIES], *batteries[MAX_BATTERIES];
};

struct session_message {
  Sagbend__V1__Session message;
  struct whole_welcome_message welcome;
  Sagbend__V1__Setpoint setpoint;
  Sagbend__V1__PipeInfo pipe;
  Sagbend__V1__SeabedInfo seabed;
  Sagbend__V1__SeabedGrid grid;
  Sagbend__V1__OutlinePoint corner[WIRE_OUTLINE], *outline[WIRE_OUTLINE];
  Sagbend__V1__VerdictInfo verdict[MAX_VERDICTS], *verdicts[MAX_VERDICTS];
  Sagbend__V1__ViewLimits limits;
  struct route_message route;
  struct power_message power;
  Sagbend__V1__RoutePart part[MAX_ROUTE_PARTS], *parts[MAX_ROUTE_PARTS];
};

static void fill_pipe(const struct wire_pipe *from, Sagbend__V1__PipeInfo *out) {
  sagbend__v1__pipe_info__init(out);
  out->outer_diameter_m = from->outer_diameter_m;
  out->lay_azimuth_rad = from->lay_azimuth_rad;
  out->hangoff_forward_m = from->hangoff_b_m[0];
  out->hangoff_starboard_m = from->hangoff_b_m[1];
  out->hangoff_down_m = from->hangoff_b_m[2];
  out->contact_offset_m = from->contact_offset_m;
  out->arc_length_m = numbers_of(from->arc_length_m);
  out->n_arc_length_m = (size_t)from->node_count;
  out->element_diameter_m = numbers_of(from->element_diameter_m);
  out->n_element_diameter_m = from->element_diameter_m ? (size_t)from->node_count - 1 : 0;
  out->n_support_forward_m = out->n_support_starboard_m = out->n_support_down_m = (size_t)from->support_count;
  out->support_forward_m = numbers_of(from->support_b_m[0]);
  out->support_starboard_m = numbers_of(from->support_b_m[1]);
  out->support_down_m = numbers_of(from->support_b_m[2]);
}

static Sagbend__V1__PowerPlantInfo *fill_power(const struct power_def *from, struct power_message *out) {
  Sagbend__V1__PowerPlantInfo *message = &out->message;
  sagbend__v1__power_plant_info__init(message);
  for (int i = 0; i < from->generator_count; i++) {
    Sagbend__V1__GeneratorInfo *set = out->sets[message->n_generator++] = &out->set[i];
    sagbend__v1__generator_info__init(set);
    set->name = text_of(from->generator[i].name);
    set->bus = text_of(from->generator[i].bus_name);
    set->rating_w = from->generator[i].rating_w;
  }
  for (int i = 0; i < from->tie_count; i++) {
    Sagbend__V1__TieInfo *tie = out->ties[message->n_tie++] = &out->tie[i];
    sagbend__v1__tie_info__init(tie);
    tie->name = text_of(from->tie[i].name);
    tie->from = text_of(from->tie[i].bus_name[0]);
    tie->to = text_of(from->tie[i].bus_name[1]);
  }
  for (int i = 0; i < from->battery_count; i++) {
    Sagbend__V1__BatteryInfo *battery = out->batteries[message->n_battery++] = &out->battery[i];
    sagbend__v1__battery_info__init(battery);
    battery->name = text_of(from->battery[i].name);
    battery->bus = text_of(from->battery[i].bus_name);
    battery->power_w = from->battery[i].power_w;
    battery->energy_j = from->battery[i].energy_j;
  }
  message->generator = out->sets;
  message->tie = out->ties;
  message->battery = out->batteries;
  message->hotel_w = numbers_of(from->hotel_w);
  message->n_hotel_w = (size_t)from->bus_count;
  return message;
}

static void fill_seabed(const struct wire_seabed *from, struct session_message *out) {
  Sagbend__V1__SeabedInfo *seabed = &out->seabed;
  sagbend__v1__seabed_info__init(seabed);
  seabed->north_m = from->north_m;
  seabed->east_m = from->east_m;
  seabed->down_m = from->down_m;
  seabed->slope_north = from->slope_north;
  seabed->slope_east = from->slope_east;
  if (!from->north_nodes)
    return;
  Sagbend__V1__SeabedGrid *grid = seabed->grid = &out->grid;
  sagbend__v1__seabed_grid__init(grid);
  grid->north_m = from->grid_north_m;
  grid->east_m = from->grid_east_m;
  grid->spacing_north_m = from->spacing_north_m;
  grid->spacing_east_m = from->spacing_east_m;
  grid->north_nodes = (uint32_t)from->north_nodes;
  grid->east_nodes = (uint32_t)from->east_nodes;
  grid->down_m = numbers_of(from->grid_down_m);
  grid->n_down_m = (size_t)from->north_nodes * (size_t)from->east_nodes;
}

static void fill_welcome_verdict(const struct scenario_def *scenario, const struct verdict_def *def,
                                 Sagbend__V1__VerdictInfo *out) {
  sagbend__v1__verdict_info__init(out);
  out->name = text_of(def->name);
  out->quantity = text_of(quantity_shown_name((int)def->quantity));
  out->unit = text_of(quantity_table[def->quantity].shown_unit);
  if (isfinite(def->low)) {
    out->lower_case = SAGBEND__V1__VERDICT_INFO__LOWER_LOW;
    out->low = def->low;
  }
  if (isfinite(def->high)) {
    out->upper_case = SAGBEND__V1__VERDICT_INFO__UPPER_HIGH;
    out->high = def->high;
  }
  out->from_s = def->from_s;
  out->to_s = def->to_s;
  if (def->after >= 0)
    out->after_event = text_of(scenario->event[def->after].name);
  out->mean_s = def->mean_s;
  out->grace_s = def->grace_s;
  out->expect_violated = def->expect_violated != 0;
}

static void fill_lists(const struct wire_session *from, struct session_message *out) {
  Sagbend__V1__Session *message = &out->message;
  for (int i = 0; i < from->outline_count && i < WIRE_OUTLINE; i++) {
    sagbend__v1__outline_point__init(&out->corner[i]);
    out->corner[i].forward_m = from->outline_b_m[i][0];
    out->corner[i].starboard_m = from->outline_b_m[i][1];
    out->outline[message->n_outline++] = &out->corner[i];
  }
  message->outline = out->outline;
  message->power_plant = from->power ? fill_power(from->power, &out->power) : NULL;
  for (int i = 0; from->scenario && i < from->scenario->verdict_count; i++) {
    fill_welcome_verdict(from->scenario, &from->scenario->verdict[i], &out->verdict[i]);
    out->verdicts[message->n_verdict++] = &out->verdict[i];
  }
  message->verdict = out->verdicts;
  message->watch_circle_m = numbers_of(from->circle_m);
  message->n_watch_circle_m = (size_t)from->circle_count;
}

static void fill_limits(const struct wire_session *from, struct session_message *out) {
  sagbend__v1__view_limits__init(&out->limits);
  out->limits.curvature_1pm = from->limit_curvature_1pm;
  out->limits.moment_nm = from->limit_moment_nm;
  out->limits.tension_n = from->limit_tension_n;
  if (from->limit_curvature_1pm > 0 || from->limit_moment_nm > 0 || from->limit_tension_n > 0)
    out->message.limits = &out->limits;
}

static void fill_route(const struct track_def *track, struct session_message *out) {
  const struct route *route = &track->route;
  Sagbend__V1__Route *message = out->message.route = wire_fill_route(track, &out->route);
  if (!message)
    return;
  for (int i = 0; i < route->count; i++) {
    const struct route_part *from = &route->part[i];
    Sagbend__V1__RoutePart *part = out->parts[i] = &out->part[i];
    sagbend__v1__route_part__init(part);
    part->north_m = from->start_m[0];
    part->east_m = from->start_m[1];
    part->course_rad = from->course_rad;
    part->length_m = from->length_m;
    part->curvature_1pm = from->curvature_1pm;
  }
  message->part = out->parts;
  message->n_part = (size_t)route->count;
  message->length_m = route->length_m;
}

static void fill_setpoint(const struct wire_welcome *welcome, struct session_message *out) {
  sagbend__v1__setpoint__init(&out->setpoint);
  out->setpoint.north_m = welcome->setpoint[0];
  out->setpoint.east_m = welcome->setpoint[1];
  out->setpoint.heading_rad = welcome->setpoint[2];
  out->setpoint.order = welcome->setpoint_order;
  out->message.setpoint = welcome->has_setpoint ? &out->setpoint : NULL;
}

size_t wire_pack_session(const struct wire_header *header, const struct wire_welcome *welcome,
                         const struct wire_session *session, uint8_t *out, size_t capacity) {
  struct session_message parts;
  Sagbend__V1__Header header_message = wire_header_message(header);
  sagbend__v1__session__init(&parts.message);
  parts.message.header = &header_message;
  wire_fill_whole_welcome(welcome, &parts.welcome);
  parts.message.welcome = &parts.welcome.message;
  fill_setpoint(welcome, &parts);
  if (session->pipe.node_count > 0) {
    fill_pipe(&session->pipe, &parts.pipe);
    parts.message.pipe = &parts.pipe;
  }
  if (session->seabed.is_there) {
    fill_seabed(&session->seabed, &parts);
    parts.message.seabed = &parts.seabed;
  }
  fill_lists(session, &parts);
  fill_limits(session, &parts);
  if (session->scenario)
    fill_route(&session->scenario->track, &parts);
  parts.message.version = text_of(session->version ? session->version : "");
  parts.message.model_hash = session->model_hash;
  parts.message.duration_s = session->duration_s;
  parts.message.start_north_m = session->start[0];
  parts.message.start_east_m = session->start[1];
  parts.message.start_heading_rad = session->start[2];
  return wire_pack(&parts.message.base, out, capacity);
}

// ------------------------------------------------------------
// Instruments, set-point and vessel in a Welcome.

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
  sagbend__v1__redundancy__init(&out->redundancy);
  out->redundancy.in_command = from->redundancy.in_command != 0;
  out->redundancy.commander = text_of(from->redundancy.commander);
  out->redundancy.next = text_of(from->redundancy.next);
  out->redundancy.rank = (uint32_t)from->redundancy.rank;
  out->redundancy.is_backup = from->redundancy.is_backup != 0;
  welcome->redundancy = from->has_redundancy ? &out->redundancy : NULL;
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
  const Sagbend__V1__Redundancy *redundancy = welcome->redundancy;
  out->has_redundancy = redundancy != NULL;
  if (redundancy) {
    struct wire_redundancy *to = &out->redundancy;
    to->in_command = redundancy->in_command != 0;
    to->is_backup = redundancy->is_backup != 0;
    to->rank = (int)redundancy->rank;
    if (redundancy->rank > INT16_MAX ||
        snprintf(to->commander, sizeof to->commander, "%s", redundancy->commander) >= SIGNAL_NAME ||
        snprintf(to->next, sizeof to->next, "%s", redundancy->next) >= SIGNAL_NAME)
      return fail(why, STATUS_BAD_INPUT, "redundancy: a rank, and names of at most 23 characters, expected");
  }
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

// ------------------------------------------------------------
// What the topic "status" adds to a Status: verdicts and active faults.

static Sagbend__V1__VerdictState state_of(const struct verdict *v) {
  return v->violated_step   ? SAGBEND__V1__VERDICT_STATE__VERDICT_STATE_VIOLATED
         : v->outside_since ? SAGBEND__V1__VERDICT_STATE__VERDICT_STATE_OUTSIDE
         : v->judged_steps  ? SAGBEND__V1__VERDICT_STATE__VERDICT_STATE_WITHIN
                            : SAGBEND__V1__VERDICT_STATE__VERDICT_STATE_NOT_JUDGED;
}

static void fill_worst(const struct verdict *v, double step_s, Sagbend__V1__VerdictStatus *out) {
  if (!v->judged_steps)
    return;
  out->worst_time_s = (double)v->worst_step * step_s;
  if (!isfinite(v->worst_value))
    return;
  out->worst_case = SAGBEND__V1__VERDICT_STATUS__WORST_WORST_VALUE;
  out->worst_value = v->worst_value;
  if (isfinite(v->worst_margin)) {
    out->least_margin_case = SAGBEND__V1__VERDICT_STATUS__LEAST_MARGIN_WORST_MARGIN;
    out->worst_margin = v->worst_margin;
  }
}

static void fill_judged_verdict(const struct wire_judged *from, const struct loop_view *view, int i,
                                Sagbend__V1__VerdictStatus *out) {
  const struct verdict_def *def = &from->scenario->verdict[i];
  const struct verdict *v = &from->frame->verdict[i];
  double value = quantity_shown(def->quantity, view);
  sagbend__v1__verdict_status__init(out);
  out->name = text_of(def->name);
  out->state = state_of(v);
  out->passes = verdict_result(v, def) == VERDICT_PASSED;
  if (isfinite(value)) {
    out->present_case = SAGBEND__V1__VERDICT_STATUS__PRESENT_VALUE;
    out->value = value;
    out->present_margin_case = SAGBEND__V1__VERDICT_STATUS__PRESENT_MARGIN_MARGIN;
    out->margin = verdict_margin(def, value);
  }
  fill_worst(v, from->scenario->step_s, out);
  out->violations = v->violations;
  out->violated_time_s = v->violated_step ? (double)v->first_step * from->scenario->step_s : 0;
}

struct active_message {
  Sagbend__V1__ActiveFault message;
  struct fault_order_message order;
  struct fault_request request;
};

static void fill_fault(const struct wire_judged *from, const struct fault *fault,
                       struct active_message *out) {
  fault_to_request(&from->scenario->names, fault, &out->request);
  wire_fill_fault_order(&out->request, fault->name, 0, &out->order);
  sagbend__v1__active_fault__init(&out->message);
  out->message.name = text_of(fault->name);
  out->message.kind = out->request.kind;
  out->message.target = out->request.target;
  out->message.since_s = fault->since_s;
  out->message.n_parameter = out->order.message.n_parameter;
  out->message.parameter = out->order.message.parameter;
}

size_t wire_pack_whole_status(const struct wire_status *status, const struct wire_judged *judged,
                              uint8_t *out, size_t capacity) {
  const struct frame *frame = judged->frame;
  const struct loop_view view = loop_view_of(frame, &frame->target);
  Sagbend__V1__Status message = status->message;
  Sagbend__V1__VerdictStatus verdict[MAX_VERDICTS], *verdicts[MAX_VERDICTS];
  struct active_message fault[MAX_FAULTS];
  Sagbend__V1__ActiveFault *faults[MAX_FAULTS];
  for (int i = 0; i < judged->scenario->verdict_count; i++) {
    fill_judged_verdict(judged, &view, i, &verdict[i]);
    verdicts[message.n_verdict++] = &verdict[i];
  }
  message.verdict = verdicts;
  for (int i = 0; i < frame->faults.count; i++) {
    fill_fault(judged, &frame->faults.fault[i], &fault[i]);
    faults[message.n_fault++] = &fault[i].message;
  }
  message.fault = faults;
  return wire_pack(&message.base, out, capacity);
}
