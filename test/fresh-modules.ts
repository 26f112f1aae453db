/**
 * Runs before each test file of a process that serves several: a file finds modules, environment, folder and clock as a new
 * process has them. Only what Node itself loads, the packages, is kept, which is what takes long to load.
 */
import { createRequire } from "node:module";
import { afterAll, vi } from "vitest";

vi.resetModules();

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
