// Session: everything that a view needs to know beside the state.
#include "net/messages/codec_view.h"

#include "net/messages/messages_internal.h"

#include <math.h>
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

static void fill_verdict(const struct scenario_def *scenario, const struct verdict_def *def,
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
    fill_verdict(from->scenario, &from->scenario->verdict[i], &out->verdict[i]);
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
