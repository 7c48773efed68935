// Base functions: rounding of seconds to steps, the FNV hash against its published vectors, negative zeros,
// texts from outside, names.
#include "sagbend/base/base.h"
#include "suite.h"

#include <math.h>
#include <string.h>

START_TEST(each_rounding_to_steps_has_its_own_ties) {
  ck_assert_uint_eq(steps_in_period(0.1, 0.02), 5);
  ck_assert_uint_eq(steps_in_period(1.25, 0.5), 2); // 2.5: to the even step
  ck_assert_uint_eq(steps_in_period(1.75, 0.5), 4); // 3.5
  ck_assert_uint_eq(steps_in_period(0.001, 0.1), 1);
  ck_assert_uint_eq(steps_in_period(0, 0.1), 1);
  ck_assert_uint_eq(steps_in_period_or_off(0, 0.1), 0);
  ck_assert_uint_eq(steps_in_period_or_off(-1, 0.1), 0);
  ck_assert_uint_eq(steps_in_period_or_off(0.001, 0.1), 1);
  ck_assert_uint_eq(steps_nearest_to(1.25, 0.5), 3); // 2.5: to the later step
  ck_assert_uint_eq(steps_nearest_to(0.04, 0.1), 0);
  ck_assert_uint_eq(steps_up(0.2, 0.1), 2);
  ck_assert_uint_eq(steps_up(0.20009, 0.1), 2); // below the tolerance
  ck_assert_uint_eq(steps_up(0.2002, 0.1), 3);
  ck_assert_uint_eq(steps_up(0, 0.1), 0);
  ck_assert_uint_eq(steps_down(0.29, 0.1), 2);
  ck_assert_uint_eq(steps_in_period(1e30, 0.1), STEPS_MOST);
  ck_assert_uint_eq(steps_nearest_to(1e30, 0.1), STEPS_MOST);
  ck_assert_uint_eq(steps_up(1e30, 0.1), STEPS_MOST);
  ck_assert_uint_eq(steps_down(1e30, 0.1), STEPS_MOST);
  ck_assert(steps_is_whole(0.3, 0.1));
  ck_assert(steps_is_whole(0.30009, 0.1));
  ck_assert(!steps_is_whole(0.3002, 0.1));
}
END_TEST

START_TEST(fnv_has_its_published_values) { // RFC 9923, test vectors of FNV-1a with 64 bits
  ck_assert(fnv1a(FNV1A_START, "", 0) == UINT64_C(0xcbf29ce484222325));
  ck_assert(fnv1a(FNV1A_START, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
  ck_assert(fnv1a(FNV1A_START, "foobar", 6) == UINT64_C(0x85944171f73967e8));
  ck_assert(fnv1a(fnv1a(FNV1A_START, "foo", 3), "bar", 3) == UINT64_C(0x85944171f73967e8));
}
END_TEST

START_TEST(only_negative_zeros_change) {
  double values[5] = {-0.0, 0.0, -1.5, (double)INFINITY, (double)NAN}, before[5];
  memcpy(before, values, sizeof values);
  unsign_zeros(values, 5);
  ck_assert(!signbit(values[0]) && values[0] == 0);
  ck_assert_mem_eq(values + 1, before + 1, sizeof values - sizeof *values);
}
END_TEST

START_TEST(texts_from_outside_do_not_act) {
  static const char *const cases[][2] = {{"run.mcap", "run.mcap"},
                                         {"a\nb\tc\r", "a\\nb\\tc\\r"},
                                         {"\x1b[2J\x7f\x01", "\\x1b[2J\\x7f\\x01"},
                                         {"Tromsø 海 🚢", "Tromsø 海 🚢"},
                                         {"\u202e\u2028\u200b", "\\u{202e}\\u{2028}\\u{200b}"},
                                         {"\xc2\x9b", "\\u{9b}"},
                                         {"\xff\xc3", "\\xff\\xc3"},
                                         {"\xc0\xaf\xed\xa0\x80", "\\xc0\\xaf\\xed\\xa0\\x80"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const struct shown_text once = shown(cases[i][0]), twice = shown(once.text);
    ck_assert_str_eq(once.text, cases[i][1]);
    ck_assert_str_eq(twice.text, once.text); // what is shown stays
  }
  for (size_t size = 1; size < 12; size++) { // cut between characters only, within size
    char out[12] = "xxxxxxxxxxx", whole[] = "ø\n海a";
    text_show(whole, out, size);
    ck_assert(strlen(out) < size && strncmp(out, "ø\\n海a", strlen(out)) == 0);
    ck_assert(strlen(out) != 1 && strlen(out) != 3 && strlen(out) != 5 && strlen(out) != 6);
  }
  struct reason why;
  (fail)(&why, STATUS_IO, "%s: cannot be read", "x\nresult equal"); // Check has a macro of this name
  ck_assert_str_eq(why.text, "x\\nresult equal: cannot be read");
}
END_TEST

// Of XML 1.0, 2.2: a report of results is read by parsers that refuse the whole file for one other number.
static int is_character_of_xml(uint32_t c) {
  return (c >= 0x20 && c <= 0xd7ff) || (c >= 0xe000 && c <= 0xfffd) || (c >= 0x10000 && c <= 0x10ffff);
}

static void put_utf8(uint32_t c, char out[5]) {
  int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  static const unsigned head[] = {0, 0xc0, 0xe0, 0xf0};
  out[0] = (char)(head[more] | c >> (6 * more));
  for (int i = 1; i <= more; i++)
    out[i] = (char)(0x80 | (c >> (6 * (more - i)) & 0x3f));
  out[more + 1] = 0;
}

START_TEST(what_is_shown_is_a_character_of_xml_and_json) {
  for (uint32_t c = 1; c <= 0x110000; c++) {
    char text[5], piece[SHOWN_PIECE];
    const char *at = text;
    put_utf8(c, text);
    size_t length = text_show_next(&at, piece);
    int stays = length == strlen(text) && !strcmp(piece, text);
    if (stays ? !is_character_of_xml(c) : *piece != '\\')
      ck_abort_msg("U+%x", c);
    at = text;
    length = text_show_next_json(&at, piece);
    stays = length == strlen(text) && !strcmp(piece, text);
    if (!stays && (length != 6 || piece[1] != 'u'))
      ck_abort_msg("U+%x: %s", c, piece);
  }
}
END_TEST

START_TEST(names_that_look_alike_are_one) {
  ck_assert(peer_name_is_same("DP-1", "dp-1") && peer_name_is_same("", ""));
  ck_assert(!peer_name_is_same("dp", "dp-1") && !peer_name_is_same("dp-1", "dp") &&
            !peer_name_is_same("[", "{"));
  ck_assert(peer_name_is_valid("dp one") && peer_name_is_valid("~"));
  ck_assert(!peer_name_is_valid("") && !peer_name_is_valid(" dp") && !peer_name_is_valid("dp ") &&
            !peer_name_is_valid("d\np") && !peer_name_is_valid("d\xc3\xb8"));
}
END_TEST

int main(void) {
  Suite *suite = suite_create("base");
  TCase *t = add_case(suite, "base", 10);
  tcase_add_test(t, each_rounding_to_steps_has_its_own_ties);
  tcase_add_test(t, fnv_has_its_published_values);
  tcase_add_test(t, only_negative_zeros_change);
  tcase_add_test(t, texts_from_outside_do_not_act);
  tcase_add_test(t, what_is_shown_is_a_character_of_xml_and_json);
  tcase_add_test(t, names_that_look_alike_are_one);
  return run_suite(suite);
}
