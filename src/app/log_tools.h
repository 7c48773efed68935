// The parts of 'sagbend log'. Each returns the exit status, with a line on stderr unless it is EXIT_DONE.
#pragma once

#include "io/log/log_messages.h"

int log_info(const char *path,
             const char *key_path); // of a public key by which it must be signed; NULL: any or none
int log_topics(const char *path);
int log_recover(const char *path, const char *out_path);

// Opens for one of the above or says why not.
struct mcap_reader *log_open(const char *path, enum mcap_access access);
int log_complain(const struct reason *why); // EXIT_FAILED
