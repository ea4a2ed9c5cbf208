/* SPDX-License-Identifier: ISC */
/*
 * Numbers and times as people read them: throughput in bit/s and packets in pps
 * with three digits and a prefix of 1000, loads in whole per cent, times of the
 * place. What is not known is "-", never 0. Pure but for the time zone.
 */
#ifndef RS_FIGURE_H
#define RS_FIGURE_H

#include "rs.h"

/* "12.3 kpps"; without unit "12.3 k". */
void rs_figure(double value, const char *unit, char dst[static 24]);
/* A line rate, a round number: "2.5 Gbit/s". */
void rs_figure_speed(double bps, char dst[static 24]);
/* 0..1 as "98 %". */
void rs_figure_percent(double ratio, char dst[static 24]);
/* A number of a core, queue, process: whole and not negative. */
void rs_figure_index(double value, char dst[static 24]);
/* A value with the unit's name as the API gives it ("ratio", "packets/s"). A
 * unit that is not known stands behind the number. */
void rs_figure_quantity(double value, const char *unit, char dst[static 48]);
/* Epoch milliseconds as "2025-11-30 18:01:24". */
void rs_figure_time(double ms, char dst[static 24]);
/* Ten characters, so many of them '#'. */
void rs_figure_bar(double ratio, char dst[static 12]);

#endif
