// The byte ring: items of any size arrive complete and in order, also between threads; its limit is
// respected.
#include "os/process/process.h"

#include "suite.h"

#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY = 4096, ITEMS = 100000 };

static struct byte_ring ring;

static void make_ring(void) {
  byte_ring_init(&ring, aligned_alloc(BYTE_RING_LINE, CAPACITY), CAPACITY);
}

struct item {
  uint32_t number, size;
  unsigned char rest[];
};

static size_t size_of(uint32_t number) {
  return sizeof(struct item) + number * 2654435761u % 700;
}

static void fill(struct item *item, uint32_t number) {
  item->number = number;
  item->size = (uint32_t)size_of(number);
  memset(item->rest, (int)(number & 255), item->size - sizeof *item);
}

static void check_item(const struct item *item, uint32_t number) {
  int good = (uintptr_t)item % BYTE_RING_HEAD == 0 && item->number == number && item->size == size_of(number);
  for (size_t i = 0; good && i < item->size - sizeof *item; i++)
    good = item->rest[i] == (number & 255);
  if (!good)
    ck_abort_msg("item %u is not what was put in", number);
}

START_TEST(full_and_empty) {
  make_ring();
  ck_assert_ptr_null(byte_ring_front(&ring));
  ck_assert_ptr_null(byte_ring_claim(&ring, CAPACITY, SIZE_MAX)); // too long with its header
  uint32_t written = 0, read = 0;
  for (int round = 0; round < 500; round++) {
    struct item *item;
    while ((item = byte_ring_claim(&ring, size_of(written), SIZE_MAX))) {
      fill(item, written++);
      byte_ring_commit(&ring);
      if (byte_ring_fill(&ring) > CAPACITY)
        ck_abort_msg("filled beyond its end");
    }
    const struct item *front;
    while ((front = byte_ring_front(&ring))) {
      check_item(front, read++);
      byte_ring_release(&ring);
    }
    ck_assert_uint_eq(read, written);
    ck_assert_uint_eq(byte_ring_fill(&ring), 0);
  }
  ck_assert_uint_gt(written, 1000);
}
END_TEST

START_TEST(room_left_for_others) {
  make_ring();
  int modest = 0, greedy = 0;
  for (; byte_ring_claim(&ring, 100, CAPACITY / 2); modest++)
    byte_ring_commit(&ring);
  ck_assert_uint_le(byte_ring_fill(&ring), CAPACITY / 2);
  for (; byte_ring_claim(&ring, 100, SIZE_MAX); greedy++)
    byte_ring_commit(&ring);
  ck_assert_int_gt(modest, 10);
  ck_assert_int_ge(greedy, modest);
}
END_TEST

static void produce(void *context) {
  (void)context;
  for (uint32_t i = 0; i < ITEMS;) {
    struct item *item = byte_ring_claim(&ring, size_of(i), SIZE_MAX);
    if (!item)
      continue;
    fill(item, i++);
    byte_ring_commit(&ring);
  }
}

START_TEST(between_threads) {
  struct os_thread thread;
  struct reason why = {""};
  make_ring();
  ck_assert_int_eq(os_thread_start(&thread, 256 * 1024, produce, NULL, &why), STATUS_OK);
  for (uint32_t i = 0; i < ITEMS;) {
    const struct item *item = byte_ring_front(&ring);
    if (!item)
      continue;
    check_item(item, i++);
    byte_ring_release(&ring);
  }
  os_thread_join(&thread);
  ck_assert_ptr_null(byte_ring_front(&ring));
}
END_TEST

int main(void) {
  Suite *suite = suite_create("rt_byte_ring");
  TCase *all = add_case(suite, "all", 60);
  tcase_add_test(all, full_and_empty);
  tcase_add_test(all, room_left_for_others);
  tcase_add_test(all, between_threads);
  return run_suite(suite);
}
