// What plant.c and plant.c share.
#pragma once

#include "sagbend/vessel/vessel.h"
