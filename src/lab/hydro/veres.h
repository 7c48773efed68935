// Reads the files of ShipX/VERES, versions 1 and 2: .re7 (mass, added mass, damping, restoring), .re8 (wave
// force), .re1 (motions), .re2 (mean drift), .hyd (data check). VERES's axes are x aft, y to starboard, z up
// about a point on the centre line and the waterline, its heading 0 a head sea and 90 towards starboard.
#pragma once

#include "sagbend/hydro/hydro_raw.h"
#include "sagbend/hydro/hydro_report.h"

// Each fills its part of raw. re7 comes first; the others compare what they repeat with it.
enum status veres_read_re7(const char *path, struct hydro_raw *raw, struct hydro_report *report,
                           struct reason *why);
enum status veres_read_re8(const char *path, struct hydro_raw *raw, struct hydro_report *report,
                           struct reason *why);
enum status veres_read_re1(const char *path, struct hydro_raw *raw, struct hydro_report *report,
                           struct reason *why);
enum status veres_read_re2(const char *path, struct hydro_raw *raw, struct hydro_report *report,
                           struct reason *why);
enum status veres_read_hyd(const char *path, struct hydro_raw *raw, struct hydro_report *report,
                           struct reason *why);
