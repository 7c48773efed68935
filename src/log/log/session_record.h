// The session's record, and a copy of part of it as metadata of the file, which any MCAP reader shows.
#pragma once

#include "sagbend/case/config.h"
#include "log/mcap/bytes.h"
#include "log/mcap/mcap_writer.h"

#include "sagbend/v1/log.pb-c.h"

#define SESSION_METADATA   "sagbend"           // name of the metadata record
#define RECOVERED_METADATA "sagbend recovered" // name of the record that 'sagbend log recover' adds
#define DERIVED_METADATA   "sagbend derived"   // name of the record that 'sagbend log scene' adds

// Appends the content of the metadata record to out.
enum status session_metadata_content(const Sagbend__V1__SessionRecord *record, struct bytes *out);

Sagbend__V1__RunMode session_record_mode(enum run_mode mode);

// The route in a record; route.count 0: none. STATUS_BAD_INPUT: its waypoints make no route.
enum status session_record_route(const Sagbend__V1__SessionRecord *record, struct track_def *out);
