// The session's record as metadata of the file, for people: a copy of part of the record.
#pragma once

#include "io/config/config.h"
#include "io/mcap/bytes.h"
#include "io/mcap/mcap_writer.h"

#include "sagbend/v1/log.pb-c.h"

#define SESSION_METADATA   "sagbend"           // its name
#define RECOVERED_METADATA "sagbend recovered" // name of the mark that 'sagbend log recover' leaves

// The content of its metadata record, put into out.
enum status session_metadata_content(const Sagbend__V1__SessionRecord *record, struct bytes *out);

Sagbend__V1__RunMode session_log_mode(enum run_mode mode); // as records have it
