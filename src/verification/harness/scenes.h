// The scenes that cases share: shipped configurations, and a bare beam. All return NULL or 0 after
// verify_fail.
#pragma once

#include "verification/harness/measures.h"
#include "verification/harness/result.h"

int scene_load(const struct verify_setup *setup, const char *name, int count, const char *const *sets,
               struct sim_def *def, struct verify_result *r);

// In memory of its own; release with scene_free. scene_try: NULL without a failure of the case.
struct sim *scene_try(const struct sim_def *def, struct reason *why);
struct sim *scene_create(const struct sim_def *def, struct verify_result *r);
void scene_free(struct sim *s);
// Whether an element has folded in a scene of this thread that was freed since the last call. A case fails
// then.
int scene_folded(void);
// The same, advanced to end_s without a command.
struct sim *scene_run(struct sim_def def, double end_s, int steps, struct verify_result *r);

// Section of a beam: stiffnesses and what it weighs.
struct scene_section {
  double ea, ga, gj, ei; // N, N m2
  double mass_kgpm, j_axial_kgm, j_transverse_kgm;
};
// Weightless and in nothing: length along +x from (0, 0, length), clamped there, free at the other end.
struct sim_def scene_beam(int elements, double length_m, const struct scene_section *section);

// The vessel of configs/vessel-only.yaml as the exact splitting and its rivals take it: Appendix D of
// Celledoni, Hoiseth, Ramzina (2018).
struct scene_vessel {
  struct split_vessel vessel;
  struct split_pid pid;
  struct split_state start;
};
int scene_vessel(const struct verify_setup *setup, struct scene_vessel *v, struct verify_result *r);
double scene_vessel_energy(const struct split_vessel *v, const struct split_state *s); // that of the attitude
double scene_turn(quat a, quat b); // rad between two attitudes

// Starts the ledger from the state, after a case has changed it by hand.
void scene_restart(struct sim *s);
// Lower end of a beam let go: position, rotation.
void scene_release_lower(struct sim *s, int position, int rotation);
// Free top of a beam held where it is, free to turn.
void scene_hold_top(struct sim *s);

// Of the state after the last step or scene_restart: forces and moments of an element in its section frame;
// curvature.
void scene_stress(const struct sim *s, int element, double stress[6]);
double scene_curvature(const struct sim *s, int element);

// A pipe beside the equilibrium of a definition with its mesh and with the hang-off where its top is. Returns
// 0 with a failed result where there is no equilibrium.
struct scene_rest {
  struct sim_output now, rest;
  double farthest_m; // largest distance of a node from its place in the equilibrium
};
int scene_beside_rest(const struct sim *s, struct sim_def def, struct scene_rest *out,
                      struct verify_result *r);
