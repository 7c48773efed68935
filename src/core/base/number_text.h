// A number for a message to people: with as few digits, from 6 on, as read back to the very same number. So a
// value and the limit that it passes by little never look alike.
#pragma once

struct number_text {
  char text[32];
};

struct number_text number_text(double x);
