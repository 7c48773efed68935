// The program's loop on live data.
#pragma once

#include "programs/view/view_program.h"

// Serves until a signal stops the program.
enum status view_live(const struct view_options *options, struct reason *why);
