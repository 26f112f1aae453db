/** Answers the parent process at each message: what this process has in its heap, and what keeps it alive. */
"use strict";

const { setFlagsFromString } = require("node:v8");
const { runInNewContext } = require("node:vm");

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

process.on("message", () => {
	collect();
	// What finalizers free is gone at the next turn.
	setImmediate(() => {
		collect();
		const { heapUsed, external } = process.memoryUsage();
		const active = process.getActiveResourcesInfo();
		process.send({
			heapBytes: heapUsed,
			externalBytes: external,
			timers: active.filter((name) => name === "Timeout").length,
			activeResources: active.length,
		});
	});
});
process.channel.unref();
