// The alarms of the controller, all of them, and the text when one is over. They follow from its state
// alone. A new one is raised in dp_alarms or in a function that it calls; docs/controller.md lists them.
#include "sagbend/dp/dp_internal.h"

#include <math.h>
#include <string.h>

static const double LINK_S = 2;       // without new sensors, or without a new command in use
static const double GAP_SHOWN_S = 10; // a gap between samples stays an alarm for this time

void dp_link_follow(struct dp_link *link, const struct dp_sensors *sensors, int is_active) {
  double now_s = sensors->time_s;
  int is_first = link->sampled_s <= 0 || now_s < link->sampled_s;
  if (is_first || sensors->command_based_on_step != link->acting_step || !is_active) {
    link->acting_step = sensors->command_based_on_step;
    link->acting_s = now_s;
  }
  if (is_first)
    link->gap_s = 0;
  else if (now_s - link->sampled_s > LINK_S)
    link->gap_s = now_s;
  link->sampled_s = now_s;
}

int dp_link_is_unheard(const struct dp_link *link) {
  return link->acting_step != 0 && link->sampled_s - link->acting_s > LINK_S;
}

// Alarms with a text of their own, and the text when one is over.
enum fixed_alarm {
  NO_SENSORS,
  NOT_ACTING,
  DEAD_RECKONING,
  NO_GYRO,
  TENSION_LOST,
  CLOCK_JUMPED,
  POWER_LIMITS,
  SATURATED,
  TENSION_NOT_HELD,
  FIXED_ALARM_COUNT
};
static const struct {
  const char *source;
  enum dp_alarm_kind kind;
  enum dp_alarm_severity severity;
  const char *text, *end;
} FIXED[FIXED_ALARM_COUNT] = {
    [NOT_ACTING] = {"link", ALARM_LINK_DOWN, SEVERITY_ALARM, "link: the vessel acts on no new command",
                    "link: the vessel acts on new commands again"},
    [NO_SENSORS] = {"link", ALARM_LOST, SEVERITY_ALARM, "link: no Sensors came for a while",
                    "link: Sensors come again"},
    [DEAD_RECKONING] = {"position", ALARM_NO_POSITION, SEVERITY_ALARM, "no position left: dead reckoning",
                        "position again"},
    [NO_GYRO] = {"heading", ALARM_NO_HEADING, SEVERITY_ALARM, "no gyro left: heading by prediction",
                 "heading again"},
    [TENSION_LOST] = {"tension", ALARM_LOST, SEVERITY_WARNING, "no load cell left: tension by estimate",
                      "tension measured again"},
    [CLOCK_JUMPED] = {"link", ALARM_REJECTED, SEVERITY_WARNING,
                      "the clock of the sensors jumped: not followed",
                      "the clock of the sensors is right again"},
    [POWER_LIMITS] = {"power", ALARM_POWER_LIMIT, SEVERITY_MESSAGE, "power limits the thrusters",
                      "power limits the thrusters no more"},
    [SATURATED] = {"thrusters", ALARM_SATURATED, SEVERITY_WARNING,
                   "demand beyond the thrusters or pid.wrench_limit", "thrusters give what is asked"},
    [TENSION_NOT_HELD] = {"tensioner", ALARM_NOT_FOLLOWING, SEVERITY_ALARM,
                          "the tensioner does not hold the ordered tension",
                          "the tensioner holds the ordered tension again"},
};

static void raise_if(int is_active, enum fixed_alarm which, struct dp_alarm_list *out) {
  if (is_active)
    dp_alarm_raise(out, FIXED[which].source, FIXED[which].kind, FIXED[which].severity, FIXED[which].text, "",
                   "");
}

// The text of an instrument, by its use, and of a thruster, by its state.
struct device_alarm {
  enum dp_alarm_kind kind;
  const char *text;
};
static const struct device_alarm USES[USE_COUNT] = {[USE_ABSENT] = {ALARM_LOST, " is absent"},
                                                    [USE_INVALID] = {ALARM_LOST, " is invalid"},
                                                    [USE_OLD] = {ALARM_LOST, " is old"},
                                                    [USE_FROZEN] = {ALARM_FROZEN, " is frozen"},
                                                    [USE_REJECTED] = {ALARM_REJECTED, " is rejected"}};
static const struct device_alarm ACTUATORS[] = {
    [ACTUATOR_ABSENT] = {ALARM_LOST, " is not of this vessel"},
    [ACTUATOR_OUT] = {ALARM_LOST, " is out"},
    [ACTUATOR_DEVIATING] = {ALARM_NOT_FOLLOWING, " is not following"}};

static void instrument_alarms(const struct dp_state *state, const struct navigation_def *def,
                              struct dp_alarm_list *out) {
  const struct navigation_state *n = &state->navigation;
  for (int i = 0; i < def->count && n->ready; i++) {
    int32_t use = n->use[i];
    int is_early = use == USE_OLD && !n->sequence[i] &&
                   n->now_s <= def->old_s; // the first measurement of this instrument is still to come
    int is_slack = use == USE_INVALID && instrument_is_slack(def->instrument[i].kind, n->value[i]);
    if (use > USE_IN_USE && use < USE_COUNT && !is_early)
      dp_alarm_raise(out, def->instrument[i].name, USES[use].kind, SEVERITY_WARNING, "",
                     def->instrument[i].name, is_slack ? " hangs slack" : USES[use].text);
  }
}

// What makes an instrument doubtful that is used, or would be.
static void doubt_alarms(const struct dp_state *state, const struct navigation_def *def,
                         struct dp_alarm_list *out) {
  for (int i = 0; i < def->count; i++) {
    const struct instrument_watch *w = &state->navigation.watch[i];
    const char *name = def->instrument[i].name;
    if (w->doubt == DOUBT_COPY)
      dp_alarm_raise(out, name, ALARM_DEVIATES, SEVERITY_WARNING, name, " is a copy of ",
                     def->instrument[w->copy_of].name);
    else if (w->doubt != DOUBT_NONE)
      dp_alarm_raise(out, name, w->doubt == DOUBT_DIFFERS ? ALARM_DIFFERS : ALARM_DEVIATES, SEVERITY_WARNING,
                     name, " is ", instrument_doubt_name((enum instrument_doubt)w->doubt));
  }
}

static void thruster_alarms(const struct dp_state *state, const struct allocation_def *def,
                            struct dp_alarm_list *out) {
  for (int i = 0; i < def->actuator_count && state->active; i++) {
    int32_t now = state->allocation.state[i];
    if (now > ACTUATOR_IN_USE && now <= ACTUATOR_DEVIATING)
      dp_alarm_raise(out, def->actuator[i].name, ACTUATORS[now].kind, SEVERITY_WARNING, "thruster ",
                     def->actuator[i].name, ACTUATORS[now].text);
  }
}

// Feedback that thrust and set-point contradict, and drives that turn without a set-point.
static void feedback_alarms(const struct dp_state *state, const struct allocation_def *def,
                            struct dp_alarm_list *out) {
  for (int i = 0; i < def->actuator_count && state->active; i++) {
    const int32_t verdict = state->allocation.watch.verdict[i];
    if (verdict == THRUSTER_COPIES || verdict == THRUSTER_MISREPORTS)
      dp_alarm_raise(
          out, def->actuator[i].name, ALARM_DEVIATES, SEVERITY_WARNING, "thruster ", def->actuator[i].name,
          verdict == THRUSTER_COPIES ? ": its feedback is that of another" : ": its feedback is wrong");
    if (state->allocation.restless[i])
      dp_alarm_raise(out, def->actuator[i].name, ALARM_NOT_FOLLOWING, SEVERITY_WARNING, "thruster ",
                     def->actuator[i].name, " crosses its sector, its drive not at rest");
  }
}

// The buses on which power is missing.
static const char SHORT_OF_POWER[] = "less power than before, perhaps on bus ";
static void power_alarms(const struct dp_state *state, const struct allocation_def *def,
                         struct dp_alarm_list *out) {
  const struct power_watch *power = &state->allocation.power;
  for (int b = 0; b < def->bus_count && power->is_known; b++)
    if (power->is_short[b])
      dp_alarm_raise(out, def->bus[b].name, ALARM_POWER_LIMIT, SEVERITY_WARNING, SHORT_OF_POWER,
                     def->bus[b].name, "");
}

// What the reference of the route waits for.
static const struct {
  enum dp_alarm_severity severity;
  const char *text;
} WAITS[TRACK_WAIT_COUNT] = {
    {SEVERITY_MESSAGE, "nothing: it goes on"},
    {SEVERITY_MESSAGE, "the operator, who has stopped it"},
    {SEVERITY_WARNING, "the vessel, which is too far from it"},
    {SEVERITY_WARNING, "the tension, which is outside of its limits"},
    {SEVERITY_WARNING, "the length paid out, which no instrument in use shows"},
    {SEVERITY_WARNING, "the tensioner, which holds the pipe"},
    {SEVERITY_WARNING, "the pay-out, which is short of the way"},
};

static const char WAITING[] = "the reference waits for ";

static void consequence_alarm(const struct dp_state *state, const struct dp_def *def,
                              struct dp_alarm_list *out) {
  struct consequence_report said = {0};
  consequence_report_of(&state->consequence, &def->consequence, &said);
  if (said.known && said.alarm)
    dp_alarm_raise(out, "vessel", ALARM_CONSEQUENCE, SEVERITY_ALARM, "the vessel would not be held without ",
                   said.failure, "");
}

// A controller that began with a gyro has none in use.
static int has_lost_gyros(const struct navigation_state *n, const struct navigation_def *def) {
  int all = 0;
  for (int i = 0; i < def->count; i++)
    all += def->instrument[i].kind == INSTRUMENT_GYRO;
  return n->ready && all && !navigation_instrument_count(n, def, INSTRUMENT_GYRO, USE_IN_USE);
}

// The most important first: the list has an end.
void dp_alarms(const struct dp_state *state, const struct dp_def *def, struct dp_alarm_list *out) {
  const struct dp_link *link = &state->link;
  const struct track_state *track = &state->track;
  out->count = 0;
  raise_if(state->active && link->sampled_s - fmax(link->acting_s, link->gap_s) > LINK_S, NOT_ACTING, out);
  raise_if(link->gap_s > 0 && link->sampled_s - link->gap_s <= GAP_SHOWN_S, NO_SENSORS, out);
  raise_if(state->navigation.dead_reckoning, DEAD_RECKONING, out);
  raise_if(has_lost_gyros(&state->navigation, &def->navigation), NO_GYRO, out);
  raise_if(state->navigation.tension_lost, TENSION_LOST, out);
  raise_if(track->wait == TRACK_WAITS_FOR_TENSION && def->track.tension_n > 0, TENSION_NOT_HELD, out);
  consequence_alarm(state, def, out);
  thruster_alarms(state, &def->allocation, out);
  feedback_alarms(state, &def->allocation, out);
  power_alarms(state, &def->allocation, out);
  instrument_alarms(state, &def->navigation, out);
  doubt_alarms(state, &def->navigation, out);
  raise_if(state->clock.offset_s != 0, CLOCK_JUMPED, out);
  raise_if(state->allocation.saturated, SATURATED, out);
  raise_if(state->allocation.power_limited, POWER_LIMITS, out);
  if (track->wait > TRACK_GOES && track->wait < TRACK_WAIT_COUNT)
    dp_alarm_raise(out, "route", ALARM_WAITING, WAITS[track->wait].severity, WAITING, WAITS[track->wait].text,
                   "");
}

void dp_alarm_end_text(const struct dp_alarm *alarm, char out[DP_ALARM_TEXT]) {
  struct dp_alarm_list said = {0};
  for (int i = 0; i < FIXED_ALARM_COUNT; i++)
    if (FIXED[i].kind == alarm->kind && strcmp(FIXED[i].source, alarm->source) == 0)
      dp_alarm_raise(&said, "controller", ALARM_OTHER, SEVERITY_MESSAGE, FIXED[i].end, "", "");
  int is_thruster = strncmp(alarm->text, "thruster ", 9) == 0;
  if (strcmp(alarm->source, "route") == 0)
    dp_alarm_raise(&said, "controller", ALARM_OTHER, SEVERITY_MESSAGE, WAITING, WAITS[TRACK_GOES].text, "");
  if (strncmp(alarm->text, SHORT_OF_POWER, sizeof SHORT_OF_POWER - 1) == 0)
    dp_alarm_raise(&said, "controller", ALARM_OTHER, SEVERITY_MESSAGE, "the power of bus ", alarm->source,
                   " is not missing any more");
  dp_alarm_raise(&said, "controller", ALARM_OTHER, SEVERITY_MESSAGE, is_thruster ? "thruster " : "",
                 alarm->source, " is in use");
  memcpy(out, said.alarm[0].text, DP_ALARM_TEXT);
}
