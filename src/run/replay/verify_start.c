// The state that a session began with: at rest, or resumed from the checkpoint in its record; and digests of
// states, by which logs that belong together are compared.
#include "run/replay/replay_internal.h"

#include "sagbend/base/shown_text.h"
#include "sagbend/engine/engine.h"
#include "net/messages/messages.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Finds commands that no simulator with this configuration accepts, and orders that do not begin with the
// first. Nothing after them is replayed.
static void check_inputs(struct verify *verify) {
  struct replay *replay = verify->replay;
  for (size_t i = 0; i < replay->command_count; i++) {
    const struct logged_command *logged = &replay->commands[i];
    struct reason why = {""};
    if (command_is_valid(&verify->replay->engine.loop.command_def, &logged->command, &why))
      continue;
    replay_contradicts(replay, logged->step, LOG_COMMAND, "effort", why.text,
                       "a command that a simulator accepts");
    replay->replayable_to = logged->step < replay->replayable_to ? logged->step : replay->replayable_to;
    break;
  }

  uint64_t expected = verify->replay->engine.loop.scenario.events.last_order + 1;
  if (!replay->order_count || replay->used_orders[0]->number == expected)
    return;
  if (replay->used_orders[0]->number > expected)
    replay_add_gap(replay, "operator's orders are missing before number %" PRIu64,
                   replay->used_orders[0]->number);
  else
    replay_contradicts_number(replay, replay->orders[0].step, LOG_ORDER, "number",
                              replay->used_orders[0]->number, expected);
  replay->replayable_to = replay->record->first_step;
}

// The checkpoint carries version and build of the log: one of another build is tried, and reported.
static enum status resume(struct verify *verify, struct reason *why) {
  struct replay *replay = verify->replay;
  const Sagbend__V1__SessionRecord *record = replay->record;
  struct checkpoint_identity identity = {.model_hash = replay->setup.config.model_hash};
  struct reason cause = {""};
  snprintf(identity.config_name, sizeof identity.config_name, "%s", replay->setup.config.name);
  snprintf(identity.version, sizeof identity.version, "%s", record->version);
  snprintf(identity.build, sizeof identity.build, "%s", record->build);

  if (engine_restore(&verify->replay->engine, record->checkpoint.data, record->checkpoint.len, &identity,
                     &cause) != STATUS_OK) {
    char text[sizeof cause.text + 160], other[96] = "";
    if (!replay->same_build)
      snprintf(other, sizeof other, "; its build, %.48s, can verify it", shown(record->build).text);
    snprintf(text, sizeof text, "the checkpoint that it begins with: %s%s", cause.text, other);
    return replay_unusable(replay, why, text);
  }
  return STATUS_OK;
}

static enum status allocate(struct verify *verify, struct reason *why) {
  size_t count = (size_t)sim_node_capacity(verify->replay->engine.plant.sim) + 1;
  verify->capacity = wire_nodes_bytes(count);
  verify->bytes = malloc(verify->capacity);
  verify->nodes = malloc(count * sizeof *verify->nodes);
  verify->node_scratch = malloc(NODE_COLUMN_COUNT * count * sizeof *verify->node_scratch);
  if (verify->bytes && verify->nodes && verify->node_scratch)
    return STATUS_OK;
  return replay_unusable(verify->replay, why, "out of memory");
}

enum status verify_start(struct verify *verify, struct reason *why) {
  struct replay *replay = verify->replay;
  const Sagbend__V1__Setpoint *logged = replay->record->setpoint;
  const double setpoint[3] = {logged ? logged->north_m : 0, logged ? logged->east_m : 0,
                              logged ? logged->heading_rad : 0};
  const struct error_sink errors = error_to(stderr);
  struct plant plant;
  enum status status = plant_create(&plant, &replay->setup, &errors, why);
  if (status != STATUS_OK) {
    plant_free(&plant);
    return status;
  }
  engine_begin_replay(&verify->replay->engine, &replay->setup, &plant, logged ? setpoint : NULL);
  const struct statics_report *statics = sim_statics(verify->replay->engine.plant.sim);
  if (statics->unstable_left)
    console_line(&replay->console, "warning: %s: %s", replay->setup.config.name,
                 plant_unstable_text(statics).text);
  if (replay->record->checkpoint.len)
    status = resume(verify, why);
  if (status != STATUS_OK)
    return status;
  if (verify_step(verify) != replay->record->first_step)
    return replay_unusable(replay, why, "it does not contain the state that it begins with");

  check_inputs(verify);
  return allocate(verify, why);
}

enum status verify_state_digest(const struct verify *verify, struct log_digest *out) {
  const struct plant *plant = &verify->replay->engine.plant;
  const struct scenario_def *def = &verify->replay->setup.config.scenario;
  size_t snapshot_bytes = sim_snapshot_size(plant->sim), suite_bytes = plant->suite.state_bytes;
  size_t size = sizeof(struct closed_loop_state) + snapshot_bytes + suite_bytes;
  unsigned char *bytes = calloc(1, size);
  if (!bytes)
    return STATUS_NO_MEMORY;
  struct closed_loop_state *state = (void *)bytes;
  closed_loop_save(&verify->replay->engine.loop, state);
  memset(&state->dp, 0, sizeof state->dp);
  state->inside_accepted = state->inside_refused = 0;
  for (int i = 0; i < def->verdict_count; i++)
    if (quantity_is_of_clock(def->verdict[i].quantity))
      memset(&state->scenario.verdict[i], 0, sizeof state->scenario.verdict[i]);
  sim_snapshot(plant->sim, bytes + sizeof *state);
  if (suite_bytes)
    memcpy(bytes + sizeof *state + snapshot_bytes, plant->suite.state, suite_bytes);
  *out = log_digest_record(0, bytes, size);
  free(bytes);
  return STATUS_OK;
}

void verify_capture(const struct verify *verify) {
  for (size_t i = 0; i < verify->replay->capture_count; i++) {
    struct replay_capture *capture = &verify->replay->captures[i];
    if (capture->step != verify_step(verify))
      continue;
    if (capture->taken < REPLAY_CAPTURED)
      capture->taken += verify_state_digest(verify, &capture->state[capture->taken]) == STATUS_OK;
    else
      capture->too_many = 1;
  }
}
