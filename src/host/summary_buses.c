// The object field_buses of a summary.
#include "host/summary_parts.h"
#include "io/wire/server.h"

void summary_add_buses(cJSON *root, const struct host *host) {
  if (!host->modbus && !host->nmea_inputs)
    return;
  const struct command_counts *counts = server_counts(host->outlets.server);
  const struct field_bus_counts *buses = &counts->buses;
  cJSON *o = cJSON_AddObjectToObject(root, "field_buses");
  cJSON_AddNumberToObject(o, "commands", (double)counts->from_buses);
  cJSON_AddNumberToObject(o, "modbus_requests", (double)buses->modbus_requests);
  cJSON_AddNumberToObject(o, "modbus_exceptions", (double)buses->modbus_exceptions);
  cJSON_AddNumberToObject(o, "modbus_cut_off", (double)buses->modbus_cut_off);
  cJSON_AddNumberToObject(o, "nmea_received", (double)buses->nmea_received);
  uint64_t refused = 0;
  cJSON *reasons = cJSON_CreateObject();
  for (int i = 0; i < NMEA_REFUSAL_COUNT; i++) {
    refused += buses->nmea_refused[i];
    cJSON_AddNumberToObject(reasons, nmea_refusal_name((enum nmea_refusal)i), (double)buses->nmea_refused[i]);
  }
  cJSON_AddNumberToObject(o, "nmea_refused", (double)refused);
  cJSON_AddItemToObject(o, "nmea_refused_by_reason", reasons);
}
