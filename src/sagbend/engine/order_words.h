// Orders in the words of `sagbend ctl`: "fault off --target gnss_1 --for 20".
#pragma once

#include "sagbend/rig/rig.h"

// Reads an order; argv[0] is its word. STATUS_BAD_INPUT: what was expected.
enum status order_read_words(struct order *order, int argc, char **argv, struct reason *why);

enum status order_words_error(struct reason *why, const char *what, const char *found);
