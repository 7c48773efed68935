// The keys that the configuration names for its sockets.
#pragma once

#include "sagbend/case/config.h"
#include "os/files/files.h"

// Reads the keys; *out is NULL if the configuration names none, which is valid on loopback and ipc only.
// STATUS_BAD_INPUT: other machines could connect without a key, or a file is not valid. Release with
// network_keys_free.
enum status network_keys_read(const char *name, const struct net_def *net, struct server_keys **out,
                              struct reason *why);
void network_keys_free(struct server_keys *keys); // accepts NULL; erases the secret
