/**
 * Runs before each test file of a process that serves several: a file finds modules, environment, folder and clock as a new
 * process has them. What Node itself loads, the packages, and what of src/ keeps nothing of its own stay loaded: that takes long.
 */
import { createRequire } from "node:module";
import { afterAll, vi } from "vitest";
import { isShared, renewModules } from "./renew-modules.ts";

renewModules((path) => !isShared(path));

const { setAhead } = createRequire(import.meta.url)("./clock.cjs") as { setAhead(ms: number): void };
setAhead(0);

const environment = { ...process.env };
const directory = process.cwd();
afterAll(() => {
	vi.unstubAllEnvs();
	for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
	Object.assign(process.env, environment);
	process.chdir(directory);
});
