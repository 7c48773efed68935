// Pages of the manual of section 5: the files that the programs read. From the tables of keys.
#pragma once

#include <stdio.h>

// Every key of a case, or of a DP file, as a page for troff (man(7)). release: date of the version.
void manual_case_page(FILE *out, const char *release);
void manual_dp_page(FILE *out, const char *release);
