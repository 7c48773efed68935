// The session's record as metadata of the file, for people; shared with the recovery of logs.
#pragma once

#include "io/mcap_writer.h"

#include "sagbend/v1/log.pb-c.h"

enum status session_log_metadata(struct mcap_writer *file, const Sagbend__V1__SessionRecord *record,
                                 struct reason *why);
