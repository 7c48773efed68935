// What the session's record says of the session and follows from its configuration as well; and the copy of
// the record that other programs show. DP text, session, versions, the wall clock and a set-point of a DP
// file follow from nothing: for them there is the log's chain.
#include "os/cli/version.h"
#include "run/replay/replay_internal.h"

#include "log/log/session_record.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void check_number(struct verify *verify, const char *field, double logged, double expected) {
  char texts[2][40];
  if (logged == expected)
    return;
  snprintf(texts[0], sizeof texts[0], "%.17g", logged);
  snprintf(texts[1], sizeof texts[1], "%.17g", expected);
  replay_contradicts(verify->replay, verify->replay->record->first_step, LOG_SESSION, field, texts[0],
                     texts[1]);
}

static void check_text(struct verify *verify, const char *field, const char *logged, const char *expected) {
  if (strcmp(logged, expected) != 0)
    replay_contradicts(verify->replay, verify->replay->record->first_step, LOG_SESSION, field, logged,
                       expected);
}

static void check_mode(struct verify *verify) {
  const ProtobufCEnumDescriptor *d = &sagbend__v1__run_mode__descriptor;
  const ProtobufCEnumValue *logged =
      protobuf_c_enum_descriptor_get_value(d, (int)verify->replay->record->mode);
  const ProtobufCEnumValue *expected = protobuf_c_enum_descriptor_get_value(
      d, (int)session_record_mode(verify->replay->setup.config.run.mode));
  check_text(verify, "mode", logged ? logged->name : "unknown", expected ? expected->name : "unknown");
}

static void check_hold_wrench(struct verify *verify) {
  static const char *const names[6] = {"hold_wrench.surge_n", "hold_wrench.sway_n",   "hold_wrench.heave_n",
                                       "hold_wrench.roll_nm", "hold_wrench.pitch_nm", "hold_wrench.yaw_nm"};
  const Sagbend__V1__BodyWrench *w = verify->replay->record->hold_wrench;
  const double logged[6] = {w ? w->surge_n : 0, w ? w->sway_n : 0,   w ? w->heave_n : 0,
                            w ? w->roll_nm : 0, w ? w->pitch_nm : 0, w ? w->yaw_nm : 0};
  for (int i = 0; i < 6; i++)
    check_number(verify, names[i], logged[i], verify->replay->engine.loop.command_def.hold_wrench_b[i]);
}

static void check_setpoint(struct verify *verify) {
  const Sagbend__V1__Setpoint *s = verify->replay->record->setpoint;
  double expected[3];
  if (!setup_setpoint(&verify->replay->setup, expected)) // of a DP file, which is not read again
    return;
  check_number(verify, "setpoint.north_m", s ? s->north_m : 0, expected[0]);
  check_number(verify, "setpoint.east_m", s ? s->east_m : 0, expected[1]);
  check_number(verify, "setpoint.heading_rad", s ? s->heading_rad : 0, expected[2]);
}

// The random streams in the record are those from which the instruments draw.
static void check_streams(struct verify *verify) {
  const Sagbend__V1__SessionRecord *record = verify->replay->record;
  struct sensor_suite_stream ours;
  for (size_t i = 0; i <= record->n_random_streams; i++) {
    char texts[2][64] = {"none", "none"};
    if (i < record->n_random_streams)
      snprintf(texts[0], sizeof texts[0], "%.40s %016" PRIx64, record->random_streams[i]->name,
               record->random_streams[i]->seed);
    if (sensor_suite_stream(&verify->replay->setup.config.suite, (int)i, &ours))
      snprintf(texts[1], sizeof texts[1], "%.40s %016" PRIx64, ours.name, ours.seed);
    check_text(verify, "random_streams", texts[0], texts[1]);
  }
}

static void check_metadata(struct verify *verify) {
  const struct bytes *logged = &verify->replay->metadata;
  struct bytes expected = {0};
  if (session_metadata_content(verify->replay->record, &expected) == STATUS_OK && logged->size &&
      verify->replay->same_build &&
      (logged->size != expected.size || memcmp(logged->data, expected.data, expected.size) != 0))
    replay_contradicts(verify->replay, verify->replay->record->first_step, LOG_SESSION, "metadata",
                       "another text than the record's", "the record's");
  bytes_free(&expected);
}

void verify_record(struct verify *verify) {
  const Sagbend__V1__SessionRecord *record = verify->replay->record;
  const struct config *c = &verify->replay->setup.config;
  const struct command_def *def = &verify->replay->engine.loop.command_def;
  check_text(verify, "name", record->name, c->name);
  check_number(verify, "step_s", record->step_s, c->sim.step_s);
  check_mode(verify);
  check_number(verify, "control_period_steps", (double)record->control_period_steps,
               (double)def->period_steps);
  check_number(verify, "command_timeout_steps", (double)record->command_timeout_steps,
               (double)def->timeout_steps);
  check_number(verify, "node_count", record->node_count, sim_node_capacity(verify->replay->engine.plant.sim));
  check_hold_wrench(verify);
  check_setpoint(verify);
  check_streams(verify);
  if (verify->replay->same_build)
    check_text(verify, "version", record->version, program_version());
  check_metadata(verify);
}
