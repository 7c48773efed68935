// The hydro file (docs/hydro.md): hydrodynamic data of a vessel as text, made by `sagbend hydro import` and
// named by vessel.hydro_file. First line "sagbend-hydro 3", then
// keys in any order, each once, with their numbers; a key of a matrix or table is followed by its rows; #
// begins a comment. The last line is the FNV-1a hash of all bytes before it. Versions 2
// (without the error of the fit, which follows from its A and B) and 1 (without these too) are read as well.
#pragma once

#include "sagbend/vessel/hydro_data.h"

#include <stddef.h>
#include <stdio.h>

// comments: lines, each with a newline; written after "# ".
void hydro_file_write(FILE *out, const struct hydro_data *data, const char *comments);

// Reads the text of a file; name: for messages. STATUS_BAD_INPUT: why says file, line and what was expected.
// Release out with hydro_data_free in every case.
enum status hydro_file_parse(const char *name, const char *text, size_t size, struct hydro_data *out,
                             struct reason *why);
