/**
 * Runs first in each Node that the engine starts, and makes the loading of @pulumi/pulumi cheaper without changing what it
 * does: it is most of what a command takes.
 */
"use strict";

const { existsSync, readFileSync } = require("node:fs");
const Module = require("node:module");

// @pulumi/pulumi sets this flag in the middle of its loading. Node's compile cache is void under other flags than those it
// was written with: each process would refuse most of it and rewrite it when it ends.
require("node:v8").setFlagsFromString("--allow-natives-syntax");

// @pulumi/pulumi requires them to serialize functions, and they are half of its loading. Each is
// loaded at its first use. The packages hold nothing but objects and functions by name.
const load = Module._load;
const late = new Set(["@npmcli/arborist", "typescript"]);
Module._load = function (request, parent, ...rest) {
	if (!late.has(request) || parent?.path.includes("@pulumi/pulumi") !== true) {
		return load.call(this, request, parent, ...rest);
	}
	const now = () => load.call(this, request, parent, ...rest);
	return new Proxy(
		{},
		{ get: (_, name) => (name === "__esModule" ? true : now()[name]), has: (_, name) => name in now() },
	);
};

if (process.argv[1]?.includes("cmd/run") === true) {
	// The language host is older than the engine, which hands it this option in another way: it believes it to be true.
	const manifest = existsSync("Pulumi.yaml") ? readFileSync("Pulumi.yaml", "utf8") : "";
	if (/\btypescript: false\b/.test(manifest)) process.env.PULUMI_NODEJS_TYPESCRIPT = "false";

	// A program's process has the debugger on from the start, to find the files of functions that are serialized, and V8 then
	// hashes every source, TypeScript's nine megabytes among them. Enabled later, it reports the same scripts: here at its first
	// use.
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
