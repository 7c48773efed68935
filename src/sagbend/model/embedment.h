// Statics on soil: pipe that has been laid.
#pragma once

#include "sagbend/model/relax.h"

// Lets the pipe beyond the touchdown lie as deep as the touchdown has pressed it while it was laid, by the
// lay factor, and finds the equilibrium again. Does nothing without soil.
enum status embed_laid(const struct equilibrium *eq, const struct pipe_def *pipe, struct reason *why);
