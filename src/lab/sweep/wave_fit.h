// Amplitude and phase of the motions in a record.
#pragma once

#include "sagbend/base/status.h"

// Fits a harmonic of frequency omega, a constant, a slope and a curvature by least squares to the rows of the
// record from from_s to to_s. motion: per metre of wave amplitude in the phasors of hydro_data.h, with the
// phase of the wave at the reference point as zero. STATUS_IO: the record cannot be read or has too few rows.
enum status wave_fit(const char *record, double omega_radps, double from_s, double to_s, double motion[12],
                     struct reason *why);

// The index of a column in the header of a record; -1: there is none.
int record_column(const char *header, const char *name);
