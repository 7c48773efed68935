// Parts of sagbend log. They print on stdout. STATUS_BAD_INPUT: wrong usage; STATUS_IO: the log cannot be
// read, is damaged or is not signed as asked for.
#pragma once

#include "io/log/log_messages.h"

// Prints what a log contains. key_path: public key that must have signed it; NULL: any or none.
enum status log_info(const char *path, const char *key_path, struct reason *why);

// Prints the topics of a log.
enum status log_topics(const char *path, struct reason *why);

// Copies every intact message of a damaged log to out_path.
enum status log_recover(const char *path, const char *out_path, struct reason *why);

// Opens a log for one of these.
enum status log_open(const char *path, enum mcap_access access, struct mcap_reader **out, struct reason *why);
