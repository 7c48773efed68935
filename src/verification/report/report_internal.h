// The plots of the cases, made by gnuplot.
#pragma once

#include "verification/report/report.h"
