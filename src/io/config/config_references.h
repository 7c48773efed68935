// What a configuration refers to outside its text: the DP file, sockets of this machine, a bathymetry.
#pragma once

#include "io/config/config.h"
#include "io/config/config_loading.h"

// Reads or checks each of them and writes paths and grid to c, a copy of the draft's definition. Adds errors.
// A text from memory refers to nothing but the files of its record.
void config_take_references(struct loading *l, struct config *c);
