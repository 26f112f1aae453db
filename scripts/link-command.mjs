/**
 * Puts the command `orgsync` of this clone into node_modules/.bin, as npm does with the commands of installed packages. With
 * the line in .npmrc, `npx orgsync` then runs the local build at once: npm would otherwise copy the clone into its cache at
 * first use, which takes seconds and fails when two do so together.
 *
 * `npm ci` runs it, on the Node that is there: plain JavaScript.
 */
import { mkdirSync, readFileSync, realpathSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const bin = fileURLToPath(new URL("../node_modules/.bin/", import.meta.url));
mkdirSync(bin, { recursive: true });
// Seen from where the folder really is: node_modules may be a link.
const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const program = new URL(`../${manifest.bin.orgsync}`, import.meta.url);
const main = relative(realpathSync(bin), fileURLToPath(program));

if (process.platform === "win32") {
	const file = main.replaceAll("/", "\\");
	put("orgsync.cmd", (path) => writeFileSync(path, `@node "%~dp0\\${file}" %*\r\n`));
	const script = `#!/bin/sh\nexec node "$(dirname "$0")/${main.replaceAll("\\", "/")}" "$@"\n`;
	put("orgsync", (path) => writeFileSync(path, script, { mode: 0o755 }));
} else {
	put("orgsync", (path) => symlinkSync(main, path));
}

/**
 * Makes the file as a whole: two that do so at once do not meet.
 *
 * @param {string} name
 * @param {(path: string) => void} make
 */
function put(name, make) {
	const part = join(bin, `.${name}.${process.pid}`);
	make(part);
	renameSync(part, join(bin, name));
}
