// The plots of the cases and the PDF of the report, made by gnuplot.
#pragma once

#include "verification/report/report.h"
