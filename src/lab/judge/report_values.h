// Values of quantities as people read them: with the prefix of their unit, and four digits.
#pragma once

struct value_text {
  char text[48]; // "260 kN m"; "none" for a value that is not finite
};
struct value_text value_text(int quantity, double value);
// The same with so many more decimals.
struct value_text value_text_finer(int quantity, double value,
                                   int decimals); // quantity: enum quantity, in its shown unit
