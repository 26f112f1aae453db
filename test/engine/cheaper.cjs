/**
 * Runs first in each Node that the engine starts, and makes the loading of @pulumi/pulumi cheaper without changing what it
 * does: it is most of what a command takes.
 */
"use strict";

// @pulumi/pulumi sets this flag in the middle of its loading. Node's compile cache is void under other flags than those it
// was written with: each process would refuse most of it and rewrite it when it ends.
require("node:v8").setFlagsFromString("--allow-natives-syntax");

// A program's process has the debugger on from the start, to find the files of functions that are serialized, and V8 then
// hashes every source, TypeScript's nine megabytes among them. Enabled later, it reports the same scripts: here at its first
// use.
if (process.argv[1]?.includes("cmd/run") === true) {
	const { Session } = require("node:inspector");
	const { post } = Session.prototype;
	const postponed = new WeakSet();
	Session.prototype.post = function (method, ...rest) {
		if (method === "Debugger.enable") {
			postponed.add(this);
			rest.at(-1)?.(null, {});
			return;
		}
		if (postponed.delete(this)) post.call(this, "Debugger.enable");
		post.call(this, method, ...rest);
	};
}
