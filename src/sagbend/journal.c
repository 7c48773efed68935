// The journal of a simulation: what it begins with, and what the host then does to it.
#include "sagbend/sagbend_parts.h"

#include "sagbend/base/base.h"

#include <stdio.h>
#include <string.h>

static void put_text(struct journal *j, enum journal_kind kind, const char *text) {
  journal_put_text(j, kind, text, strlen(text));
}

// Of a simulation, as a controller alone has no journal.
static uint64_t hash_of(const struct sagbend_sim *s) {
  return sim_hash(s->engine.plant.sim);
}

static uint64_t steps_of(const struct sagbend_sim *s) {
  return s->engine.loop.frame.output.step;
}

static void put_case(struct sagbend_sim *s) {
  struct journal *j = &s->journal;
  const struct sagbend_case *c = s->c;
  char library[128];
  snprintf(library, sizeof library, "%s %s", sagbend_version(), s->identity.build);
  put_text(j, JOURNAL_LIBRARY, library);
  journal_put(j, JOURNAL_CONTROLLER, (uint64_t)c->controller, 0, 0);
  put_text(j, JOURNAL_CASE, c->path);
  for (size_t i = 0; i < sagbend_case_file_count(c); i++) {
    sagbend_file file = {.size = sizeof file};
    sagbend_case_file(c, i, &file);
    put_text(j, JOURNAL_PATH, file.path);
    journal_put_text(j, JOURNAL_FILE, file.text, file.bytes);
  }
  for (size_t i = 0; i < c->override_count; i++)
    put_text(j, JOURNAL_OVERRIDE, c->override[i]);
  journal_put(j, JOURNAL_START, sagbend_case_hash(c), hash_of(s), 0);
}

sagbend_status sagbend_journal(sagbend_sim *s, const char *path, sagbend_error *error) {
  struct reason why = {""};
  if (!s || !path)
    return sagbend_fail(error, SAGBEND_WRONG_CALL, "a simulation and the path of a new file expected");
  if (s->journal.file)
    return sagbend_fail(error, SAGBEND_WRONG_CALL,
                        "a simulation without a journal expected, got one with it");
  if (s->alone)
    return sagbend_fail(error, SAGBEND_WRONG_CALL, "a simulation expected, got a controller alone");
  if (s->is_used)
    return sagbend_fail(
        error, SAGBEND_WRONG_CALL,
        "a simulation at its start expected: a journal begins before the first step and order");
  const struct host_settings host = host_settings_begin();
  enum status status = journal_create(&s->journal, path, &why);
  if (status == STATUS_OK) {
    put_case(s);
    if ((status = journal_flush(&s->journal)) != STATUS_OK) {
      fail(&why, status, "%.200s: the journal cannot be written", path);
      journal_close(&s->journal);
    }
  }
  host_settings_end(&host);
  return status == STATUS_OK ? SAGBEND_OK : sagbend_fail(error, sagbend_status_of(status), why.text);
}

void sim_journal_step(struct sagbend_sim *s) {
  if (s->journal.file)
    journal_put(&s->journal, JOURNAL_STEP, steps_of(s), hash_of(s), 0);
}

void sim_journal_state(struct sagbend_sim *s, enum journal_kind kind, uint64_t name) {
  if (!s->journal.file)
    return;
  if (kind == JOURNAL_RESET)
    journal_put(&s->journal, kind, steps_of(s), hash_of(s), 0);
  else
    journal_put(&s->journal, kind, name, steps_of(s), hash_of(s)); // of a snapshot the name alone
  journal_flush(&s->journal);
}

int sim_journal_fails(struct sagbend_sim *s) {
  if (journal_flush(&s->journal) == STATUS_OK || s->journal.is_told)
    return 0;
  return s->journal.is_told = 1;
}

void sim_journal_end(struct sagbend_sim *s) {
  if (s->journal.file)
    journal_put(&s->journal, JOURNAL_END, steps_of(s), hash_of(s), 0);
  journal_flush(&s->journal);
  journal_close(&s->journal);
}
