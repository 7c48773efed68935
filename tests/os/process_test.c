#define _GNU_SOURCE // SCHED_RESET_ON_FORK
// src/rt: ring and slot between two threads, histogram against sorted samples, pacer against a fake clock,
// clock and sleep.
#include "os/process/process.h"

#include "suite.h"
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct item {
  uint64_t number;
  uint64_t words[9]; // 80 bytes: not a multiple of the stride
};

static void make_ring(struct ring *r, size_t capacity) {
  size_t bytes = ring_memsize(capacity, sizeof(struct item));
  void *mem = aligned_alloc(RING_LINE, bytes);
  ck_assert_ptr_nonnull(mem);
  ring_init(r, mem, capacity, sizeof(struct item));
}

START_TEST(ring_keeps_order_and_counts_what_it_drops) {
  struct ring r;
  make_ring(&r, 4);
  ck_assert_ptr_null(ring_front(&r));
  for (uint64_t round = 0; round < 3; round++) {
    for (uint64_t i = 0; i < 4; i++) {
      struct item *item = ring_claim(&r);
      ck_assert_ptr_nonnull(item);
      item->number = 10 * round + i;
      ring_commit(&r);
    }
    ck_assert_ptr_null(ring_claim(&r));
    ck_assert_uint_eq(ring_dropped(&r), round + 1);
    for (uint64_t i = 0; i < 4; i++) {
      const struct item *item = ring_front(&r);
      ck_assert_ptr_nonnull(item);
      ck_assert_uint_eq(item->number, 10 * round + i);
      ring_release(&r);
    }
    ck_assert_ptr_null(ring_front(&r));
  }
  free(r.items);
}
END_TEST

static void put(struct slot *slot, uint64_t number) {
  struct item *item = slot_claim(slot);
  item->number = number;
  for (int k = 0; k < 9; k++)
    item->words[k] = number * (uint64_t)(k + 3);
  slot_commit(slot);
}

static void make_slot(struct slot *s) {
  void *mem = aligned_alloc(RING_LINE, slot_memsize(sizeof(struct item)));
  ck_assert_ptr_nonnull(mem);
  slot_init(s, mem, sizeof(struct item));
}

START_TEST(slot_keeps_the_newest_and_counts_what_it_replaces) {
  struct slot s;
  make_slot(&s);
  ck_assert_ptr_null(slot_take(&s));
  for (uint64_t round = 1; round < 6; round++) {
    for (uint64_t i = 0; i < 4; i++)
      put(&s, 10 * round + i);
    const struct item *item = slot_take(&s);
    ck_assert(item && item->number == 10 * round + 3);
    put(&s, 10 * round + 5); // leaves the item that was taken alone
    ck_assert_uint_eq(item->number, 10 * round + 3);
    item = slot_take(&s);
    ck_assert(item && item->number == 10 * round + 5);
    ck_assert_ptr_null(slot_take(&s));
    ck_assert_uint_eq(slot_replaced(&s), 3 * round);
  }
  free(s.items);
}
END_TEST

static void put_many(void *slot) {
  for (uint64_t number = 1; number <= 100000; number++)
    put(slot, number);
}

START_TEST(slot_hands_whole_items_to_another_thread) {
  struct slot s;
  make_slot(&s);
  struct os_thread thread;
  struct reason why;
  ck_assert_int_eq(os_thread_start(&thread, 256 * 1024, put_many, &s, &why), STATUS_OK);
  uint64_t newest = 0, taken = 0;
  while (newest < 100000) {
    const struct item *item = slot_take(&s);
    if (!item) {
      sched_yield();
      continue;
    }
    ck_assert_uint_gt(item->number, newest);
    newest = item->number;
    for (int k = 0; k < 9; k++)
      if (item->words[k] != newest * (uint64_t)(k + 3))
        ck_abort_msg("item %lu arrived torn", (unsigned long)newest);
    taken++;
  }
  os_thread_join(&thread);
  ck_assert_uint_eq(taken + slot_replaced(&s), 100000);
  free(s.items);
}
END_TEST

static int is_ringing(const struct wake *wake) {
  struct pollfd file = {.fd = wake->file, .events = POLLIN};
  return poll(&file, 1, 0) == 1;
}

START_TEST(wake_stays_readable_until_it_is_silenced) {
  struct wake wake;
  ck_assert_int_eq(wake_open(&wake, NULL), STATUS_OK);
  ck_assert(!is_ringing(&wake));
  wake_silence(&wake); // with nothing to silence it does not wait
  for (int i = 0; i < 3; i++)
    wake_ring(&wake);
  ck_assert(is_ringing(&wake));
  wake_silence(&wake);
  ck_assert(!is_ringing(&wake));

  const uint64_t to_the_end = UINT64_MAX - 1;
  ck_assert_int_eq(write(wake.file, &to_the_end, sizeof to_the_end), sizeof to_the_end);
  wake_ring(&wake); // the counter is full: the ring neither waits nor is it lost
  ck_assert(is_ringing(&wake));
  wake_close(&wake);
}
END_TEST

static void ring_once(void *wake) {
  wake_ring(wake);
}

START_TEST(wake_ends_the_wait_of_another_thread) {
  struct wake wake;
  struct os_thread thread;
  ck_assert_int_eq(wake_open(&wake, NULL), STATUS_OK);
  ck_assert_int_eq(os_thread_start(&thread, 256 * 1024, ring_once, &wake, NULL), STATUS_OK);
  struct pollfd file = {.fd = wake.file, .events = POLLIN};
  ck_assert_int_eq(poll(&file, 1, -1), 1);
  os_thread_join(&thread);
  wake_close(&wake);
}
END_TEST

enum { SENT = 200000 };

static void produce(void *context) {
  struct ring *r = context;
  for (uint64_t number = 1; number <= SENT;) {
    struct item *item = ring_claim(r);
    if (!item) {
      sched_yield();
      continue;
    }
    item->number = number;
    for (int k = 0; k < 9; k++)
      item->words[k] = number * (uint64_t)(k + 3);
    ring_commit(r);
    number++;
  }
}

START_TEST(ring_hands_whole_items_to_another_thread) {
  struct ring r;
  make_ring(&r, 64);
  struct os_thread thread;
  struct reason why;
  ck_assert_int_eq(os_thread_start(&thread, 256 * 1024, produce, &r, &why), STATUS_OK);
  for (uint64_t expected = 1; expected <= SENT;) {
    const struct item *item = ring_front(&r);
    if (!item) {
      sched_yield();
      continue;
    }
    ck_assert_uint_eq(item->number, expected);
    for (int k = 0; k < 9; k++)
      if (item->words[k] != expected * (uint64_t)(k + 3))
        ck_abort_msg("item %lu arrived torn", (unsigned long)expected);
    ring_release(&r);
    expected++;
  }
  os_thread_join(&thread);
  ck_assert_ptr_null(ring_front(&r));
  free(r.items);
}
END_TEST

static int ascending(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

START_TEST(histogram_percentiles_are_within_a_percent_of_the_sorted_samples) {
  enum { N = 20000 };
  static const double fraction[] = {0.0, 0.25, 0.5, 0.99, 0.999, 1.0};
  struct histogram *h = malloc(sizeof *h);
  uint64_t *sample = malloc(N * sizeof *sample), ns[6], random = 12345;
  histogram_clear(h);
  for (int i = 0; i < N; i++) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    sample[i] = (random >> 40) >> (random >> 33) % 24; // 0 to 2^24 ns, evenly over the magnitudes
    histogram_add(h, sample[i]);
  }
  qsort(sample, N, sizeof *sample, ascending);
  histogram_percentiles(h, 6, fraction, ns);
  for (int i = 0; i < 6; i++) {
    int rank = (int)(fraction[i] * N + 0.9999999);
    uint64_t exact = sample[rank > 0 ? rank - 1 : 0];
    ck_assert_uint_ge(ns[i], exact);
    ck_assert_double_le((double)ns[i], (double)exact * 1.008);
  }
  ck_assert_uint_eq(ns[5], sample[N - 1]);
  free(sample);
  free(h);
}
END_TEST

static void add_up(void *context, struct histogram_bucket bucket) {
  struct histogram_bucket *sum = context;
  ck_assert_uint_gt(bucket.upper_ns, sum->upper_ns);
  sum->upper_ns = bucket.upper_ns;
  sum->count += bucket.count;
}

START_TEST(histogram_visits_each_bucket_in_order) {
  static const uint64_t ns[] = {1, 5, 5, 130, 70000, 70001, UINT64_MAX};
  static struct histogram h;
  struct histogram_bucket sum = {0};
  histogram_clear(&h);
  for (size_t i = 0; i < sizeof ns / sizeof *ns; i++)
    histogram_add(&h, ns[i]);
  histogram_visit(&h, add_up, &sum);
  ck_assert_uint_eq(sum.count, h.count);
  ck_assert_uint_eq(sum.upper_ns, UINT64_MAX);
}
END_TEST

START_TEST(histogram_takes_no_samples_and_samples_beyond_its_top) {
  static const double fraction[] = {0.5, 1.0};
  struct histogram *h = malloc(sizeof *h);
  uint64_t ns[2] = {7, 7};
  histogram_clear(h);
  histogram_percentiles(h, 2, fraction, ns);
  ck_assert_uint_eq(ns[0], 0);
  ck_assert_uint_eq(ns[1], 0);
  histogram_add(h, 5);
  histogram_add(h, UINT64_MAX);
  histogram_percentiles(h, 2, fraction, ns);
  ck_assert_uint_eq(ns[0], 5);
  ck_assert_uint_eq(ns[1], UINT64_MAX);
  free(h);
}
END_TEST

// start 1000 ns, period 100 ns: step k is due at 1000 + 100 k
START_TEST(pacer_on_time_counts_nothing) {
  struct pacer p;
  pacer_init(&p, 1000, 100);
  for (uint64_t k = 0; k < 50; k++) {
    ck_assert_uint_eq(pacer_due_ns(&p), 1000 + 100 * k);
    ck_assert_uint_eq(pacer_begin(&p, 1000 + 100 * k + 7), 7);
    pacer_end(&p, 1000 + 100 * k + (k % 2 ? 60 : 100)); // a step that ends on the deadline is in time
  }
  ck_assert_uint_eq(p.misses, 0);
  ck_assert_uint_eq(p.skipped, 0);
  ck_assert(pacer_lag_s(&p) == 0);
}
END_TEST

START_TEST(pacer_long_step_is_one_miss_and_the_next_step_begins_at_once) {
  struct pacer p;
  pacer_init(&p, 1000, 100);
  pacer_begin(&p, 1000);
  pacer_end(&p, 1130); // 30 ns into the next period: that period is not lost
  ck_assert_uint_eq(p.misses, 1);
  ck_assert_uint_eq(p.skipped, 0);
  ck_assert_uint_eq(pacer_due_ns(&p), 1100);
  ck_assert_uint_eq(pacer_begin(&p, 1131), 1); // not 31: the long step causes 30
  pacer_end(&p, 1190);
  ck_assert_uint_eq(p.misses, 1);
  ck_assert_uint_eq(pacer_due_ns(&p), 1200);
}
END_TEST

START_TEST(pacer_skips_whole_periods_and_never_bursts) {
  struct pacer p;
  pacer_init(&p, 1000, 100);
  pacer_begin(&p, 1000);
  pacer_end(&p, 1350); // the periods at 1100 and 1200 are lost
  ck_assert_uint_eq(p.misses, 1);
  ck_assert_uint_eq(p.skipped, 2);
  uint64_t now = 1350, last_begin = 0;
  for (int k = 0; k < 10; k++) {
    uint64_t due = pacer_due_ns(&p);
    now = due > now ? due : now;
    if (k > 1)
      ck_assert_uint_eq(now - last_begin, 100); // one step in each period; lost periods are not made up
    last_begin = now;
    pacer_begin(&p, now);
    now += 40;
    pacer_end(&p, now);
  }
  ck_assert_uint_eq(p.misses, 1);
  ck_assert_uint_eq(p.skipped, 2);
  ck_assert_double_eq_tol(pacer_lag_s(&p), 200e-9, 1e-18);
}
END_TEST

START_TEST(pacer_starts_again_without_a_burst) {
  struct pacer p;
  pacer_init(&p, 1000, 100);
  pacer_begin(&p, 1000);
  pacer_end(&p, 1250);             // the period at 1100 is lost
  pacer_restart(&p, 9000, 100);    // after a pause
  ck_assert_uint_eq(p.skipped, 1); // the pause is no lag
  ck_assert_uint_eq(pacer_due_ns(&p), 9000);
  ck_assert_uint_eq(pacer_begin(&p, 9005), 5);
  pacer_end(&p, 9050);
  pacer_restart(&p, pacer_due_ns(&p), 25); // four times the rate: the step that is due keeps its time
  for (uint64_t k = 0; k < 4; k++) {
    ck_assert_uint_eq(pacer_due_ns(&p), 9100 + 25 * k);
    pacer_begin(&p, 9100 + 25 * k);
    pacer_end(&p, 9110 + 25 * k);
  }
  pacer_begin(&p, 9260); // due at 9200: 9200 and 9225 are lost, of 25 ns each
  ck_assert_uint_eq(p.skipped, 3);
  ck_assert_double_eq_tol(pacer_lag_s(&p), 150e-9, 1e-18);
}
END_TEST

START_TEST(pacer_late_waking_by_a_period_is_one_miss) {
  struct pacer p;
  pacer_init(&p, 1000, 100);
  ck_assert_uint_eq(pacer_begin(&p, 1099), 99); // late, within its period
  pacer_end(&p, 1100);
  ck_assert_uint_eq(p.misses, 0);
  ck_assert_uint_eq(pacer_begin(&p, 1420), 320); // due at 1100: 1100, 1200 and 1300 are lost
  ck_assert_uint_eq(p.misses, 1);
  ck_assert_uint_eq(p.skipped, 3);
  pacer_end(&p, 1510); // also ends late: counted once for the same step
  ck_assert_uint_eq(p.misses, 1);
  ck_assert_uint_eq(p.skipped, 3);
  ck_assert_uint_eq(pacer_due_ns(&p), 1500);
}
END_TEST

START_TEST(pacer_periods_add_up) { // steps made + periods lost = periods elapsed, whatever the delays
  struct pacer p;
  pacer_init(&p, 1000, 100);
  uint64_t now = 1000, steps = 0, random = 99;
  while (now < 1000000) {
    uint64_t due = pacer_due_ns(&p);
    random = random * 6364136223846793005u + 1442695040888963407u;
    now = (due > now ? due : now) + (random >> 60) * 13;
    pacer_begin(&p, now);
    now += 10 + (random >> 50) % 331;
    pacer_end(&p, now);
    steps++;
  }
  ck_assert_uint_gt(p.skipped, 0);
  ck_assert_uint_gt(p.misses, 0);
  ck_assert_uint_le(p.misses, steps);
  ck_assert_uint_eq(steps + p.skipped, p.slot);
  ck_assert_uint_le(p.slot, (now - 1000) / 100 + 1);
  ck_assert_uint_ge(p.slot, (now - 1000) / 100);
}
END_TEST

// A sanitizer touches memory of its own, so only lower limits hold.
// The clock at a moment of the monotonic clock, as the look at it says.
static void follow_ahead(struct pacer *p, struct followed_clock *c, int64_t ahead_ns) {
  pacer_follow(p, c, &(struct clock_look){.ahead_ns = ahead_ns});
}

START_TEST(pacer_follows_a_clock_that_drifts) {
  struct pacer p;
  struct followed_clock c = {.ahead_ns = 5000};
  pacer_init(&p, clock_whole_step(1000, 5000, 100), 100);
  for (uint64_t k = 0; k < 1000; k++) {
    const int64_t ahead_ns = 5000 + 3 * (int64_t)k; // 3 % fast
    follow_ahead(&p, &c, ahead_ns);
    const uint64_t due = pacer_due_ns(&p);
    ck_assert_uint_eq(due + (uint64_t)ahead_ns, 6000 + 100 * k);
    pacer_begin(&p, due);
    pacer_end(&p, due + 10);
  }
  ck_assert_uint_eq(p.skipped + p.misses + c.jumps, 0);
}
END_TEST

START_TEST(pacer_takes_a_set_clock_at_once) {
  static const int64_t moved[] = {1030, -1030, 51, -51, 3153600000000, -6307200000099};
  struct pacer p;
  struct followed_clock c = {.ahead_ns = 0};
  int64_t ahead_ns = 0;
  uint64_t now = 100000000000000, lost = 0;
  pacer_init(&p, now, 100);
  for (size_t i = 0; i < sizeof moved / sizeof *moved; i++) {
    const uint64_t due = pacer_due_ns(&p), periods = (uint64_t)((moved[i] + 50) / 100);
    ahead_ns += moved[i];
    follow_ahead(&p, &c, ahead_ns);
    const int64_t shifted = (int64_t)(pacer_due_ns(&p) - due);
    ck_assert_int_le(shifted < 0 ? -shifted : shifted, 50);
    ck_assert_uint_eq((pacer_due_ns(&p) + (uint64_t)ahead_ns) % 100, 0); // whole multiples of the step
    lost += moved[i] > 0 ? periods : 0;
    ck_assert_uint_eq(p.skipped, lost);
    ck_assert_int_eq(c.newest_jump_ns, moved[i]);
    pacer_begin(&p, due + 10);
    pacer_end(&p, due + 40);
  }
  ck_assert_uint_eq(c.jumps, 6);
  ck_assert_uint_eq(c.periods, lost);
  ck_assert_uint_eq(p.misses, 0);
  const uint64_t due = pacer_due_ns(&p);
  follow_ahead(&p, &c, ahead_ns + 50); // half a step: no jump, but the phase
  ck_assert_uint_eq(pacer_due_ns(&p), due - 50);
  pacer_follow(&p, &c,
               &(struct clock_look){.ahead_ns = ahead_ns - 5000, .width_ns = 26}); // not to be believed
  ck_assert_uint_eq(pacer_due_ns(&p), due - 50);
  ck_assert_uint_eq(c.jumps, 6);
}
END_TEST

START_TEST(page_faults_are_counted_and_prevented) {
  enum { PAGES = 64, PAGE_BYTES = 4096 };
  struct usage_reader reader;
  struct usage before = usage_now(), read_before, after, read_after;
  ck_assert_int_eq(usage_open(&reader, os_thread_number(), NULL), STATUS_OK);
  ck_assert_int_eq(usage_read(&reader, &read_before), 1);
  ck_assert_uint_ge(read_before.minor_faults, before.minor_faults);

  volatile unsigned char *fresh = malloc((size_t)PAGES * 4 * PAGE_BYTES), *ready;
  for (size_t i = 0; i < PAGES; i++)
    fresh[i * 4 * PAGE_BYTES] = 1;
  after = usage_now();
  after = usage_since(&after, &before);
  ck_assert_int_eq(usage_read(&reader, &read_after), 1);
  read_after = usage_since(&read_after, &read_before);
  ck_assert_uint_gt(after.minor_faults + after.major_faults, 0);
  ck_assert_uint_gt(read_after.minor_faults + read_after.major_faults, 0);

  ready = malloc((size_t)PAGES * 4 * PAGE_BYTES);
  struct reason why = {""};
  if (memory_populate(&why) == STATUS_OK) {
    before = usage_now();
    for (size_t i = 0; i < PAGES; i++)
      ready[i * 4 * PAGE_BYTES] = 1;
    after = usage_now();
    ck_assert_uint_lt(usage_since(&after, &before).minor_faults, PAGES / 2);
  }
  usage_close(&reader);
  ck_assert_int_eq(usage_read(&reader, &after), 0);
  free((void *)fresh);
  free((void *)ready);
}
END_TEST

START_TEST(os_sleeps_until_the_moment) {
  uint64_t moment = os_now_ns() + 5000000;
  os_sleep_until_ns(moment);
  uint64_t now = os_now_ns();
  ck_assert_uint_ge(now, moment);
  os_sleep_until_ns(moment); // in the past: returns at once
  os_spin_until_ns(moment);
  ck_assert_uint_lt(os_now_ns() - now, 1000000000u);
  moment = os_now_ns() + 1000000;
  os_spin_until_ns(moment);
  ck_assert_uint_ge(os_now_ns(), moment);
}
END_TEST

START_TEST(os_says_why_not) {
  struct reason why = {""};
  ck_assert_int_ne(os_set_cpu(-3, &why), STATUS_OK);
  ck_assert_str_ne(why.text, "");
  ck_assert_int_ne(os_set_fifo_priority(1000, &why), STATUS_OK);
  ck_assert_ptr_nonnull(strstr(why.text, "1000"));
}
END_TEST

static void read_scheduling(void *policy) {
  *(int *)policy = sched_getscheduler(0);
}

// It would occupy a processor for itself. Threads that it starts have normal scheduling from the beginning.
START_TEST(a_serving_thread_that_never_waits_loses_its_priority) {
  struct reason why = {""};
  struct os_thread thread;
  int others = -1;
  if (serving_raise(1, &why) != STATUS_OK) {
    ck_assert_ptr_nonnull(strstr(why.text, "SCHED_FIFO priority 1"));
    return;
  }
  ck_assert_int_eq(sched_getscheduler(0) & ~SCHED_RESET_ON_FORK, SCHED_FIFO);
  ck_assert_int_eq(os_thread_start(&thread, 1 << 20, read_scheduling, &others, NULL), STATUS_OK);
  os_thread_join(&thread);
  ck_assert_int_eq(others & ~SCHED_RESET_ON_FORK, SCHED_OTHER);
  ck_assert_uint_eq(serving_losses(), 0);
  while (!serving_losses()) // the test's time-out ends it
    (void)os_now_ns();
  ck_assert_int_eq(sched_getscheduler(0) & ~SCHED_RESET_ON_FORK, SCHED_OTHER);
  ck_assert_uint_eq(serving_losses(), 1);

  ck_assert_int_eq(serving_raise(1, &why), STATUS_OK); // it may get it again, and give it back
  serving_lower();
  ck_assert_int_eq(sched_getscheduler(0) & ~SCHED_RESET_ON_FORK, SCHED_OTHER);
}
END_TEST

static double (*cosine)(double);
static void *(*nothing)(void);

// All functions or none: a program calls what it has found.
START_TEST(a_library_is_loaded_whole_or_its_package_named) {
  static const struct library_function some[] = {{"cos", &cosine}},
                                       more[] = {{"cos", &cosine}, {"of nobody", &nothing}};
  struct library absent = {"libsagbend-absent.so.1", "absent1", "A test", some, 1, 0},
                 other = {"libm.so.6", "libc6", "A test", more, 2, 0},
                 good = {"libm.so.6", "libc6", "A test", some, 1, 0};
  struct reason why = {""};
  ck_assert_int_eq(library_load(&absent, &why), STATUS_IO);
  ck_assert_str_eq(
      why.text,
      "A test needs libsagbend-absent.so.1 (Debian: apt-get install absent1): libsagbend-absent.so.1: "
      "cannot open shared object file: No such file or directory");
  ck_assert_int_eq(library_load(&other, &why), STATUS_IO);
  ck_assert_ptr_nonnull(strstr(why.text, "A test needs libm.so.6 (Debian: apt-get install libc6): "));
  ck_assert_ptr_nonnull(strstr(why.text, "undefined symbol: of nobody"));
  ck_assert_ptr_null(*(void **)&cosine);
  ck_assert_int_eq(absent.is_loaded + other.is_loaded, 0);
  for (int i = 0; i < 2; i++) {
    ck_assert_int_eq(library_load(&good, NULL), STATUS_OK);
    ck_assert(cosine(0) == 1);
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("rt");
  TCase *all = tcase_create("all");
  tcase_set_timeout(all, 60);
  tcase_add_test(all, ring_keeps_order_and_counts_what_it_drops);
  tcase_add_test(all, ring_hands_whole_items_to_another_thread);
  tcase_add_test(all, slot_keeps_the_newest_and_counts_what_it_replaces);
  tcase_add_test(all, slot_hands_whole_items_to_another_thread);
  tcase_add_test(all, wake_stays_readable_until_it_is_silenced);
  tcase_add_test(all, wake_ends_the_wait_of_another_thread);
  tcase_add_test(all, histogram_percentiles_are_within_a_percent_of_the_sorted_samples);
  tcase_add_test(all, histogram_visits_each_bucket_in_order);
  tcase_add_test(all, histogram_takes_no_samples_and_samples_beyond_its_top);
  tcase_add_test(all, pacer_on_time_counts_nothing);
  tcase_add_test(all, pacer_long_step_is_one_miss_and_the_next_step_begins_at_once);
  tcase_add_test(all, pacer_skips_whole_periods_and_never_bursts);
  tcase_add_test(all, pacer_late_waking_by_a_period_is_one_miss);
  tcase_add_test(all, pacer_starts_again_without_a_burst);
  tcase_add_test(all, pacer_periods_add_up);
  tcase_add_test(all, pacer_follows_a_clock_that_drifts);
  tcase_add_test(all, pacer_takes_a_set_clock_at_once);
  tcase_add_test(all, page_faults_are_counted_and_prevented);
  tcase_add_test(all, os_sleeps_until_the_moment);
  tcase_add_test(all, a_serving_thread_that_never_waits_loses_its_priority);
  tcase_add_test(all, os_says_why_not);
  tcase_add_test(all, a_library_is_loaded_whole_or_its_package_named);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
