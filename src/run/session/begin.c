// How a session begins: at rest, or with a saved state. And how its memory ends.
#include "sagbend/base/steps.h"
#include "run/session/session.h"

#include <stdlib.h>
#include <string.h>

static enum status make_room_for_nodes(struct session *session, struct reason *why) {
  const struct config *c = &session->setup->config;
  session->node_count = sim_node_capacity(session->engine.plant.sim);
  int wanted = session->node_count > 0 && (c->run.mode != RUN_FAST || session->options->shapes_path);
  session->nodes_every = wanted ? steps_in_period(c->net.nodes_period_s, c->sim.step_s) : 0;
  size_t count = session->node_count > 0 ? (size_t)session->node_count : 1;
  session->nodes = calloc(count, sizeof *session->nodes);
  return session->nodes ? STATUS_OK : fail(why, STATUS_NO_MEMORY, "out of memory for %zu nodes", count);
}

static enum status begin_engine(struct session *session, const struct setup *setup, struct plant *spare,
                                struct reason *why) {
  const struct config *c = &setup->config;
  const struct error_sink errors = error_to(stderr);
  session->steps_total = steps_in_period_or_off(c->run.duration_s, c->sim.step_s);
  session->timing_every = steps_in_period(1, c->sim.step_s);
  if (!spare || !spare->sim)
    return engine_create(&session->engine, setup, NULL, &errors, why);
  engine_begin(&session->engine, setup, spare);
  return STATUS_OK;
}

enum status session_create(const struct run_options *options, const struct setup *setup,
                           struct outlets *outlets, struct plant *spare, struct session **out,
                           struct reason *why) {
  struct session *session = *out = calloc(1, sizeof *session);
  if (!session)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the session");
  session->options = options;
  session->setup = setup;
  session->outlets = outlets;
  enum status status = begin_engine(session, setup, spare, why);
  if (status != STATUS_OK)
    return status;
  times_clear(&session->times);
  histogram_clear(&session->sent_ns);
  session_begin_view(session);
  status = make_room_for_nodes(session, why);
  if (status == STATUS_OK)
    status = session_describe_about(session, why);
  return status == STATUS_OK ? session_make_id(session->id, why) : status;
}

enum status session_restore(struct session *session, const void *bytes, size_t size, struct reason *why) {
  const struct checkpoint_identity identity = session_identity(session);
  enum status status = engine_restore(&session->engine, bytes, size, &identity, why);
  if (status == STATUS_OK)
    session->first_step = session->engine.loop.frame.output.step;
  return status;
}

void session_free(struct session *session) {
  if (!session)
    return;
  logger_free(session->logger);
  session_about_free(&session->about);
  engine_free(&session->engine);
  free(session->nodes);
  free(session->checkpoint);
  free(session);
}
