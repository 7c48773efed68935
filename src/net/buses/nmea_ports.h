// Transmits readings as NMEA 0183 sentences over UDP and serial lines. A sentence is sent when its instrument
// has a new reading, so rate and latency are those of the instrument. One thread owns the ports; no call
// blocks.
#pragma once

#include "sagbend/base/status.h"
#include "sagbend/rig/fault.h"
#include "net/buses/nmea_alf.h"
#include "net/buses/nmea_def.h"

struct nmea_counts {
  uint64_t sent;   // sentences handed to the system
  uint64_t lost;   // sentences for which there was no room or no device
  uint64_t failed; // failures of a port; it is opened again after a second
};

struct nmea_ports;

// Opens all ports. A missing serial device is an error here; one that disappears later is waited for.
enum status nmea_ports_open(const struct nmea_def *def, struct nmea_ports **out, struct reason *why);
void nmea_ports_close(struct nmea_ports *ports); // accepts NULL

// Sends the readings that are new, and again those that a receiver on this machine has not got because it
// had not opened its port yet. faults: those active now, of which the transmission faults act here (NULL:
// none). clock_s: any monotonic clock, for opening failed ports again. Accepts NULL ports.
void nmea_ports_send(struct nmea_ports *ports, const struct readings *readings, double time_s,
                     const struct fault_set *faults, double clock_s);

void nmea_ports_begin_session(struct nmea_ports *ports); // another session, perhaps at an earlier step

// The next nmea_ports_send sends the newest readings again to receivers of which nobody knows whether they
// listen: those on other machines and on serial lines. Accepts NULL ports.
void nmea_ports_send_again(struct nmea_ports *ports);

// Where a port sends, "127.0.0.1:20017", with the port that was chosen for *; "": a serial line.
struct nmea_place nmea_ports_place(const struct nmea_ports *ports, int index);

// While no steps are made: sends the newest reading of each instrument once more, marked as not valid. The
// sentences of thrusters and power plant have no such mark and are not sent. Accepts NULL ports.
void nmea_ports_send_not_valid(struct nmea_ports *ports, const struct readings *readings, double clock_s);

// Sends the sentences of an alarm to each port whose instruments contain "alarms".
void nmea_ports_send_alert(struct nmea_ports *ports, const struct nmea_alert *alert, double clock_s);
const struct nmea_origin *nmea_ports_origin(const struct nmea_ports *ports);

const struct nmea_counts *nmea_ports_counts(const struct nmea_ports *ports);
const char *nmea_ports_failure(const struct nmea_ports *ports); // newest failure, for people; "": none
