/**
 * Lets another command run to its end at the moment at which this process first makes or renames a temporary file: OVERTAKE_AT is
 * the function of node:fs, OVERTAKE_WITH the words of the command as JSON.
 */
"use strict";

const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");

const { OVERTAKE_AT: at = "", OVERTAKE_WITH: words = "[]" } = process.env;
const original = fs[at];
if (original !== undefined) {
	fs[at] = (...values) => {
		if (String(values[0]).endsWith(".part")) {
			fs[at] = original;
			syncBuiltinESMExports();
			const env = { ...process.env, OVERTAKE_AT: "" };
			spawnSync(process.execPath, JSON.parse(words), { env, stdio: ["ignore", "inherit", "inherit"] });
		}
		return original(...values);
	};
	syncBuiltinESMExports();
}
