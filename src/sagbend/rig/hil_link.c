#include "sagbend/rig/link.h"

#include <string.h>

void link_init(struct link *l, uint64_t seed) {
  memset(l, 0, sizeof *l);
  l->random = random_stream_of(random_seed(seed, "link"));
}

static int draw_fault(struct link *l, const struct fault_set *faults, enum fault_kind kind) {
  const struct fault *f = fault_find(faults, kind, -1);
  return f && random_uniform(&l->random) < f->value[0];
}

static int enqueue(struct link *l, const struct command *command, uint64_t due_step) {
  if (l->count == LINK_QUEUE) {
    l->counts.lost++;
    return 0;
  }
  l->queue[l->count++] = (struct link_item){.due_step = due_step, .command = *command};
  return 1;
}

static void send_command(struct link *l, const struct fault_set *faults, uint64_t step, double step_s,
                         const struct command *sent) {
  uint64_t waiting = l->count, due_step = step;
  const struct fault *jitter = fault_find(faults, FAULT_JITTER, -1);
  if (draw_fault(l, faults, FAULT_LOSS)) {
    l->counts.lost++;
    return;
  }
  if (jitter)
    due_step += (uint64_t)(random_uniform(&l->random) * (jitter->value[0] / step_s + 1));
  if (draw_fault(l, faults, FAULT_REORDER))
    l->counts.reordered += (uint64_t)enqueue(l, sent, UINT64_MAX);
  else if (enqueue(l, sent, due_step))
    l->counts.delayed += due_step > step;
  if (draw_fault(l, faults, FAULT_DUPLICATE))
    l->counts.duplicated += (uint64_t)enqueue(l, sent, UINT64_MAX);
  for (uint64_t i = 0; i < waiting; i++) // their next command is this one
    if (l->queue[i].due_step == UINT64_MAX)
      l->queue[i].due_step = due_step + 1;
}

int link_transfer(struct link *l, const struct fault_set *faults, uint64_t step, double step_s,
                  const struct command *sent, struct command *delivered) {
  if (sent)
    send_command(l, faults, step, step_s, sent);
  uint64_t newest = 0, kept = 0;
  int any = 0;
  for (uint64_t i = 0; i < l->count; i++) {
    const struct link_item *item = &l->queue[i];
    if (item->due_step > step) {
      if (kept != i)
        l->queue[kept] = *item;
      kept++;
    } else if (!any || item->due_step >= newest) { // the last one to arrive counts
      newest = item->due_step;
      *delivered = item->command;
      any = 1;
    }
  }
  memset(&l->queue[kept], 0, (size_t)(l->count - kept) * sizeof *l->queue); // equal states have equal bytes
  l->count = kept;
  return any;
}

int link_loses_sensors(struct link *l, const struct fault_set *faults) {
  int lost = draw_fault(l, faults, FAULT_SENSORS_LOSS);
  l->counts.sensors_lost += (uint64_t)lost;
  return lost;
}

double link_clock_offset_s(const struct fault_set *faults) {
  double offset_s = 0;
  for (int i = 0; i < faults->count; i++)
    if (faults->fault[i].kind == FAULT_CLOCK_STEP)
      offset_s += faults->fault[i].value[0];
  return offset_s;
}
