// The sections of a DP file.
#pragma once

#include "sagbend/case/section.h"

extern const struct dp_section DP_CONTROL_SECTION, DP_ROUTE_SECTION, DP_NAVIGATION_SECTION,
    DP_TELEGRAMS_SECTION, DP_ALLOCATION_SECTION, DP_CONSEQUENCE_SECTION;
