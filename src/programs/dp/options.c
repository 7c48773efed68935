// The options of sagbend-dp, its help, and what it sends to displays.
#include "os/cli/cli.h"
#include "programs/dp/dp_program.h"
#include "programs/dp/dp_program_internal.h"

#include "os/process/process.h"
#include "sagbend/dp/dp.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// One row for each option: what getopt_long reads, and what the help states.
static const struct {
  char letter;
  const char *name, *value, *help; // value NULL: none
} OPTIONS[] = {
    {'c', "connect", "ENDPOINT",
     "Command endpoint of the simulator; twice: on networks A and B. Default: connect in CONFIG."},
    {'s', "set", "KEY=VALUE", "Override a key of CONFIG; may be repeated."},
    {'n', "name", "NAME", "Name of the controller in the simulator's messages. Default: name in CONFIG."},
    {'k', "key", "FILE",
     "Secret key of the controller ('sagbend keygen --role controller FILE'), for a simulator that requires "
     "keys."},
    {'K', "server-key", "KEY", "Public key of the simulator, or the file .pub that contains it."},
    {'q', "quiet", NULL, "Print no status line and no notices."},
    {'V', "version", NULL, "Print the version."},
    {'h', "help", NULL, "Print this help."},
};
enum { OPTION_COUNT = sizeof OPTIONS / sizeof *OPTIONS };

void dp_describe(struct help *h) {
  static const char *const usages[] = {"CONFIG [options]", NULL};
  static const char *const examples[] = {
      "sagbend-dp configs/jlay-900m-dp.yaml --connect tcp://127.0.0.1:47700", NULL};
  help_begin(
      h, "sagbend-dp",
      "DP controller for a vessel that sagbend simulates, over the protocol of proto/sagbend/v1. It may "
      "start before or after the simulator and may be killed and restarted at any time; it ends with "
      "the session.",
      usages);
  help_text(h, "CONFIG is a DP file: gains, set-point and switch-on time; for a vessel with instruments also "
               "instruments, observer, wind feed-forward and thrusters (configs/*-dp.yaml, "
               "docs/controller.md).");
  help_text(h,
            "The status line shows the position references and thrusters in use, dead reckoning and "
            "saturated thrusters. A notice reports each instrument or thruster that is taken out of use or "
            "into use.");
  help_heading(h, "options", HELP_OPTION_COLUMN);
  for (int i = 0; i < OPTION_COUNT; i++)
    help_option(h, OPTIONS[i].letter, OPTIONS[i].name, OPTIONS[i].value, OPTIONS[i].help);
  help_statuses(h, "0 the session ended or a signal stopped the program; 1 failure; 2 wrong usage or input");
  help_examples(h, examples);
}

void dp_print_help(void) {
  struct help h = {.out = stdout};
  dp_describe(&h);
}

void dp_print_version(void) {
  puts("sagbend-dp " SAGBEND_VERSION);
}

static enum status usage_error(struct reason *why, const char *what, const char *found) {
  return fail(why, STATUS_BAD_INPUT, "%s%.120s; see 'sagbend-dp --help'", what, found);
}

enum status dp_options_read(int argc, char **argv, struct dp_options *o, struct reason *why) {
  struct option long_options[OPTION_COUNT + 1] = {{0}};
  char letters[2 * OPTION_COUNT + 2] = ":";
  for (int i = 0; i < OPTION_COUNT; i++) {
    long_options[i] = (struct option){OPTIONS[i].name, OPTIONS[i].value ? required_argument : no_argument,
                                      NULL, OPTIONS[i].letter};
    snprintf(letters + strlen(letters), 3, "%c%s", OPTIONS[i].letter, OPTIONS[i].value ? ":" : "");
  }
  memset(o, 0, sizeof *o);
  int option;
  opterr = 0;
  while ((option = getopt_long(argc, argv, letters, long_options, NULL)) != -1) {
    switch (option) {
    case 'c':
      if (o->connect[NETWORKS - 1])
        return usage_error(why, "--connect at most twice, for networks A and B, expected, got also ", optarg);
      if (o->connect[0] && !strcmp(o->connect[0], optarg))
        return usage_error(why, "--connect with another endpoint for network B expected, got again ", optarg);
      o->connect[o->connect[0] != NULL] = optarg;
      break;
    case 's':
      if (o->override_count == DP_MAX_OVERRIDES)
        return usage_error(why, "too many --set", "");
      o->overrides[o->override_count++] = optarg;
      break;
    case 'n':
      o->name = optarg;
      break;
    case 'k':
      o->key = optarg;
      break;
    case 'K':
      o->server_key = optarg;
      break;
    case 'q':
      o->quiet = 1;
      break;
    case 'V':
      o->version = 1;
      return STATUS_OK;
    case 'h':
      o->help = 1;
      return STATUS_OK;
    case ':':
      return usage_error(why, "a value is missing after ", argv[optind - 1]);
    default:
      return fail(why, STATUS_BAD_INPUT, "unknown option %.120s%s; see 'sagbend-dp --help'", argv[optind - 1],
                  option_hint(long_options, argv[optind - 1]).text);
    }
  }
  if (!o->key != !o->server_key)
    return usage_error(why, "--key FILE and --server-key KEY need each other", "");
  if (optind == argc)
    return usage_error(why, "the DP file is missing", "");
  if (optind + 1 < argc)
    return usage_error(why, "one DP file expected, got also ", argv[optind + 1]);
  o->config = argv[optind];
  return STATUS_OK;
}

// ------------------------------------------------------------
enum { YAW = 5 };

// Surge and sway of a horizontal velocity north, east at a heading.
static void turn_to_body(double heading_rad, const double north_east[2], double out[2]) {
  double c = cos(heading_rad), s = sin(heading_rad);
  out[0] = c * north_east[0] + s * north_east[1];
  out[1] = c * north_east[1] - s * north_east[0];
}

static void fill_exact(const struct dp_sensors *from, struct wire_pose *out) {
  out->eta[0] = from->position_n_m[0];
  out->eta[1] = from->position_n_m[1];
  out->eta[2] = from->euler_rad[2];
  turn_to_body(out->eta[2], from->velocity_n_mps, out->nu);
  out->nu[2] = from->euler_rate_radps[2];
}

int view_estimate(const struct dp *d, const struct dp_sensors *sensors, double eta[3]) {
  const struct navigation_state *navigation = &d->state.navigation;
  const int has_instruments = sensors->readings.instrument_count > 0;
  const double exact[3] = {sensors->position_n_m[0], sensors->position_n_m[1], sensors->euler_rad[2]};
  const double *from = d->config.def.observer.present ? navigation->observer.eta
                       : has_instruments              ? navigation->eta
                                                      : exact;
  if (has_instruments && !navigation->ready)
    return 0;
  memcpy(eta, from, 3 * sizeof *eta);
  return 1;
}

static void fill_estimate(const struct dp *d, const struct dp_sensors *sensors,
                          struct wire_controller_view *out) {
  const struct navigation_state *navigation = &d->state.navigation;
  const struct observer_state *observer = &navigation->observer;
  struct wire_pose *pose = &out->estimate;
  int has_instruments = sensors->readings.instrument_count > 0;
  out->has_estimate = view_estimate(d, sensors, pose->eta);
  if (!out->has_estimate)
    return;
  if (d->config.def.observer.present) {
    memcpy(pose->nu, observer->nu, sizeof pose->nu);
    out->has_bias = 1;
    turn_to_body(pose->eta[2], observer->bias, out->bias_b);
    out->bias_b[YAW] = observer->bias[2];
  } else if (has_instruments) {
    turn_to_body(pose->eta[2], navigation->velocity_n, pose->nu);
    pose->nu[2] = navigation->heading_rate;
  } else {
    fill_exact(sensors, pose);
  }
}

static void fill_reference(const struct dp *d, struct wire_controller_view *out) {
  double target[6], reference[6], rate[6];
  dp_target(&d->state, &d->config.def, target);
  out->has_setpoint = 1;
  out->setpoint[0] = target[0];
  out->setpoint[1] = target[1];
  out->setpoint[2] = target[YAW];
  out->setpoint_order = d->setpoint_order;
  out->has_reference = d->state.active;
  if (!out->has_reference)
    return;
  dp_reference(&d->state, &d->config.def, d->state.last_time_s, reference, rate);
  out->reference = (struct wire_pose){.eta = {reference[0], reference[1], reference[YAW]}};
  turn_to_body(reference[YAW], rate, out->reference.nu);
  out->reference.nu[2] = rate[YAW];
}

static void fill_wrenches(const struct dp *d, const struct command *command,
                          struct wire_controller_view *out) {
  const struct allocation_state *allocation = &d->state.allocation;
  static const int axes[3] = {0, 1, YAW};
  out->has_demanded = out->has_allocated = out->active;
  if (!out->active)
    return;
  memcpy(out->demanded_b, command->wrench_b, sizeof out->demanded_b);
  memcpy(out->allocated_b, command->wrench_b, sizeof out->allocated_b);
  for (int i = 0; i < 3 && d->config.def.allocation.actuator_count; i++) {
    out->demanded_b[axes[i]] += allocation->demand[i];
    out->allocated_b[axes[i]] += allocation->given[i];
  }
}

// What the controller adds against the wind: the opposite of the wrench that it computes from the wind.
static void fill_wind(const struct dp *d, const struct dp_sensors *sensors,
                      struct wire_controller_view *out) {
  const struct navigation_state *navigation = &d->state.navigation;
  const struct wind_force_def *wind = &d->config.def.wind;
  double wrench[3];
  out->has_wind =
      out->active && wind->row_count > 0 && navigation->wind_known && sensors->readings.instrument_count > 0;
  if (!out->has_wind)
    return;
  wind_force(wind, navigation->wind_b[0], navigation->wind_b[1], wrench);
  out->wind_b[0] = -wrench[0];
  out->wind_b[1] = -wrench[1];
  out->wind_b[YAW] = -wrench[2];
}

static void fill_position_reference(const struct navigation_def *def, const struct navigation_state *state,
                                    int i, struct wire_instrument_view *out) {
  const struct reference_note *note = &state->note[i];
  out->is_reference = 1;
  memcpy(out->principle, def->instrument[i].principle_name, sizeof out->principle);
  out->is_known = (int)note->known;
  out->is_proving = (int)state->reference[i].is_proving;
  memcpy(out->residual_b_m, note->residual_b_m, sizeof out->residual_b_m);
  out->weight = note->weight;
}

static void fill_lists(const struct dp *d, const struct dp_sensors *sensors,
                       struct wire_controller_view *out) {
  const struct navigation_def *navigation = &d->config.def.navigation;
  const struct allocation_def *allocation = &d->config.def.allocation;
  const struct dp_state *state = &d->state;
  for (int i = 0; i < navigation->count && sensors->readings.instrument_count > 0; i++) {
    struct wire_instrument_view *instrument = &out->instrument[out->instrument_count++];
    memcpy(instrument->name, navigation->instrument[i].name, sizeof instrument->name);
    instrument->kind = navigation->instrument[i].kind;
    instrument->use = (enum instrument_use)state->navigation.use[i];
    if (reference_is_position(instrument->kind))
      fill_position_reference(navigation, &state->navigation, i, instrument);
  }
  for (int i = 0; i < allocation->actuator_count; i++) {
    struct wire_thruster_view *thruster = &out->thruster[out->thruster_count++];
    memcpy(thruster->name, allocation->actuator[i].name, sizeof thruster->name);
    thruster->use = (enum actuator_state)state->allocation.state[i];
    thruster->thrust_n = state->allocation.thrust_n[i];
    thruster->azimuth_rad = state->allocation.azimuth_rad[i];
  }
}

static void fill_consequence(const struct dp *d, const struct command *command,
                             struct wire_controller_view *out) {
  const struct consequence_def *def = &d->config.def.consequence;
  const struct consequence_state *state = &d->state.consequence;
  out->consequence = command->consequence;
  for (int i = 0; i < def->failure_count && command->consequence.known; i++) {
    struct consequence_failure_view *failure = &out->consequences.failure[out->consequences.count];
    if (state->margin[i] < 0)
      continue;
    memcpy(failure->name, def->failure[i].name, sizeof failure->name);
    failure->margin = state->margin[i];
    failure->alarm = state->failure_alarm[i];
    out->consequences.count++;
  }
}

static void fill_view(const struct dp *d, const struct dp_sensors *sensors, const struct command *command,
                      struct wire_controller_view *out) {
  const struct navigation_state *navigation = &d->state.navigation;
  int has_instruments = sensors->readings.instrument_count > 0;
  memset(out, 0, sizeof *out);
  out->based_on_step = sensors->step;
  out->active = !command->standby;
  fill_estimate(d, sensors, out);
  fill_reference(d, out);
  fill_wrenches(d, command, out);
  fill_wind(d, sensors, out);
  fill_lists(d, sensors, out);
  fill_consequence(d, command, out);
  out->tension_n = has_instruments ? navigation->tension_n : sensors->hangoff_tension_n;
  out->dead_reckoning = has_instruments && navigation->dead_reckoning;
  out->tension_lost = has_instruments && navigation->tension_lost;
  out->saturated = d->state.allocation.saturated != 0;
  out->power_limited = d->state.allocation.power_limited != 0;
  out->rejected = navigation->rejected;
}

void view_send_if_due(struct dp *d, const struct wire_sensors *sensors, const struct command *command) {
  uint64_t now_ns = os_now_ns();
  struct wire_controller_view view;
  if (!(d->view_period_s > 0) || (double)(now_ns - d->view_ns) < 1e9 * d->view_period_s)
    return;
  d->view_ns = now_ns;
  fill_view(d, &sensors->dp, command, &view);
  client_send_view(d->client, &view);
}
