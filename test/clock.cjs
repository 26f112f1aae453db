/**
 * Sets the clock of this process: the machine's, ahead by TEST_CLOCK_AHEAD_MS. See clock.ts.
 */
"use strict";

const aheadMs = Number(process.env.TEST_CLOCK_AHEAD_MS ?? 0);
const machineNow = Date.now;
Date.now = () => machineNow() + aheadMs;
