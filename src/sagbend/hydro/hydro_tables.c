#include "sagbend/hydro/hydro_tables.h"

#include <stdlib.h>

enum status hydro_table_create(struct hydro_table *table, int frequencies, int headings, int width) {
  size_t rows = (size_t)frequencies, columns = (size_t)headings;
  *table = (struct hydro_table){.frequencies = frequencies,
                                .headings = headings,
                                .width = width,
                                .omega_radps = calloc(rows, sizeof(double)),
                                .heading_rad = calloc(columns, sizeof(double)),
                                .value = calloc(rows * columns * (size_t)width, sizeof(double))};
  return table->omega_radps && table->heading_rad && table->value ? STATUS_OK : STATUS_NO_MEMORY;
}

void hydro_table_free(struct hydro_table *table) {
  free(table->omega_radps);
  free(table->heading_rad);
  free(table->value);
  *table = (struct hydro_table){0};
}

void hydro_data_free(struct hydro_data *data) {
  hydro_table_free(&data->force);
  hydro_table_free(&data->drift);
  hydro_table_free(&data->motion);
  hydro_table_free(&data->radiation);
}
