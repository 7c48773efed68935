// Field buses of a run: Modbus, and thruster commands by NMEA. They are served with the messages of the
// protocol, in the same thread.
#include "run/host/host.h"
#include "net/buses/modbus_server.h"
#include "net/buses/nmea_inputs.h"
#include "net/case/case.h"
#include "os/files/ready.h"
#include "net/server/server.h"

#include <stdio.h>
#include <string.h>

static void serve_modbus(void *context, void (*on_command)(void *context, const struct command *command),
                         void *command_context) {
  struct host *host = context;
  modbus_server_serve(host->modbus, &host->session->last, on_command, command_context);
}

static enum status open_modbus(struct host *host, struct reason *why) {
  const struct config *config = &host->setup.config;
  const struct modbus_session session = {.def = &config_run(config)->modbus,
                                         .names = &config->scenario.names,
                                         .target = &host->session->engine.loop.target,
                                         .setpoints = sim_hold_setpoints(host->session->engine.plant.sim),
                                         .gate = server_gate(host->outlets.server)};
  enum status status = modbus_server_open(&session, &host->modbus, why);
  if (status != STATUS_OK)
    return status;
  server_attach(host->outlets.server, modbus_server_file(host->modbus), serve_modbus, host);
  console_line(&host->outlets.console, "Modbus TCP at %s, unit %d", modbus_server_endpoint(host->modbus),
               config_run(config)->modbus.unit_id);
  if (*config_run(config)->modbus.clients)
    console_line(&host->outlets.console,
                 "notice: other machines can command by Modbus (modbus.clients); there is no "
                 "authentication");
  return STATUS_OK;
}

static void serve_nmea(void *context, void (*on_command)(void *context, const struct command *command),
                       void *command_context) {
  struct host *host = context;
  nmea_inputs_serve(host->nmea_inputs, host->session->last.output.step, on_command, command_context);
}

static enum status open_nmea(struct host *host, struct reason *why) {
  const struct config *config = &host->setup.config;
  const struct nmea_session session = {.def = &config_run(config)->nmea,
                                       .setpoints = sim_hold_setpoints(host->session->engine.plant.sim),
                                       .names = &config->scenario.names,
                                       .gate = server_gate(host->outlets.server)};
  enum status status = nmea_inputs_open(&session, &host->nmea_inputs, why);
  if (status != STATUS_OK)
    return status;
  server_attach(host->outlets.server, nmea_inputs_file(host->nmea_inputs), serve_nmea, host);
  for (int i = 0; i < nmea_inputs_count(host->nmea_inputs); i++)
    console_line(&host->outlets.console, "NMEA commands at %s", nmea_inputs_place(host->nmea_inputs, i).text);
  return STATUS_OK;
}

enum status host_open_field_buses(struct host *host, struct reason *why) {
  const struct config *config = &host->setup.config;
  enum status status = STATUS_OK;
  if (!host->outlets.server && (config_run(config)->modbus.is_on || config_run(config)->nmea.input_count > 0))
    console_line(&host->outlets.console,
                 "notice: mode fast opens no sockets: the sections modbus and nmea.inputs have no effect");
  if (host->outlets.server && config_run(config)->modbus.is_on)
    status = open_modbus(host, why);
  if (host->outlets.server && config_run(config)->nmea.input_count > 0 && status == STATUS_OK)
    status = open_nmea(host, why);
  return status;
}

enum status host_open_nmea(struct host *host, struct reason *why) {
  const struct nmea_def *def = &config_run(&host->setup.config)->nmea;
  if (def->port_count == 0)
    return STATUS_OK;
  if (nmea_ports_open(def, &host->outlets.nmea, why) != STATUS_OK)
    return STATUS_IO;
  console_line(&host->outlets.console, "NMEA sentences to %d port%s", def->port_count,
               def->port_count > 1 ? "s" : "");
  for (int i = 0; i < def->port_count; i++)
    if (strchr(def->ports[i].udp, '*'))
      console_line(&host->outlets.console, "NMEA sentences to UDP %s: %s",
                   nmea_ports_place(host->outlets.nmea, i).text, def->ports[i].instruments);
  return STATUS_OK;
}

void host_name_buses(const struct host *host, struct ready *out) {
  const struct nmea_def *def = &config_run(&host->setup.config)->nmea;
  const char *modbus = host->modbus ? modbus_server_endpoint(host->modbus) : "";
  if (strncmp(modbus, "tcp://", strlen("tcp://")) == 0)
    snprintf(out->modbus, sizeof out->modbus, "%.60s", modbus + strlen("tcp://"));
  for (int i = 0; host->nmea_inputs && i < def->input_count; i++)
    if (*def->inputs[i].udp)
      snprintf(out->nmea_in[out->nmea_in_count++], READY_PLACE, "%.60s",
               nmea_inputs_place(host->nmea_inputs, i).text + strlen("UDP "));
  for (int i = 0; host->outlets.nmea && i < def->port_count; i++)
    if (*def->ports[i].udp)
      snprintf(out->nmea_out[out->nmea_out_count++], READY_PLACE, "%.60s",
               nmea_ports_place(host->outlets.nmea, i).text);
}
