// Memory of hydrodynamic data.
#pragma once

#include "sagbend/vessel/hydro_data.h"

// Takes memory, all zero. Release with hydro_table_free, also after a failure.
enum status hydro_table_create(struct hydro_table *table, int frequencies, int headings, int width);
void hydro_table_free(struct hydro_table *table);

// Releases all tables of data.
void hydro_data_free(struct hydro_data *data);
