// The program's loop on a log.
#pragma once

#include "view/view_options.h"

// Serves until a signal stops the program.
enum status view_log(const struct view_options *options, struct reason *why);
