// --key FILE and --server-key KEY of a command that connects to a simulator.
#pragma once

#include "io/files/peer_key.h"

// Takes both options out of argv, wherever they stand, and reads the keys. *given: whether there are any.
// STATUS_BAD_INPUT: one of them or a value is missing, or a file is not valid. Erase out with
// peer_secret_forget(&out->own).
enum status key_options_take(int *argc, char **argv, struct client_keys *out, int *given, struct reason *why);
