// What tests of the pipe's length share: a run to a time, a snapshot that another simulator continues, a
// session whose Newton iteration is cut off.
#pragma once

#include "scenes.h"
#include "suite.h"

static inline void run_to(struct sim *s, double time_s) {
  while (sim_time_s(s) < time_s - 0.5 * s->def->step_s)
    sim_step(s, NULL);
}

// A snapshot of `first` that `second` restores; the caller frees it.
static inline unsigned char *hand_over(struct sim *first, struct sim *second, size_t *size) {
  struct reason why = {"?"};
  *size = sim_snapshot_size(first);
  unsigned char *bytes = malloc(*size);
  sim_snapshot(first, bytes);
  ck_assert_msg(sim_restore(second, bytes, *size, &why) == STATUS_OK, "%s", why.text);
  ck_assert_uint_eq(sim_hash(first), sim_hash(second));
  ck_assert_uint_eq(sim_hash(first), sim_snapshot_hash(bytes, *size));
  return bytes;
}

// Both go on to the same bits, also when `second` goes back to the snapshot.
static inline void check_both_go_on(struct sim *first, struct sim *second, const unsigned char *bytes,
                                    size_t size, void (*run)(struct sim *, double), double time_s) {
  struct reason why = {"?"};
  run(first, time_s), run(second, time_s);
  ck_assert_uint_eq(sim_hash(first), sim_hash(second));
  ck_assert_msg(sim_restore(second, bytes, size, &why) == STATUS_OK, "%s", why.text);
  ck_assert_uint_eq(sim_hash(second), sim_snapshot_hash(bytes, size));
  run(second, time_s);
  ck_assert_uint_eq(sim_hash(first), sim_hash(second));
}

// A snapshot with this head is refused, and the error names the key.
static inline void check_head_is_refused(struct sim *s, unsigned char *bytes, size_t size,
                                         const struct snapshot_head *head, const char *key) {
  struct reason why = {"?"};
  memcpy(bytes, head, sizeof *head);
  ck_assert_int_eq(sim_restore(s, bytes, size, &why), STATUS_BAD_INPUT);
  ck_assert_msg(strstr(why.text, key), "%s", why.text);
}

// Steps that Newton's method does not solve are counted, dissipate, and leave the ledger closed.
static inline void check_unsolved_steps(struct sim_def def, double until_s) {
  def.newton_max_iterations = 1;
  struct sim *s = shipped_create(&def);
  struct sim_output o;
  run_to(s, until_s);
  sim_get_output(s, &o);
  printf("one iteration: %llu divided, %llu unsolved, closure %.1e\n", (unsigned long long)o.divided_count,
         (unsigned long long)o.not_converged_count, ledger_closure_rel(sim_ledger(s)));
  ck_assert_uint_gt(o.not_converged_count, 0);
  ck_assert_int_eq(o.fault, 0);
  ck_assert_double_le(ledger_closure_rel(sim_ledger(s)), 1e-10);
  for (int i = 0; i < LOSS_COUNT; i++)
    ck_assert_double_ge(sim_ledger(s)->total_loss_j[i], 0);
  shipped_free(s);
}
