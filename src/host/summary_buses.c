// The object field_buses of a summary.
#include "host/summary_parts.h"
#include "io/wire/server.h"

#include <string.h>

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
  cJSON_AddNumberToObject(o, "nmea_refused", (double)refused_sentences(counts));
  cJSON *reasons = cJSON_AddObjectToObject(o, "nmea_refused_by_reason");
  for (int i = FIRST_NMEA_REFUSAL; i <= LAST_NMEA_REFUSAL; i++)
    cJSON_AddNumberToObject(reasons, refusal_name((enum refusal)i) + strlen("nmea_"),
                            (double)counts->refused[i]);
  cJSON_AddNumberToObject(reasons, "gate", (double)buses->nmea_at_gate);
}
