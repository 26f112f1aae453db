/** Runs before each test file: the same random cases in every run, so that a mutant has the same end in every run, and new modules. */
import fc from "fast-check";
import { vi } from "vitest";

fc.configureGlobal({ seed: 1 });
if (process.env.ORGSYNC_MUTANTS_FRESH_MODULES === "1") vi.resetModules();
