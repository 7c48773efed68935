// The program's loop on live data.
#pragma once

#include "view/view_options.h"

// Serves until a signal stops the program.
enum status view_live(const struct view_options *options, struct reason *why);
