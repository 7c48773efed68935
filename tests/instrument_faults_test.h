// Part of instruments_test.c: the effects of faults on the readings.
#pragma once

// Two load cells and a receiver; 100 Hz, no errors; the tension is the number of the step.
enum { CELL, OTHER_CELL, RECEIVER, FAULTED_STEPS = 2000, BEGUN = 500 };

static struct bench *exact_bench(void) {
  struct bench *b = bench_new(3);
  bench_add(b, INSTRUMENT_LOAD_CELL, "cell", 100);
  bench_add(b, INSTRUMENT_LOAD_CELL, "other", 100)->share = 2;
  memcpy(bench_add(b, INSTRUMENT_GNSS, "receiver", 100)->position_b_m, (double[3]){10, 0, -20},
         3 * sizeof(double));
  b->truth.position_n_m[0] = 1000;
  bench_start(b);
  return b;
}

static void exact_step(struct bench *b) {
  b->truth.hangoff_tension_n = (double)(b->truth.step + 1);
  bench_step(b);
}

// Value of the cell at a step under a fault that started at BEGUN, with parameters 4 and channel 0.
struct seen {
  double value[FAULTED_STEPS], time_s[FAULTED_STEPS];
  uint64_t sequence[FAULTED_STEPS];
  int valid[FAULTED_STEPS];
  double north[FAULTED_STEPS], east[FAULTED_STEPS];
};

static void watch(struct seen *s, enum fault_kind kind, int target, double first, double second) {
  struct bench *b = exact_bench();
  for (int k = 0; k < FAULTED_STEPS; k++) {
    const struct reading *r = &b->readings.instrument[CELL];
    s->value[k] = r->value[0], s->time_s[k] = r->time_s, s->sequence[k] = r->sequence, s->valid[k] = r->valid;
    s->north[k] = b->readings.instrument[RECEIVER].value[0],
    s->east[k] = b->readings.instrument[RECEIVER].value[1];
    if (k == BEGUN - 1) {
      bench_fault(b, kind, target, first, second);
      b->faults.fault[0].since_s = BEGUN * STEP_S;
    }
    exact_step(b);
  }
  // no effect before the fault
  for (int k = 0; k < BEGUN; k++)
    ck_assert(s->value[k] == k && s->sequence[k] == (uint64_t)k + 1 && s->valid[k] && s->north[k] == 1010);
  bench_free(b);
}

static double faulted_mean_square(const struct seen *s, int from, int to) {
  double sum = 0;
  for (int k = from; k < to; k++)
    sum += (s->value[k] - k) * (s->value[k] - k);
  return sum / (to - from);
}

static void show_offset(const struct seen *s, double at_once, double per_s) {
  for (int k = BEGUN; k < FAULTED_STEPS; k++) {
    ck_assert_double_eq_tol(s->value[k], k + at_once + per_s * (k - BEGUN) * STEP_S, 1e-9);
    ck_assert(s->valid[k] && s->sequence[k] == (uint64_t)k + 1 && s->time_s[k] == k * STEP_S);
  }
}

static void show_freeze(const struct seen *s, int telegrams) {
  for (int k = BEGUN; k < FAULTED_STEPS; k++) {
    ck_assert_double_eq(s->value[k], BEGUN - 1);
    ck_assert_uint_eq(s->sequence[k], (uint64_t)(telegrams ? k + 1 : BEGUN));
    ck_assert_double_eq(s->time_s[k], STEP_S * (telegrams ? k : BEGUN - 1));
  }
}

static void show_outliers(const struct seen *s, double amplitude, double probability) {
  int count = 0, up = 0;
  for (int k = BEGUN; k < FAULTED_STEPS; k++) {
    double off = s->value[k] - k;
    ck_assert(off == 0 || fabs(off) == amplitude);
    count += off != 0, up += off > 0;
  }
  double expected = probability * (FAULTED_STEPS - BEGUN);
  ck_assert_double_eq_tol(count, expected, 4 * sqrt(expected));
  ck_assert_double_eq_tol(up, 0.5 * count, 2 * sqrt(count));
}

static void show_garbage(const struct seen *s, double amplitude) {
  double square = 0, mean = 0;
  int n = FAULTED_STEPS - BEGUN;
  for (int k = BEGUN; k < FAULTED_STEPS; k++) {
    ck_assert_double_le(fabs(s->value[k]), amplitude);
    mean += s->value[k] / n, square += s->value[k] * s->value[k] / n;
  }
  ck_assert_double_eq_tol(mean, 0, 4 * amplitude / sqrt(3.0 * n));
  ck_assert_double_eq_tol(square, amplitude * amplitude / 3, 4 * amplitude * amplitude * sqrt(4.0 / 45 / n));
}

START_TEST(each_fault_shows) {
  static struct seen s;
  enum fault_kind kind = (enum fault_kind)_i;
  // Faults of other targets have no effect on instruments; sagbend_instruments_reference_errors_test has
  // those of references.
  if (fault_target_of(kind) != TARGET_INSTRUMENT || fault_instrument_kinds(kind) != ~0u ||
      kind == FAULT_COMMON_BIAS) {
    watch(&s, kind, CELL, 4, 0);
    show_offset(&s, 0, 0);
    return;
  }
  switch (kind) {
  case FAULT_NO_OUTPUT:
    watch(&s, kind, CELL, 0, 0);
    show_freeze(&s, 0);
    break;
  case FAULT_FREEZE:
    watch(&s, kind, CELL, 0, 0);
    show_freeze(&s, 1);
    break;
  case FAULT_GARBAGE:
    watch(&s, kind, CELL, 4, 0);
    show_garbage(&s, 4);
    break;
  case FAULT_BIAS:
  case FAULT_JUMP:
    watch(&s, kind, CELL, 4, 0);
    show_offset(&s, 4, 0);
    break;
  case FAULT_DRIFT:
    watch(&s, kind, -1, 4, 0); // every measurement
    show_offset(&s, 0, 4);
    ck_assert_double_eq_tol(s.north[FAULTED_STEPS - 1], 1010 + 4 * (FAULTED_STEPS - 1 - BEGUN) * STEP_S,
                            1e-9);
    break;
  case FAULT_NOISE: // its variance grows as (4 t)^2: over an interval, 16 mean(t^2)
    watch(&s, kind, CELL, 4, 0);
    for (int from = BEGUN; from < FAULTED_STEPS; from += 500) {
      double a = (from - BEGUN) * STEP_S, b = a + 500 * STEP_S;
      ck_assert_double_eq_tol(faulted_mean_square(&s, from, from + 500) / (16 * (b * b + a * b + a * a) / 3),
                              1, 0.35);
    }
    break;
  case FAULT_OUTLIERS:
    watch(&s, kind, CELL, 40, 0.1);
    show_outliers(&s, 40, 0.1);
    watch(&s, kind, RECEIVER, 40, 1); // both horizontal channels, nothing else
    show_offset(&s, 0, 0);
    ck_assert(fabs(s.north[1000] - 1010) == 40 && fabs(s.east[1000]) == 40);
    break;
  case FAULT_SLOW:
    watch(&s, kind, CELL, 0.5, 0);
    // one every 50 steps after the last measurement before the fault
    for (int k = BEGUN; k < FAULTED_STEPS; k++) {
      int sent = (k - (BEGUN - 1)) / 50;
      ck_assert(s.value[k] == BEGUN - 1 + 50 * sent && s.sequence[k] == (uint64_t)(BEGUN + sent));
    }
    break;
  case FAULT_DELAY:
    watch(&s, kind, CELL, 4, 0);
    for (int k = BEGUN; k < FAULTED_STEPS; k++) {
      int expected = k < BEGUN + 400 ? BEGUN - 1 : k - 400;
      ck_assert(s.value[k] == expected && s.time_s[k] == expected * STEP_S &&
                s.sequence[k] == (uint64_t)expected + 1);
    }
    break;
  case FAULT_INTERMITTENT:
    watch(&s, kind, CELL, 0.3, 0);
    ck_assert_double_eq_tol((double)(s.sequence[FAULTED_STEPS - 1] - s.sequence[BEGUN - 1]), 0.7 * 1500,
                            4 * sqrt(0.21 * 1500));
    for (int k = BEGUN; k < FAULTED_STEPS; k++)
      ck_assert(s.value[k] == k ? s.sequence[k] == s.sequence[k - 1] + 1
                                : s.value[k] == s.value[k - 1] && s.sequence[k] == s.sequence[k - 1]);
    break;
  case FAULT_INVALID:
    watch(&s, kind, CELL, 0, 0);
    for (int k = BEGUN; k < FAULTED_STEPS; k++)
      ck_assert(!s.valid[k] && s.value[k] == k && s.sequence[k] == (uint64_t)k + 1);
    break;
  case FAULT_FLAG_FORCED_VALID: { // on data that the instrument itself flags invalid
    struct bench *b = exact_bench();
    *error_of(&b->def.instrument[CELL], "tension_n") = (struct instrument_error){.channels = 1, .range = 100};
    b->def.instrument[CELL].error_count = 1;
    for (int k = 0; k < 200; k++)
      exact_step(b);
    ck_assert(!b->readings.instrument[CELL].valid && b->readings.instrument[CELL].value[0] == 100);
    bench_fault(b, kind, CELL, 0, 0);
    exact_step(b);
    ck_assert(b->readings.instrument[CELL].valid && b->readings.instrument[CELL].value[0] == 100);
    bench_fault(b, FAULT_INVALID, CELL, 0, 0);
    exact_step(b);
    ck_assert(!b->readings.instrument[CELL].valid);
    bench_free(b);
    break;
  }
  case FAULT_CONSTANT:
    watch(&s, kind, CELL, 1234, 0);
    for (int k = BEGUN; k < FAULTED_STEPS; k++)
      ck_assert(s.value[k] == 1234 && s.valid[k] && s.sequence[k] == (uint64_t)k + 1);
    break;
  case FAULT_LEVER_ARM:
    watch(&s, kind, RECEIVER, 3, -5);
    ck_assert(s.north[FAULTED_STEPS - 1] == 1013 && s.east[FAULTED_STEPS - 1] == -5);
    break;
  case FAULT_DUPLICATE_OF:
    watch(&s, kind, CELL, OTHER_CELL, 0);
    for (int k = BEGUN; k < FAULTED_STEPS;
         k++) // measured in the same step, although the other instrument is later in the list
      ck_assert(s.value[k] == 2.0 * k && s.valid[k] && s.sequence[k] == (uint64_t)k + 1);
    watch(&s, kind, CELL, RECEIVER, 0); // of another kind: no effect
    show_offset(&s, 0, 0);
    break;
  default:
    ck_abort_msg("%s has no test", fault_name(kind));
  }
}
END_TEST

// The noise continues during faults: afterwards the readings equal those of a run without faults.
START_TEST(faults_leave_the_noise_alone) {
  struct bench *a = noisy_bench(1), *b = noisy_bench(1);
  for (int k = 0; k < 1000; k++, bench_step(a), bench_step(b)) {
    if (k == 200)
      for (int f = 0; f < FAULT_COUNT; f++)
        if (fault_target_of((enum fault_kind)f) == TARGET_INSTRUMENT)
          bench_fault(b, (enum fault_kind)f, f % 3 ? -1 : f % b->def.count, 0.5, 0);
    if (k == 400)
      b->faults.count = 0;
  }
  for (int k = 0; k < 100; k++, bench_step(a), bench_step(b))
    for (int i = 0; i < a->def.count; i++) {
      struct reading *x = &a->readings.instrument[i], *y = &b->readings.instrument[i];
      ck_assert_uint_lt(y->sequence, x->sequence);
      y->sequence = x->sequence;
      ck_assert_mem_eq(x, y, sizeof *x);
      y->sequence = b->suite.state[i].latest.sequence;
    }
  bench_free(a), bench_free(b);
}
END_TEST

START_TEST(delays_end_at_once) {
  struct bench *b = exact_bench();
  for (int k = 0; k < 100; k++)
    exact_step(b);
  bench_fault(b, FAULT_DELAY, CELL, LONGEST_DELAY_S, 0);
  double last = 0;
  for (int k = 0; k < 1500; k++, exact_step(b)) {
    ck_assert_double_ge(b->readings.instrument[CELL].value[0], last);
    last = b->readings.instrument[CELL].value[0];
  }
  b->faults.count = 0;
  for (int k = 0; k < 1500; k++) {
    exact_step(b);
    ck_assert_double_eq(b->readings.instrument[CELL].value[0], (double)b->truth.step);
  }
  bench_free(b);
}
END_TEST

static enum status asked(const char *kind, const char *target, const char *first, const char *of,
                         double value, double channel) {
  struct hil_names names = {.instrument_count = 3,
                            .instrument = {"cell", "other", "receiver"},
                            .instrument_kind = {INSTRUMENT_LOAD_CELL, INSTRUMENT_LOAD_CELL, INSTRUMENT_GNSS}};
  struct fault_request q = {.parameter_count = channel >= 0 ? 2 : *first ? 1 : 0};
  struct fault f;
  struct reason why = {""};
  int where;
  snprintf(q.kind, sizeof q.kind, "%s", kind);
  snprintf(q.target, sizeof q.target, "%s", target);
  snprintf(q.parameter[0].name, sizeof q.parameter[0].name, "%s", first);
  snprintf(q.parameter[0].text, sizeof q.parameter[0].text, "%s", of);
  q.parameter[0].is_text = *of != 0;
  q.parameter[0].number = value;
  snprintf(q.parameter[1].name, sizeof q.parameter[1].name, "channel");
  q.parameter[1].number = channel;
  enum status status = fault_from_request(&names, &q, &f, &where, &why);
  ck_assert((status == STATUS_OK) == !*why.text);
  return status;
}

// Checks beyond the ranges of the parameters: what depends on the kind of the instrument.
START_TEST(faults_are_checked) {
  ck_assert_int_eq(asked("bias", "receiver", "bias", "", -3, 5), STATUS_OK);
  ck_assert_int_eq(asked("bias", "cell", "bias", "", -3, 0), STATUS_OK);
  ck_assert_int_eq(asked("bias", "all", "bias", "", -3, -1), STATUS_OK);
  ck_assert_int_ne(asked("bias", "cell", "bias", "", -3, 1), STATUS_OK);
  ck_assert_int_ne(asked("bias", "all", "bias", "", -3, 1), STATUS_OK);
  ck_assert_int_eq(asked("delay", "cell", "delay_s", "", LONGEST_DELAY_S, -1), STATUS_OK);
  ck_assert_int_ne(asked("delay", "cell", "delay_s", "", LONGEST_DELAY_S + 1, -1), STATUS_OK);
  ck_assert_int_eq(asked("duplicate_of", "cell", "of_instrument", "other", 0, -1), STATUS_OK);
  ck_assert_int_ne(asked("duplicate_of", "cell", "of_instrument", "receiver", 0, -1), STATUS_OK);
  ck_assert_int_ne(asked("duplicate_of", "all", "of_instrument", "other", 0, -1), STATUS_OK);
}
END_TEST
