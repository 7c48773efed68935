#include "stepper.h"

#include "io/codec.h"

#include <math.h>
#include <string.h>

static void take_output(struct stepper *s) {
  struct frame *f = &s->frame;
  sim_get_output(s->sim, &f->output);
  f->ledger = *sim_ledger(s->sim);
  f->command_state = s->latch.state;
  f->command_sequence = s->latch.last.sequence;
  f->command_based_on_step = s->latch.last.based_on_step;
}

void stepper_init(struct stepper *s, struct sim *sim, const struct command_def *def,
                  const struct pid_def *inside) {
  memset(s, 0, sizeof *s);
  s->sim = sim;
  s->command_def = *def;
  s->inside = inside;
  dp_init(&s->dp);
  command_latch_init(&s->latch, def);
  take_output(s);
}

void stepper_save(const struct stepper *s, struct checkpoint_controls *out) {
  out->latch = s->latch;
  out->dp = s->dp;
  out->inside_accepted = s->inside_accepted;
  out->inside_refused = s->inside_refused;
}

void stepper_resume(struct stepper *s, const struct checkpoint_controls *from) {
  s->latch = from->latch;
  s->dp = from->dp;
  s->inside_accepted = from->inside_accepted;
  s->inside_refused = from->inside_refused;
  take_output(s);
}

int stepper_at_sample(const struct stepper *s) {
  return s->frame.output.step % s->command_def.period_steps == 0;
}

static int within_limits(const struct command *c, const double limit[6]) {
  for (int i = 0; i < 6; i++)
    if (limit[i] > 0 && !(fabs(c->wrench_b[i]) <= limit[i]))
      return 0;
  return 1;
}

// The controller inside answers as one outside would, and its command passes the same gate.
static const struct command *sample_inside(struct stepper *s, struct command *command) {
  struct dp_sensors sensors;
  dp_sensors_of_frame(&s->frame, &sensors);
  dp_sample(&s->dp, s->inside, &sensors, command);
  if (!command->standby && !within_limits(command, s->command_def.wrench_limit)) {
    s->inside_refused++;
    return NULL;
  }
  s->inside_accepted++;
  return command;
}

void stepper_step(struct stepper *s, const struct command *newest) {
  struct command inside;
  if (s->inside)
    newest = stepper_at_sample(s) ? sample_inside(s, &inside) : NULL;
  command_latch_step(&s->latch, &s->command_def, newest, s->frame.output.step);
  const struct sim_input input = {.wrench_b = s->latch.applied_b};
  sim_step(s->sim, &input);
  take_output(s);
}
