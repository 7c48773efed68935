// Text inside XML and HTML.
#pragma once

#include <stdio.h>

void markup_put(FILE *out, const char *text);
