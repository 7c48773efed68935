// The program's loop on a log.
#pragma once

#include "programs/view/view_program.h"

// Serves until a signal stops the program.
enum status view_log(const struct view_options *options, struct reason *why);
