/**
 * Sets the clock of this process, `Date.now()` and `new Date()` alike: the machine's, ahead by TEST_CLOCK_AHEAD_MS. See
 * clock.ts.
 */
"use strict";

let aheadMs = Number(process.env.TEST_CLOCK_AHEAD_MS ?? 0);
const MachineDate = Date;
const machineNow = Date.now;
/** How much later it is now, for a command of a test that runs in this process. */
let laterMs = 0;
const now = () => machineNow() + aheadMs + laterMs;
MachineDate.now = now;
// gRPC compares some deadlines with the one and some with the other.
globalThis.Date = new Proxy(MachineDate, {
	construct: (target, given, made) => Reflect.construct(target, given.length === 0 ? [now()] : given, made),
	apply: () => new MachineDate(now()).toString(),
});

/** Sets by how much the clock is ahead of the machine's. */
exports.setAhead = (ms) => {
	aheadMs = ms;
};
exports.machineNow = machineNow;
exports.setLater = (ms) => {
	laterMs = ms;
};
/** The clock of the test file, also while a command has a later one. */
exports.testNow = () => machineNow() + aheadMs;
