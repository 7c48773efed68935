// Values that cross the interface: those of the case, the FMU's own, its parameters; and states.
#include "fmu/fmu_internal.h"

#include "sagbend/base/base.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const TYPES[] = {[SAGBEND_REAL] = "real",
                                    [SAGBEND_INTEGER] = "integer",
                                    [SAGBEND_BOOLEAN] = "boolean",
                                    [FMU_TEXT] = "text"};

// NULL, after telling why: there is none, or it is of another type.
static const struct reference *find_typed(const struct instance *i, int type, uint32_t vr) {
  const struct reference *r = instance_find(i, vr);
  if (!r)
    refuse(i, "value reference %u: this FMU has none", (unsigned)vr);
  else if (r->type != type)
    refuse(i, "value reference %u, %s: a function for variables of type %s expected, got one for %s",
           (unsigned)vr, r->name, TYPES[r->type], TYPES[type]);
  return r && r->type == type ? r : NULL;
}

// ---- Get ----

static double verdicts_failed(const struct instance *i) {
  double failed = 0;
  for (size_t k = 0; k < sagbend_verdict_count(i->s); k++) {
    sagbend_verdict v = {.size = sizeof v};
    failed += sagbend_verdict_at(i->s, k, &v) == SAGBEND_OK && v.result == SAGBEND_FAILED;
  }
  return failed;
}

static double own_value(const struct instance *i, uint32_t vr) {
  if (vr == FMU_EVENTS_COUNT)
    return (double)sagbend_event_count(i->s);
  return vr == FMU_VERDICTS_FAILED ? verdicts_failed(i) : (double)sagbend_commands_refused(i->s, NULL);
}

static double value_of(const struct instance *i, const struct reference *r) {
  double value = 0;
  if (r->place == OF_FMU)
    return own_value(i, r->vr);
  if (r->place == PARAMETER)
    return i->parameter[r->index];
  sagbend_get(i->s, &r->vr, 1, &value);
  return r->place == TIME_OF_CASE ? instance_time(i) : value;
}

int instance_get(struct instance *i, int type, const uint32_t vr[], size_t n, double value[]) {
  size_t of_case = 0;
  if (n && (!vr || !value))
    return refuse(i, "value references and room for their values expected, got none");
  if (instance_refresh(i) != FMI_OK)
    return FMI_ERROR;
  for (size_t k = 0; k < n; k++) {
    const struct reference *r = find_typed(i, type, vr[k]);
    if (!r)
      return FMI_ERROR;
    of_case += r->place == OF_CASE;
  }
  if (of_case == n) // one call for all
    return sagbend_get(i->s, vr, n, value) == SAGBEND_OK ? FMI_OK : refuse(i, "these values cannot be read");
  for (size_t k = 0; k < n; k++)
    value[k] = value_of(i, instance_find(i, vr[k]));
  return FMI_OK;
}

int instance_get_text(struct instance *i, const uint32_t vr[], size_t n, const char *value[]) {
  if (n && (!vr || !value))
    return refuse(i, "value references and room for their values expected, got none");
  if (instance_refresh(i) != FMI_OK)
    return FMI_ERROR;
  for (size_t k = 0; k < n; k++) {
    if (!find_typed(i, FMU_TEXT, vr[k]))
      return FMI_ERROR;
    snprintf(i->hash, sizeof i->hash, "%016llx", (unsigned long long)sagbend_hash(i->s));
    value[k] = vr[k] == FMU_ORDER          ? i->state.order
               : vr[k] == FMU_ORDER_RESULT ? i->state.result
               : vr[k] == FMU_JOURNAL      ? i->journal
                                           : i->hash;
  }
  return FMI_OK;
}

// ---- Set ----

// What may be set now; NULL after telling why it may not.
static const struct reference *settable(const struct instance *i, int type, uint32_t vr) {
  const struct reference *r = find_typed(i, type, vr);
  if (r && !r->is_input) {
    refuse(i, "value reference %u, %s: it is no input", (unsigned)vr, r->name);
    return NULL;
  }
  if (r && r->is_fixed && !(i->state.phase & (PHASE_INSTANTIATED | PHASE_INITIALISING))) {
    refuse(i, "%s: a fixed parameter; it can be set until the initialisation has ended", r->name);
    return NULL;
  }
  return r;
}

// The inputs of one call belong together: the vessel judges them as one command. ids, values: room for n.
static int set_all(struct instance *i, int type, const uint32_t vr[], size_t n, const double value[],
                   uint32_t ids[], double values[]) {
  size_t inputs = 0;
  sagbend_error e = {.size = sizeof e};
  for (size_t k = 0; k < n; k++) {
    const struct reference *r = settable(i, type, vr[k]);
    if (!r)
      return FMI_ERROR;
    if (r->place == PARAMETER && !isfinite(value[k]))
      return refuse(i, "%s: a finite number expected, got %g", r->name, value[k]);
    if (r->place == PARAMETER)
      continue;
    ids[inputs] = vr[k];
    values[inputs++] = value[k];
  }
  if (sagbend_set(i->s, ids, inputs, values, &e) != SAGBEND_OK)
    return refuse(i, "%s", e.text);
  for (size_t k = 0; k < n && inputs < n; k++) {
    const struct reference *r = instance_find(i, vr[k]);
    if (r->place != PARAMETER)
      continue;
    i->is_stale |= i->parameter[r->index] != value[k];
    i->parameter[r->index] = value[k];
  }
  return FMI_OK;
}

int instance_set(struct instance *i, int type, const uint32_t vr[], size_t n, const double value[]) {
  uint32_t few_ids[64] = {0}, *ids = few_ids;
  double few_values[64] = {0}, *values = few_values;
  if (n && (!vr || !value))
    return refuse(i, "value references and values expected, got none");
  if (n > sizeof few_ids / sizeof *few_ids) {
    ids = calloc(n, sizeof *ids);
    values = calloc(n, sizeof *values);
  }
  const int status =
      ids && values ? set_all(i, type, vr, n, value, ids, values) : refuse(i, "out of memory for the values");
  if (ids != few_ids) {
    free(ids);
    free(values);
  }
  return status;
}

int instance_set_text(struct instance *i, const uint32_t vr[], size_t n, const char *const value[]) {
  if (n && (!vr || !value))
    return refuse(i, "value references and values expected, got none");
  for (size_t k = 0; k < n; k++) {
    const struct reference *r = settable(i, FMU_TEXT, vr[k]);
    if (!r)
      return FMI_ERROR;
    if (!value[k] || strlen(value[k]) >= sizeof i->state.order)
      return refuse(i, "%s: a text of at most %zu bytes expected, got %s", r->name, sizeof i->state.order - 1,
                    value[k] ? "a longer one" : "none");
    if (vr[k] == FMU_JOURNAL && i->has_journal && strcmp(value[k], i->journal) != 0)
      return refuse(i, "%s: the simulation writes one already; a reset ends it", r->name);
  }
  for (size_t k = 0; k < n; k++)
    snprintf(vr[k] == FMU_JOURNAL ? i->journal : i->state.order, ORDER_TEXT, "%s", value[k]);
  return FMI_OK;
}

// ---- States ----

struct state_head {
  char magic[8];
  uint64_t size; // of all, the snapshot included
  uint64_t hash; // of what follows in this head; the snapshot has its own
  struct instance_state instance;
};
static const char STATE_MAGIC[8] = {'S', 'A', 'G', 'B', 'F', 'M', 'U', '1'};

int instance_state_get(struct instance *i, void **state) {
  if (!state)
    return refuse(i, "room for a state expected, got none");
  if (instance_refresh(i) != FMI_OK)
    return FMI_ERROR;
  const size_t snapshot = sagbend_snapshot_size(i->s), size = sizeof(struct state_head) + snapshot;
  struct state_head *head = *state; // a state of before is used again
  if (!head || head->size != size) {
    head = calloc(1, size);
    if (!head)
      return refuse(i, "out of memory for a state");
    free(*state);
    *state = head;
  }
  memcpy(head->magic, STATE_MAGIC, sizeof head->magic);
  head->size = size;
  head->instance = i->state;
  head->hash = fnv1a(FNV1A_START, &head->instance, sizeof head->instance);
  if (sagbend_snapshot(i->s, head + 1, snapshot) != SAGBEND_OK)
    return refuse(i, "out of memory for a state");
  return FMI_OK;
}

int instance_state_set(struct instance *i, const void *state) {
  const struct state_head *head = state;
  sagbend_error e = {.size = sizeof e};
  if (!head || memcmp(head->magic, STATE_MAGIC, sizeof STATE_MAGIC) != 0)
    return refuse(i, "a state of this FMU expected");
  if (instance_refresh(i) != FMI_OK)
    return FMI_ERROR;
  if (sagbend_restore(i->s, head + 1, (size_t)head->size - sizeof *head, &e) != SAGBEND_OK)
    return refuse(i, "%s", e.text);
  i->state = head->instance;
  i->events_logged = sagbend_event_count(i->s);
  i->refusals_logged = sagbend_commands_refused(i->s, NULL);
  return FMI_OK;
}

int instance_state_size(const struct instance *i, const void *state, size_t *size) {
  if (!state || !size)
    return refuse(i, "a state and room for its size expected");
  *size = (size_t)((const struct state_head *)state)->size;
  return FMI_OK;
}

int instance_state_write(const struct instance *i, const void *state, void *out, size_t size) {
  size_t needed = 0;
  if (instance_state_size(i, state, &needed) != FMI_OK)
    return FMI_ERROR;
  if (!out || size < needed)
    return refuse(i, "room for %zu bytes of a state expected, got %zu", needed, out ? size : 0);
  memcpy(out, state, needed);
  return FMI_OK;
}

static int ends(const char *text, size_t size) {
  return memchr(text, '\0', size) != NULL;
}

static int is_valid(const struct state_head *head, size_t size) {
  const struct instance_state *s = &head->instance;
  const int phase = s->phase;
  return !memcmp(head->magic, STATE_MAGIC, sizeof STATE_MAGIC) && head->size == size && phase > 0 &&
         phase <= PHASE_FAILED && head->hash == fnv1a(FNV1A_START, s, sizeof *s) && !(phase & (phase - 1)) &&
         isfinite(s->start) && isfinite(s->stop) && (s->has_stop == 0 || s->has_stop == 1) &&
         ends(s->order, sizeof s->order) && ends(s->done, sizeof s->done) &&
         ends(s->result, sizeof s->result);
}

int instance_state_read(const struct instance *i, const void *in, size_t size, void **state) {
  struct state_head head;
  if (!state || !in)
    return refuse(i, "a serialised state and room for it expected");
  if (size >= sizeof head)
    memcpy(&head, in, sizeof head);
  if (size < sizeof head || !is_valid(&head, size))
    return refuse(i, "a serialised state of this FMU expected: it is damaged, cut off or of something else");
  void *copy = malloc(size);
  if (!copy)
    return refuse(i, "out of memory for a state");
  memcpy(copy, in, size);
  free(*state);
  *state = copy;
  return FMI_OK;
}
