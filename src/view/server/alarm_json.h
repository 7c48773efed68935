// The list of alarms for the page: the operation sagbendAlarms.
#pragma once

#include "view/scene/alarm_list.h"

// As JSON, which the caller must free; NULL: out of memory.
char *alarm_json(const struct alarm_list *list);
