// Layout of a simulator in one block, the step, and state in and out. Output is in output.c.
#include "core/base/fnv.h"
#include "core/sim/sim_parts.h"

#include "core/math/trig.h"

#include <assert.h>
#include <string.h>

static const uint64_t SNAPSHOT_MAGIC = 0x3130474253ULL; // "SBG01"

const char *sim_event_name(int event) {
  static const char *const names[] = {
#define X(name, text, help) text,
      EVENT_TABLE(X)
#undef X
  };
  return (unsigned)event < EVENT_COUNT ? names[event] : "unknown";
}

const char *sim_event_text(int event) {
  static const char *const texts[] = {
#define X(name, text, help) help,
      EVENT_TABLE(X)
#undef X
  };
  return (unsigned)event < EVENT_COUNT ? texts[event] : "unknown event";
}

enum status sim_check_integrator(const struct sim_def *def, const char **key, struct reason *why) {
  return integrator_check(&def->integrator, &def->vessel, &def->pipe, &def->env, &def->pid, key, why);
}

static struct sim *lay_out(const struct sim_def *def, struct arena *memory) {
  struct sim scratch, *s = arena_take(memory, 1, sizeof *s);
  struct sim *into = s ? s : &scratch;
  if (!s)
    memset(&scratch, 0, sizeof scratch);
  model_create(&into->model, &def->vessel, &def->pipe, &def->env, memory);
  size_t start = memory->used;
  model_state_create(&into->state, &into->model, memory);
  into->field_bytes = memory->used - start;
  into->fields = memory->block ? memory->block + start : NULL;
  model_work_create(&into->work, &into->model, memory);
  return s;
}

static int section_fits(const struct pipe_section *x) {
  const double positive[] = {x->outer_diameter_m,        x->mass_kgpm,
                             x->inertia_kgm[0],          x->inertia_kgm[1],
                             x->inertia_kgm[2],          x->axial_stiffness_n,
                             x->shear_stiffness_n[0],    x->shear_stiffness_n[1],
                             x->torsion_stiffness_nm2,   x->bending_stiffness_nm2[0],
                             x->bending_stiffness_nm2[1]};
  for (size_t i = 0; i < sizeof positive / sizeof *positive; i++)
    if (!(positive[i] > 0) || !isfinite(positive[i]))
      return 0;
  return 1;
}

static int mesh_fits(const struct pipe_def *p) {
  double length = 0;
  int elements = 0;
  if (p->mesh_parts > MAX_MESH_PARTS || p->section_count > MAX_SECTIONS)
    return 0;
  for (int i = 0; i < p->mesh_parts; i++) {
    if (!(p->mesh[i].length_m > 0) || p->mesh[i].elements < 1 || p->mesh[i].section < 0 ||
        p->mesh[i].section > p->section_count)
      return 0;
    length += p->mesh[i].length_m;
    elements += p->mesh[i].elements;
  }
  return p->mesh_parts == 0 || (elements == p->elements && fabs(length - p->length_m) <= 1e-9 * p->length_m);
}

static enum status check(const struct sim_def *def, struct reason *why) {
  if (!(def->step_s > 0) || !isfinite(def->step_s))
    return fail(why, STATUS_BAD_INPUT, "step_s: a positive number of seconds expected, got %g", def->step_s);
  if (def->newton_max_iterations < 1)
    return fail(why, STATUS_BAD_INPUT, "newton_max_iterations: at least 1 expected, got %d",
                def->newton_max_iterations);
  if (def->pipe.elements < 0 || def->pipe.elements == 1 || def->pipe.elements > 100000)
    return fail(why, STATUS_BAD_INPUT, "pipe elements: 0 (no pipe) or 2 to 100000 expected, got %d",
                def->pipe.elements);
  if (!mesh_fits(&def->pipe))
    return fail(why, STATUS_BAD_INPUT,
                "pipe mesh: parts that sum to the pipe's length and elements expected");
  if (!(def->env.depth_m > 0))
    return fail(why, STATUS_BAD_INPUT, "depth_m: positive expected, got %g", def->env.depth_m);
  if (!(fabs(def->env.slope.angle_rad) <= 1))
    return fail(why, STATUS_BAD_INPUT, "seabed slope: an angle of at most 1 rad expected, got %g",
                def->env.slope.angle_rad);
  const struct bathymetry_def *b = &def->env.bathymetry;
  if (b->north_nodes != 0 && (b->north_nodes < 2 || b->east_nodes < 2 || !(b->spacing_m > 0) || !b->z_m))
    return fail(why, STATUS_BAD_INPUT,
                "bathymetry: a grid of at least 2 by 2 nodes and their spacing expected");
  double inertia[6][6];
  memcpy(inertia, def->vessel.inertia, sizeof inertia);
  if (mat6_cholesky(inertia) != STATUS_OK)
    return fail(why, STATUS_BAD_INPUT, "vessel inertia: a positive definite matrix expected");
  if (def->pipe.elements > 0 && !(def->pipe.length_m > 0 && section_fits(&def->pipe.line)))
    return fail(why, STATUS_BAD_INPUT,
                "pipe: length, diameter, mass, inertia and stiffness must be positive");
  const char *key;
  struct reason integrator_why;
  if (sim_check_integrator(def, &key, &integrator_why) != STATUS_OK)
    return fail(why, STATUS_BAD_INPUT, "%s: %s", key, integrator_why.text);
  for (int k = 0; k < def->pipe.section_count; k++)
    if (!section_fits(&def->pipe.sections[k]))
      return fail(why, STATUS_BAD_INPUT,
                  "pipe section %d: diameter, mass, inertia and stiffness must be positive", k);
  return STATUS_OK;
}

static int finite_state(const struct sim *s) { // the energy sums over everything that moves
  const struct ledger *l = &s->run.ledger;
  return isfinite(l->energy_j) && isfinite(l->total_residual_j) && isfinite(l->turnover_j);
}

static int
large_bend(const struct sim *s) { // cos of the angle between neighbouring axes below cos 30 degrees
  const double least = 0.86602540378443864676;
  double *const *axis = s->work.pipe.d0;
  int found = 0;
  for (int e = 0; e < s->model.pipe.elements; e++)
    found |= axis[0][e] * axis[0][e + 1] + axis[1][e] * axis[1][e + 1] + axis[2][e] * axis[2][e + 1] < least;
  return found;
}

static vec3 lay_plane(const struct sim *s) {
  const struct pipe *p = &s->model.pipe;
  double azimuth = s->def.pipe.lay_azimuth_rad;
  vec3 along = {trig_cos(azimuth), trig_sin(azimuth), 0};
  if (p->nodes == 0 || s->def.pipe.hangoff == HANGOFF_FREE)
    return along;
  vec3 way = vec3_sub(pipe_get3(s->state.pipe.r_n, p->nodes - 1), pipe_get3(s->state.pipe.r_n, 0));
  way.z = 0;
  double reach = vec3_norm(way);
  return reach > 1e-3 * s->def.pipe.length_m ? vec3_scale(1 / reach, way) : along;
}

void sim_refresh(struct sim *s) {
  if (s->model.pipe.nodes == 0)
    return;
  s->work.pipe.top_force_n =
      model_top_force_now(&s->model, &s->state, &s->work, (double)s->run.step * s->def.step_s, s->def.step_s,
                          vec3_of(s->run.top_rate_end_n));
  pipe_extremes_of(&s->model.pipe, &s->state.pipe, &s->work.pipe, &s->extremes);
}

// The mean over the step belongs to its middle; its end lies half a step on. A step at the cap has changed
// velocities without a force: the rate stays.
static void note_top_rate(struct sim *s, vec3 before, int at_cap) {
  struct sim_run *run = &s->run;
  double now[3];
  if (at_cap)
    return;
  vec3_to(vec3_scale(1 / s->def.step_s, vec3_sub(model_top_momentum(&s->model, &s->state), before)), now);
  for (int c = 0; c < 3; c++) {
    run->top_rate_end_n[c] = run->step > 1 ? 1.5 * now[c] - 0.5 * run->top_rate_n[c] : now[c];
    run->top_rate_n[c] = now[c];
  }
}

static void watch_pipe(struct sim *s) {
  double limit = s->def.pipe.strain_limit;
  if (large_bend(s))
    s->run.events |= UINT64_C(1) << EVENT_LARGE_BEND;
  if (limit > 0 && s->extremes.max_strain.value > limit)
    s->run.events |= UINT64_C(1) << EVENT_STRAIN_LIMIT;
}

size_t sim_memsize(const struct sim_def *def, struct reason *why) {
  if (check(def, why) != STATUS_OK)
    return 0;
  struct arena memory;
  arena_init(&memory, NULL, 0);
  lay_out(def, &memory);
  return memory.used;
}

enum status sim_create(const struct sim_def *def, void *mem, size_t size, struct sim **out,
                       struct reason *why) {
  size_t needed = sim_memsize(def, why);
  if (needed == 0)
    return STATUS_BAD_INPUT;
  if (!mem || size < needed)
    return fail(why, STATUS_NO_MEMORY, "the simulator needs %zu bytes, %zu given", needed, size);
  struct arena memory;
  arena_init(&memory, mem, size);
  struct sim *s = lay_out(def, &memory);
  assert(s && !arena_overflowed(&memory)); // sim_memsize lays out the same
  s->def = *def;
  s->def.env.bathymetry.z_m = s->model.env.bathymetry.z_m = NULL; // only borrowed
  s->model.pid = def->pid;
  s->model.motion = def->pipe.motion;
  s->model.end_force_n = vec3_of(def->pipe.end_force_n);
  s->model.end_moment_nm = vec3_of(def->pipe.end_moment_nm);
  s->model.end_profile = def->pipe.end_profile;
  model_prepare_tables(&s->model);
  s->model.pid_continuous = def->controller == CONTROLLER_CONTINUOUS;
  s->state.vessel = vessel_initial_state(&def->vessel);
  enum status status =
      statics_solve(&s->model, &s->def.pipe, &def->statics, &s->state, &s->work, &s->statics, why);
  if (status != STATUS_OK)
    return status;
  if (!def->hold_balances_statics)
    memcpy(s->statics.hold_wrench_b, def->hold_wrench_b, sizeof s->statics.hold_wrench_b);
  model_set_hold(&s->model, &s->state, s->statics.hold_wrench_b);
  memcpy(s->run.control_b, s->model.hold_wrench_b, sizeof s->run.control_b);
  s->plan = integrator_plan_of(&def->integrator, &s->model);
  struct model_energy energy = model_energy_of(&s->model, &s->state, &s->work);
  ledger_start(&s->run.ledger, energy.kinetic_j, energy.potential_j);
  s->lay_plane_n = lay_plane(s);
  sim_refresh(s);
  watch_pipe(s);
  *out = s;
  return STATUS_OK;
}

const struct statics_report *sim_statics(const struct sim *s) {
  return &s->statics;
}

const struct thruster_setpoint *sim_hold_setpoints(const struct sim *s) {
  return s->model.hold_setpoint;
}

void sim_step(struct sim *s, const struct sim_input *input) {
  struct sim_run *run = &s->run;
  if (run->fault)
    return;
  const struct sim_input ordinary = {0};
  input = input ? input : &ordinary;
  const double *control = input->wrench_b ? input->wrench_b : s->model.hold_wrench_b;
  double time_s = (double)run->step * s->def.step_s, zero[6] = {0};
  int pid_on = s->model.pid_continuous && time_s + 0.5 * s->def.step_s > s->model.pid.start_s;
  memcpy(run->control_b, pid_on ? zero : control, sizeof run->control_b); // the PID's own is filled in
  plant_latch(&s->model.plant, &s->state.plant, input->setpoint ? input->setpoint : s->model.hold_setpoint,
              input->thruster, input->bus, s->def.step_s);
  vec3 before = model_top_momentum(&s->model, &s->state);
  struct step_report report =
      integrator_step(&s->plan, &s->model, &s->state, &s->work, time_s, s->def.step_s,
                      s->def.newton_max_iterations, run->control_b, pid_on, &run->ledger, &s->clock);
  run->step++;
  run->newton_iterations = (uint64_t)report.iterations;
  run->newton_total += (uint64_t)report.iterations;
  run->newton_max = run->newton_iterations > run->newton_max ? run->newton_iterations : run->newton_max;
  run->newton_residual_n = report.residual_n;
  if (report.divided) {
    run->divided_count++;
    run->events |= UINT64_C(1) << EVENT_STEP_DIVIDED;
  }
  if (report.at_cap) {
    run->cap_count++;
    run->events |= UINT64_C(1) << EVENT_NEWTON_CAP;
  }
  if (report.unresolved) {
    run->unresolved_count++;
    run->events |= UINT64_C(1) << EVENT_CONTACT_UNRESOLVED;
  }
  if (report.damping_gained)
    run->events |= UINT64_C(1) << EVENT_DAMPING_GAINED;
  note_top_rate(s, before, report.at_cap);
  sim_refresh(s);
  watch_pipe(s);
  if (report.ports_failed || !finite_state(s)) {
    run->events |= UINT64_C(1) << EVENT_NOT_FINITE;
    run->fault = 1;
  }
}

const struct ledger *sim_ledger(const struct sim *s) {
  return &s->run.ledger;
}

// A snapshot: magic, sizes, run, vessel, integral, the pipe's fields. Only 8-byte members, so no padding is
// copied.
struct snapshot_head {
  uint64_t magic, bytes, elements, reserved;
  struct sim_run run;
  struct vessel_state vessel;
  double pid_integral[6];
  struct plant_state plant;
};

size_t sim_snapshot_size(const struct sim *s) {
  return sizeof(struct snapshot_head) + s->field_bytes;
}

static struct snapshot_head head_of(const struct sim *s) {
  struct snapshot_head head;
  memset(&head, 0, sizeof head);
  head.magic = SNAPSHOT_MAGIC;
  head.bytes = sim_snapshot_size(s);
  head.elements = (uint64_t)s->model.pipe.elements;
  head.run = s->run;
  head.vessel = s->state.vessel;
  memcpy(head.pid_integral, s->state.pid_integral, sizeof head.pid_integral);
  head.plant = s->state.plant;
  return head;
}

void sim_snapshot(const struct sim *s, void *buffer) {
  struct snapshot_head head = head_of(s);
  memcpy(buffer, &head, sizeof head);
  memcpy((unsigned char *)buffer + sizeof head, s->fields, s->field_bytes);
}

// The pipe's state as the buffer holds it, laid out as the simulator's own.
static struct pipe_state pipe_in(const struct sim *s, const void *fields) {
  struct pipe_state in = s->state.pipe;
  double **const all[] = {in.r_n, in.q_nt, in.v_n, in.omega_t, in.friction_elongation_m};
  const int counts[] = {3, 4, 3, 3, 2};
  for (size_t f = 0; f < sizeof all / sizeof *all; f++)
    for (int k = 0; k < counts[f]; k++)
      all[f][k] =
          (double *)((uintptr_t)fields + (uintptr_t)((unsigned char *)all[f][k] - s->fields)); // only read
  return in;
}

static int head_is_valid(const struct sim *s, const struct snapshot_head *head, const void *fields,
                         struct reason *why) {
  if (!sim_run_is_valid(&head->run, why))
    return valid_fail_in(why, "run.");
  if (!vessel_state_is_valid(&head->vessel, why))
    return valid_fail_in(why, "vessel.");
  if (!valid_finite(head->pid_integral, 6, "pid_integral", why))
    return 0;
  if (!plant_state_is_valid(&s->def.vessel.plant, &head->plant, why))
    return valid_fail_in(why, "plant.");
  if (s->model.pipe.nodes == 0)
    return 1;
  struct pipe_state pipe = pipe_in(s, fields);
  return pipe_state_is_valid(&s->model.pipe, &pipe, why) ? 1 : valid_fail_in(why, "pipe.");
}

enum status sim_check_snapshot(const struct sim *s, const void *buffer, size_t size, struct reason *why) {
  struct snapshot_head head;
  if (size < sizeof head)
    return fail(why, STATUS_BAD_INPUT, "snapshot: %zu bytes are too few", size);
  memcpy(&head, buffer, sizeof head);
  if (head.magic != SNAPSHOT_MAGIC)
    return fail(why, STATUS_BAD_INPUT, "snapshot: not one of this program's version");
  if (head.bytes != size || size != sim_snapshot_size(s) || head.elements != (uint64_t)s->model.pipe.elements)
    return fail(why, STATUS_BAD_INPUT, "snapshot: of another model (%llu elements, %zu bytes)",
                (unsigned long long)head.elements, size);
  if (head_is_valid(s, &head, (const unsigned char *)buffer + sizeof head, why))
    return STATUS_OK;
  valid_fail_in(why, "snapshot: ");
  return STATUS_BAD_INPUT;
}

uint64_t sim_snapshot_step(const void *buffer) {
  struct snapshot_head head;
  memcpy(&head, buffer, sizeof head);
  return head.run.step;
}

enum status sim_restore(struct sim *s, const void *buffer, size_t size, struct reason *why) {
  struct snapshot_head head;
  enum status status = sim_check_snapshot(s, buffer, size, why);
  if (status != STATUS_OK)
    return status;
  memcpy(&head, buffer, sizeof head);
  s->run = head.run;
  s->state.vessel = head.vessel;
  memcpy(s->state.pid_integral, head.pid_integral, sizeof head.pid_integral);
  s->state.plant = head.plant;
  memcpy(s->fields, (const unsigned char *)buffer + sizeof head, s->field_bytes);
  model_energy_of(&s->model, &s->state, &s->work); // the scratch that outputs read
  sim_refresh(s);
  return STATUS_OK;
}

// Two words at a time: their 128-bit product, folded; in four streams, so that multiplications overlap.
enum { STREAMS = 4, PAIR = 16 };
__extension__ typedef unsigned __int128 wide;

static inline uint64_t mix_pair(uint64_t h, uint64_t one, uint64_t other) {
  wide product = (wide)(h ^ one) * (other ^ UINT64_C(0x9e3779b97f4a7c15));
  return (uint64_t)product ^ (uint64_t)(product >> 64) ^ other;
}

static inline uint64_t mix_at(uint64_t h, const unsigned char *at) {
  uint64_t pair[2];
  memcpy(pair, at, sizeof pair);
  return mix_pair(h, pair[0], pair[1]);
}

// Whole words only, as everything in the state is.
static void mix(uint64_t hash[STREAMS], const void *bytes, size_t size) {
  const unsigned char *at = bytes, *end = at + size / PAIR * PAIR;
  uint64_t a = hash[0], b = hash[1], c = hash[2], d = hash[3], last = 0;
  for (; end - at >= PAIR * STREAMS;
       at += PAIR * STREAMS) { // written out, so that the streams stay in registers
    a = mix_at(a, at), b = mix_at(b, at + PAIR);
    c = mix_at(c, at + 2 * PAIR), d = mix_at(d, at + 3 * PAIR);
  }
  for (; at < end; at += PAIR)
    a = mix_at(a, at);
  if (size % PAIR)
    memcpy(&last, at, sizeof last);
  hash[0] = mix_pair(a, last, size), hash[1] = b, hash[2] = c, hash[3] = d;
}

static uint64_t hash_of(const struct snapshot_head *head, const void *fields, size_t field_bytes) {
  uint64_t hash[STREAMS], all = FNV1A_START;
  for (int k = 0; k < STREAMS; k++)
    hash[k] = all + (uint64_t)k;
  mix(hash, head, sizeof *head);
  mix(hash, fields, field_bytes);
  for (int k = 0; k < STREAMS; k++)
    all = mix_pair(all, hash[k], (uint64_t)k);
  return all;
}

uint64_t sim_hash(const struct sim *s) {
  struct snapshot_head head = head_of(s);
  return hash_of(&head, s->fields, s->field_bytes);
}

uint64_t sim_snapshot_hash(const void *buffer, size_t size) {
  struct snapshot_head head;
  memcpy(&head, buffer, sizeof head);
  return hash_of(&head, (const unsigned char *)buffer + sizeof head, size - sizeof head);
}

void sim_set_clock(struct sim *s, uint64_t (*now_ns)(void) NONBLOCKING) {
  s->clock.now_ns = now_ns;
}

void sim_stage_times_ns(const struct sim *s, uint64_t stage_ns[STAGE_COUNT]) {
  memcpy(stage_ns, s->clock.stage_ns, sizeof s->clock.stage_ns);
}
