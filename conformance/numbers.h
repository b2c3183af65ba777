/* SPDX-License-Identifier: MIT */
/* Numbers that assembly and C share. */
#ifndef CONFORMANCE_NUMBERS_H
#define CONFORMANCE_NUMBERS_H

#define LEAVE 0x5e5e /* the immediate of the exception that ends a run at a lower Exception level */
#define ACTION_RESUME 0 /* results of exception() */
#define ACTION_LEAVE 1

#define WORK_LINES 4           /* lines of work_data */
#define TOUCHES 8000           /* rounds of touch(), four operations each */
#define STRAIGHT_OPERATIONS 62 /* operations of straight() in a round */

#endif
