// The sections of a configuration other than those of the pipe (io/config/pipe), and the lists of all.
#pragma once

#include "sagbend/case/config.h"
#include "sagbend/case/section.h"

extern const struct config_section SIMULATION_SECTION, GROUND_SECTION, CURRENT_SECTION, SOIL_SECTION,
    WEATHER_SECTION, LOADS_SECTION, VALIDITY_SECTION, INSTRUMENTS_SECTION, REFERENCES_SECTION, VESSEL_SECTION,
    VESSEL_HULL_SECTION, VESSEL_WEATHER_SECTION, POWER_SECTION, THRUSTERS_SECTION, CAPABILITY_SECTION,
    EVENTS_SECTION, VERDICTS_SECTION, CONTROLLER_SECTION, NETWORK_SECTION, VIEW_SECTION;

// The schemas, from the rows of all sections. No keys if memory runs out. Release with schema_free.
// more: the sections of a program; NULL: their keys may be there and are not read.
struct schema config_schema(const struct config_sections *more);
struct schema dp_schema(void);

// All checks between keys; then, if there was no error, everything to resolve.
void config_check(const struct check *c, const struct config_sections *more);
void config_resolve(const struct check *c, const struct config_sections *more, struct config *out);
// simulation.event_time_scale on all event times.
void config_scale_event_times(struct config *out);
// Check of the resolved definition: the vessel's integrator against everything it has to integrate.
void config_check_integrator(const struct check *c, const struct config *out);
void dp_check(const struct check *c);
void dp_resolve(const struct check *c, struct dp_config *out);

// A name in a list that is unique and made of characters that messages carry. first: of the first item,
// stride bytes apart.
void check_signal_name(const struct check *c, const char *list, int index, const char *first, size_t stride);

// Index of the bus of this name; -1: none.
int config_bus(const struct plant_def *plant, const char *name);

// Names of what faults may act on, in the order of the draft or of the definition.
void config_hil_names(const struct config *c, struct hil_names *names);
// Errors of a condition's or verdict's quantity that this case does not have.
void check_quantity(const struct check *c, const char *path, int quantity);
// Index of the event of that name among the first count, -1 if there is none.
int find_event(const struct config_draft *draft, const char *name, int count);
