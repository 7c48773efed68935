// The session's side: measurements in, the FMU's steps, commands out.
#include "programs/fmu/fmu_program.h"
#include "programs/fmu/fmu_program_internal.h"

#include "net/server/server.h"
#include "os/process/process.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { POLL_MS = 200, MOST_CATCHING_UP = 10000 };
static const double PI = 3.14159265358979323846;

struct control {
  const char *path; // of the FMU
  struct fmu_model model;
  struct map map;
  struct child child;
  struct client *client;
  char session[WIRE_NAME];
  struct wire_welcome welcome;
  int has_session, has_begun, has_answer, is_paused;
  uint64_t first_step, steps; // of the vessel when the FMU began; of the FMU
  double start[FMU_MOST_VALUES], output[FMU_MOST_VALUES];
  struct command answer;
  uint64_t sent, refused;
};

static volatile sig_atomic_t stop_requested;

static void on_signal(int number) {
  (void)number;
  stop_requested = 1;
}

static void tell(const char *what, const char *more) {
  fprintf(stderr, "sagbend-fmu: %s%s\n", what, more);
}

// ---- Measurements -> inputs ----

static double wrapped(double angle) {
  return angle - 2 * PI * floor((angle + PI) / (2 * PI));
}

// *is_silent: an instrument has not measured yet, so that the FMU does not begin.
static enum status take_inputs(struct control *c, const struct wire_sensors *s, double *inputs,
                               int *is_silent, struct reason *why) {
  *is_silent = 0;
  for (int i = 0; i < c->map.input_count; i++) {
    const struct map_input *in = &c->map.input[i];
    double value;
    const int found = map_source(in->from, s, &c->welcome, &value);
    if (!found)
      return fail(why, STATUS_BAD_INPUT, "inputs.%.80s: %.100s: the vessel of this session has none",
                  in->to->name, in->from);
    *is_silent |= found == SOURCE_IS_SILENT && !c->map.begins_at_once;
    if (!c->has_begun)
      c->start[i] = in->form & FROM_START ? value : 0;
    value -= c->start[i];
    if (in->form & WRAPPED)
      value = wrapped(value);
    inputs[i] = in->scale * value + in->offset;
  }
  return STATUS_OK;
}

// ---- Outputs -> command ----

static enum status make_command(const struct control *c, const struct wire_sensors *s, struct command *out,
                                struct reason *why) {
  struct map_command made = {.command = {.based_on_step = s->dp.step}, .tensioner = {-1}};
  double *wrench_b = made.command.wrench_b, heading = 0;
  for (int i = 0; i < c->map.output_count; i++) {
    const struct map_output *o = &c->map.output[i];
    const struct map_target target = map_target_of(o->to);
    map_put(&made, &target, o->scale * c->output[i] + o->offset);
  }
  if (c->map.is_world && !map_source(c->map.heading, s, &c->welcome, &heading))
    return fail(
        why, STATUS_BAD_INPUT,
        "frame: world: heading: %.100s: the vessel of this session has none; instrument/NAME/heading_rad "
        "expected",
        c->map.heading);
  const double surge = wrench_b[0], sway = wrench_b[1];
  wrench_b[0] = cos(heading) * surge + sin(heading) * sway;
  wrench_b[1] = cos(heading) * sway - sin(heading) * surge;
  map_finish(&made);
  *out = made.command;
  return STATUS_OK;
}

// ---- Messages ----

static enum status on_welcome(struct control *c, const struct wire_message *m, struct reason *why) {
  c->welcome = m->as.welcome;
  if (c->has_session && !strcmp(c->session, m->header.session))
    return STATUS_OK; // the same simulator after some silence
  if (c->has_session)
    return fail(why, STATUS_BAD_INPUT,
                "another session has begun, for which this FMU is not at its start: start sagbend-fmu again");
  const double ratio = c->map.step_s / c->welcome.sensor_period_s, whole = floor(ratio + 0.5);
  if (whole < 1 || fabs(ratio - whole) > 1e-6)
    return fail(why, STATUS_BAD_INPUT,
                "step_s: a whole multiple of the control period, %g s, expected, got %g",
                c->welcome.sensor_period_s, c->map.step_s);
  for (int i = 0; i < c->map.output_count; i++) {
    const char *to = c->map.output[i].to;
    const struct map_target target = map_target_of(to);
    int has = target.kind != TO_THRUSTER;
    for (int k = 0; k < c->welcome.plant.thruster_count; k++)
      has |= !strcmp(target.thruster, c->welcome.plant.thruster[k].name);
    if (!has)
      return fail(why, STATUS_BAD_INPUT, "outputs.%.100s: the vessel of this session has no such thruster",
                  to);
  }
  c->has_session = 1;
  memcpy(c->session, m->header.session, sizeof c->session);
  tell("welcomed by session ", c->session);
  return STATUS_OK;
}

// The FMU's steps that are due by this sample: at the first one, and then each step_s. Of samples that have
// been lost on the way an FMU that asks hears so.
static enum status advance(struct control *c, const struct wire_sensors *s, double *inputs,
                           struct reason *why) {
  const double elapsed_s =
      (double)(s->dp.step - c->first_step) * c->welcome.step_s + 1e-6 * c->welcome.step_s;
  const int lost = map_input_of(&c->map, "link.sensors_lost");
  for (int i = 0; (double)c->steps * c->map.step_s <= elapsed_s; i++) {
    if (lost >= 0)
      inputs[lost] = (double)(c->steps + 1) * c->map.step_s <= elapsed_s;
    if (i == MOST_CATCHING_UP)
      return fail(why, STATUS_IO, "the FMU is %g s behind the session",
                  elapsed_s - (double)c->steps * c->map.step_s);
    const enum status status =
        child_step(&c->child, inputs, c->map.input_count, (double)c->steps * c->map.step_s, c->map.step_s,
                   c->output, c->map.output_count, why);
    if (status != STATUS_OK)
      return status;
    c->steps++;
  }
  return STATUS_OK;
}

static enum status on_sensors(struct control *c, const struct wire_sensors *s, struct reason *why) {
  double inputs[FMU_MOST_VALUES];
  if (c->has_answer &&
      s->dp.step <= c->answer.based_on_step) { // sent again after some silence: the same answer
    struct command again = c->answer;
    if (s->dp.step == c->answer.based_on_step)
      client_send(c->client, &again, NULL);
    return STATUS_OK;
  }
  int is_silent;
  enum status status = take_inputs(c, s, inputs, &is_silent, why);
  if (status == STATUS_OK && is_silent && !c->has_begun) {
    c->answer = (struct command){.based_on_step = s->dp.step, .standby = 1};
    c->has_answer = 1;
    client_send(c->client, &c->answer, NULL);
    return STATUS_OK;
  }
  if (status == STATUS_OK && !c->has_begun) {
    status = child_begin(&c->child, 0, why);
    c->has_begun = status == STATUS_OK;
    c->first_step = s->dp.step;
  }
  if (status == STATUS_OK)
    status = advance(c, s, inputs, why);
  if (status == STATUS_OK)
    status = make_command(c, s, &c->answer, why);
  if (status != STATUS_OK)
    return status;
  c->has_answer = 1;
  if (client_send(c->client, &c->answer, NULL) && !c->answer.standby && !c->sent++)
    tell("takes over", ""); // what it sends on standby is no command to the vessel
  return STATUS_OK;
}

// The first, then at every power of two.
static void on_refusal(struct control *c, const struct wire_refusal *r) {
  if ((c->refused & (c->refused + 1)) == 0)
    fprintf(stderr, "sagbend-fmu: refused, %s: %s (refusal %llu)\n", refusal_name(r->reason), r->text,
            (unsigned long long)c->refused + 1);
  c->refused++;
}

static enum status answer(struct control *c, struct reason *why) {
  struct wire_message m;
  struct reason notice;
  enum status status = STATUS_OK;
  while (!stop_requested && status == STATUS_OK) {
    if (client_poll(c->client, POLL_MS, &m, why) != STATUS_OK)
      return STATUS_IO;
    if (client_take_notice(c->client, &notice))
      tell(notice.text, "");
    if (m.kind == WIRE_WELCOME)
      status = on_welcome(c, &m, why);
    else if (m.kind == WIRE_SENSORS && c->has_session)
      status = on_sensors(c, &m.as.sensors, why);
    else if (m.kind == WIRE_REFUSAL)
      on_refusal(c, &m.as.refusal);
    else if (m.kind == WIRE_END) {
      tell("the session has ended: ", m.as.event.text);
      return STATUS_OK;
    }
  }
  return status;
}

// ---- Begin and end ----

static void catch_signals(void) {
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

static enum status prepare(struct control *c, const struct fmu_controller_options *o, const char *folder,
                           struct reason *why) {
  char map_path[FMU_PATH];
  enum status status = model_read(folder, &c->model, why);
  snprintf(map_path, sizeof map_path, "%s%s", o->map ? o->map : o->fmu, o->map ? "" : ".yaml");
  map_begin(&c->map);
  const int is_by_names = !o->map && access(map_path, F_OK) != 0;
  if (status == STATUS_OK && !(is_by_names && map_by_names(&c->model, &c->map)))
    status = map_read(map_path, &c->model, &c->map);
  // Before the client, which has a thread.
  return status == STATUS_OK ? child_start(&c->child, &c->model, folder, &c->map, why) : status;
}

enum status fmu_controller_run(const struct fmu_controller_options *o, struct reason *why) {
  static struct control c; // too large for a small stack
  char folder[FMU_PATH] = "";
  struct reason of_fmu = {""};
  c.path = o->fmu;
  c.child.socket = -1;
  os_end_with_leader();
  catch_signals();
  enum status status = archive_unpack(o->fmu, folder, why);
  if (status == STATUS_OK)
    status = prepare(&c, o, folder, &of_fmu);
  const char *name = o->name                                             ? o->name
                     : *c.model.name && strlen(c.model.name) < WIRE_NAME ? c.model.name
                                                                         : "fmu";
  if (status == STATUS_OK)
    status = client_open(o->endpoint, name, NULL, &c.client, why);
  if (status == STATUS_OK)
    status = answer(&c, &of_fmu);
  if (*of_fmu.text)
    fail(why, status, "%.100s: %s", o->fmu, of_fmu.text);
  child_end(&c.child);
  fprintf(stderr, "sagbend-fmu: %llu commands sent, %llu refused\n", (unsigned long long)c.sent,
          (unsigned long long)c.refused);
  client_close(c.client);
  model_free(&c.model);
  archive_remove(folder);
  return status;
}
