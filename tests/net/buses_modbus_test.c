// Answers of Modbus TCP: the examples of the Modbus Application Protocol V1.1b3, section 6 and 7, byte by
// byte; the largest answers. tests/program/modbus_test.py uses foreign masters.
#include "net/buses/buses_internal.h"

#include "suite.h"

#include <string.h>

struct example {
  const char *name;
  int request_size;
  uint8_t request[24]; // function and fields
  uint16_t values[20]; // what it reads
  int answer_size;
  uint8_t answer[24];
};

static const struct example EXAMPLES[] = {
    {"coils 20 to 38",
     5,
     {1, 0, 0x13, 0, 0x13},
     {1, 0, 1, 1, 0, 0, 1, 1, 1, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1},
     5,
     {1, 3, 0xcd, 0x6b, 5}},
    {"discrete inputs", 5, {2, 0, 0xc4, 0, 8}, {0, 0, 1, 1, 0, 1, 0, 1}, 3, {2, 1, 0xac}},
    {"holding registers 108 to 110",
     5,
     {3, 0, 0x6b, 0, 3},
     {0x22b, 0, 0x64},
     8,
     {3, 6, 2, 0x2b, 0, 0, 0, 0x64}},
    {"input register 9", 5, {4, 0, 8, 0, 1}, {10}, 4, {4, 2, 0, 10}},
    {"one coil", 5, {5, 0, 0xac, 0xff, 0}, {0}, 5, {5, 0, 0xac, 0xff, 0}},
    {"one register", 5, {6, 0, 1, 0, 3}, {0}, 5, {6, 0, 1, 0, 3}},
    {"coils", 8, {15, 0, 0x13, 0, 10, 2, 0xcd, 1}, {0}, 5, {15, 0, 0x13, 0, 10}},
    {"registers", 10, {16, 0, 1, 0, 2, 4, 0, 10, 1, 2}, {0}, 5, {16, 0, 1, 0, 2}},
    {"write and read",
     16,
     {23, 0, 3, 0, 6, 0, 14, 0, 3, 6, 0, 255, 0, 255, 0, 255},
     {0xfe, 0xacd, 1, 3, 13, 255},
     14,
     {23, 12, 0, 0xfe, 0x0a, 0xcd, 0, 1, 0, 3, 0, 13, 0, 255}},
};

static int frame(const uint8_t *pdu, int size, uint8_t *out) {
  const uint8_t header[] = {0x15, 0x01, 0, 0, (uint8_t)((size + 1) >> 8), (uint8_t)(size + 1), 0xff};
  memcpy(out, header, sizeof header);
  memcpy(out + sizeof header, pdu, (size_t)size);
  return (int)sizeof header + size;
}

START_TEST(examples_of_the_standard) {
  const struct example *e = &EXAMPLES[_i];
  uint8_t request[MODBUS_FRAME], expected[MODBUS_FRAME], answer[MODBUS_FRAME];
  struct modbus_request read;
  int size = frame(e->request, e->request_size, request);
  ck_assert_int_eq(modbus_frame_size(request, (size_t)size), size);
  ck_assert_msg(modbus_request_read(request, size, &read) == EXCEPTION_NONE, "%s", e->name);
  int length = frame(e->answer, e->answer_size, expected);
  ck_assert_int_eq(modbus_response_write(request, &read, e->values, answer), length);
  ck_assert_msg(memcmp(answer, expected, (size_t)length) == 0, "%s", e->name);
}
END_TEST

START_TEST(exceptions) {
  const uint8_t pdu[] = {1, 4, 0xa1, 0, 1}, refused[] = {0x81, 2};
  uint8_t request[MODBUS_FRAME], expected[MODBUS_FRAME], answer[MODBUS_FRAME];
  frame(pdu, sizeof pdu, request);
  int length = frame(refused, sizeof refused, expected);
  ck_assert_int_eq(modbus_exception_write(request, EXCEPTION_ADDRESS, answer), length);
  ck_assert_int_eq(memcmp(answer, expected, (size_t)length), 0);
}
END_TEST

// The largest reads fill a frame to its last but one byte; one value more is refused.
START_TEST(largest_answers) {
  static const struct {
    uint8_t function;
    int count;
  } rows[] = {{1, 2000}, {2, 2000}, {3, 125}, {4, 125}};
  uint8_t request[MODBUS_FRAME], answer[MODBUS_FRAME];
  uint16_t values[MODBUS_READS];
  struct modbus_request read;
  memset(values, 0xff, sizeof values);
  for (int count = rows[_i].count, more = 0; more < 2; more++, count++) {
    const uint8_t pdu[] = {rows[_i].function, 0, 0, (uint8_t)(count >> 8), (uint8_t)count};
    int size = frame(pdu, sizeof pdu, request);
    ck_assert_int_eq(modbus_request_read(request, size, &read), more ? EXCEPTION_VALUE : EXCEPTION_NONE);
  }
  read.read_count = rows[_i].count;
  ck_assert_int_eq(modbus_response_write(request, &read, values, answer), MODBUS_FRAME - 1);
  ck_assert_int_eq(modbus_frame_size(answer, sizeof answer), MODBUS_FRAME - 1);
  ck_assert_int_eq(answer[8], 250);
  for (int i = 9; i < MODBUS_FRAME - 1; i++)
    ck_assert_int_eq(answer[i], 0xff);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("io_modbus");
  TCase *t = add_case(suite, "answers", 10);
  tcase_add_loop_test(t, examples_of_the_standard, 0, (int)(sizeof EXAMPLES / sizeof *EXAMPLES));
  tcase_add_test(t, exceptions);
  tcase_add_loop_test(t, largest_answers, 0, 4);
  return run_suite(suite);
}
