// The object field_buses of a summary.
#include "io/wire/server.h"
#include "run/summary.h"

void summary_add_buses(cJSON *root, const struct run *r) {
  if (!r->modbus)
    return;
  const struct command_counts *counts = server_counts(r->server);
  const struct field_bus_counts *buses = &counts->buses;
  cJSON *o = cJSON_AddObjectToObject(root, "field_buses");
  cJSON_AddNumberToObject(o, "commands", (double)counts->from_buses);
  cJSON_AddNumberToObject(o, "modbus_requests", (double)buses->modbus_requests);
  cJSON_AddNumberToObject(o, "modbus_exceptions", (double)buses->modbus_exceptions);
  cJSON_AddNumberToObject(o, "modbus_cut_off", (double)buses->modbus_cut_off);
  cJSON_AddNumberToObject(o, "nmea_received", (double)buses->nmea_received);
  cJSON_AddNumberToObject(o, "nmea_refused", (double)buses->nmea_refused);
}
