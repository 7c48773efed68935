// Snapshots: the state as bytes, checked before it is used.
#include "core/model/flooding.h"
#include "core/model/follow.h"
#include "core/model/operations.h"
#include "core/model/payout.h"
#include "core/model/retire.h"
#include "core/model/tensioner.h"
#include "core/sim/sim_parts.h"

#include <string.h>

static const uint64_t SNAPSHOT_MAGIC = 0x3930474253ULL; // "SBG09"

size_t sim_snapshot_size(const struct sim *sim) {
  return sizeof(struct snapshot_head) + sim->field_bytes;
}

static struct snapshot_head head_of(const struct sim *sim) {
  struct snapshot_head head;
  memset(&head, 0, sizeof head);
  head.magic = SNAPSHOT_MAGIC;
  head.bytes = sim_snapshot_size(sim);
  head.elements = (uint64_t)sim->state.mesh.pipe.elements;
  head.run = sim->run;
  head.vessel = sim->state.vessel;
  memcpy(head.pid_integral, sim->state.pid_integral, sizeof head.pid_integral);
  head.plant = sim->state.plant;
  head.prediction = sim->state.prediction;
  head.payout = sim->state.payout;
  head.tensioner = sim->state.tensioner;
  head.retire = sim->state.retire;
  head.flooding = sim->state.flooding;
  head.operations = sim->state.operations;
  return head;
}

void sim_snapshot(const struct sim *sim, void *buffer) {
  struct snapshot_head head = head_of(sim);
  memcpy(buffer, &head, sizeof head);
  memcpy((unsigned char *)buffer + sizeof head, sim->fields, sim->field_bytes);
}

// An array of the state in a buffer that has the layout of sim->fields. Only for reading.
static double *array_in(const struct sim *sim, const void *fields, const double *array) {
  return (double *)((uintptr_t)fields + (uintptr_t)((const unsigned char *)array - sim->fields));
}

// The pipe's state in a buffer that has the layout of sim->fields. Only for reading.
static struct pipe_state pipe_state_in(const struct sim *sim, const void *fields) {
  struct pipe_state in = sim->state.pipe;
  const struct pipe_state_rows all = pipe_state_rows(&sim->model.pipe, &in);
  for (int f = 0; f < PIPE_STATE_MEMBERS; f++)
    for (int k = 0; k < all.row[f].count; k++)
      all.row[f].array[k] = array_in(sim, fields, all.row[f].array[k]);
  return in;
}

static const struct laid_node *laid_in(const struct sim *sim, const void *fields) {
  return (const struct laid_node *)array_in(sim, fields, (const double *)sim->state.laid);
}

static int state_is_valid(const struct sim *sim, const struct snapshot_head *head, const void *fields,
                          struct reason *why) {
  if (!sim_run_is_valid(&head->run, why))
    return valid_fail_in(why, "run.");
  if (!vessel_state_is_valid(&head->vessel, why))
    return valid_fail_in(why, "vessel.");
  if (!valid_finite(head->pid_integral, 6, "pid_integral", why))
    return 0;
  if (!plant_state_is_valid(&sim->def.vessel.plant, &head->plant, why))
    return valid_fail_in(why, "plant.");
  if (!model_prediction_is_valid(&head->prediction, why))
    return valid_fail_in(why, "prediction.");
  struct radiation_state radiation = {array_in(sim, fields, sim->state.radiation.q),
                                      array_in(sim, fields, sim->state.radiation.p)};
  if (!radiation_state_is_valid(&sim->model.vessel.radiation, &radiation, why))
    return valid_fail_in(why, "radiation.");
  if (!valid_finite(array_in(sim, fields, sim->state.roller_elongation_m), (size_t)sim->model.roller_count,
                    "roller_elongation_m", why))
    return 0;
  if (sim->state.mesh.pipe.nodes == 0)
    return 1;
  if (!payout_is_valid(&sim->model, &head->payout, head->retire.retired, why))
    return valid_fail_in(why, "payout.");
  if (!tensioner_is_valid(&sim->model, &head->tensioner, why))
    return valid_fail_in(why, "tensioner.");
  if (!flooding_is_valid(&head->flooding, why))
    return valid_fail_in(why, "flooding.");
  if (!operations_are_valid(&sim->model, &head->operations, why))
    return valid_fail_in(why, "operations.");
  const double *plastic =
      sim->state.laid_plastic_1pm ? array_in(sim, fields, sim->state.laid_plastic_1pm) : NULL;
  if (!retire_is_valid(&sim->model, &head->retire, laid_in(sim, fields), plastic, why))
    return valid_fail_in(why, "retire.");
  struct pipe_state pipe = pipe_state_in(sim, fields);
  return pipe_state_is_valid(&sim->model.pipe, (int)head->elements, &pipe, why) ? 1
                                                                                : valid_fail_in(why, "pipe.");
}

enum status sim_check_snapshot(const struct sim *sim, const void *buffer, size_t size, struct reason *why) {
  struct snapshot_head head;
  if (size < sizeof head)
    return fail(why, STATUS_BAD_INPUT, "snapshot: at least %zu bytes expected, got %zu", sizeof head, size);
  memcpy(&head, buffer, sizeof head);
  if (head.magic != SNAPSHOT_MAGIC)
    return fail(why, STATUS_BAD_INPUT, "snapshot: not a snapshot of this version of the program");
  const struct pipe_mesh *p = &sim->state.mesh.pipe;
  const int fits =
      p->pipe->feed.present ? head.payout.elements == head.elements : head.elements == (uint64_t)p->elements;
  if (head.bytes != size || size != sim_snapshot_size(sim) || !fits)
    return fail(why, STATUS_BAD_INPUT, "snapshot: of another model (%llu elements, %zu bytes)",
                (unsigned long long)head.elements, size);
  if (state_is_valid(sim, &head, (const unsigned char *)buffer + sizeof head, why))
    return STATUS_OK;
  valid_fail_in(why, "snapshot: ");
  return STATUS_BAD_INPUT;
}

// The end of the last step, with the bits that it had in that step.
static double last_end_s(const struct sim *sim) {
  const double step_s = sim->def.step_s;
  return sim->run.step > 0 ? (double)(sim->run.step - 1) * step_s + step_s : 0;
}

enum status sim_restore(struct sim *sim, const void *buffer, size_t size, struct reason *why) {
  enum status status = sim_check_snapshot(sim, buffer, size, why);
  if (status != STATUS_OK)
    return status;

  struct snapshot_head head;
  memcpy(&head, buffer, sizeof head);
  sim->run = head.run;
  sim->state.vessel = head.vessel;
  memcpy(sim->state.pid_integral, head.pid_integral, sizeof head.pid_integral);
  sim->state.plant = head.plant;
  sim->state.prediction = head.prediction;
  sim->state.payout = head.payout;
  sim->state.tensioner = head.tensioner;
  sim->state.retire = head.retire;
  sim->state.flooding = head.flooding;
  sim->state.operations = head.operations;
  memcpy(sim->fields, (const unsigned char *)buffer + sizeof head, sim->field_bytes);
  mesh_follow(&sim->model, &sim->state, &sim->work, last_end_s(sim));
  model_energy_of(&sim->model, &sim->state, &sim->work); // sets the strains, which outputs read
  sim_refresh(sim);
  return STATUS_OK;
}

uint64_t sim_snapshot_step(const void *buffer) {
  struct snapshot_head head;
  memcpy(&head, buffer, sizeof head);
  return head.run.step;
}

uint64_t sim_hash(const struct sim *sim) {
  struct snapshot_head head = head_of(sim);
  return state_hash_of(&head, sim->fields, sim->field_bytes);
}

uint64_t sim_snapshot_hash(const void *buffer, size_t size) {
  struct snapshot_head head;
  memcpy(&head, buffer, sizeof head);
  return state_hash_of(&head, (const unsigned char *)buffer + sizeof head, size - sizeof head);
}
