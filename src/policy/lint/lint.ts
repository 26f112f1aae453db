/** The rules of `lint`: what is probably wrong in policies, each with a stable code. */
import type { LintFinding, LintInput } from "./finding.ts";
import { findErring, findErringDenies, findFutile, findOver } from "./futile.ts";
import { findMistakes, findNames, findUnknownIds, findUnusedTags, findVersionedTypes } from "./texts.ts";
import { findAlone, findContained, findEverything, findIdleDenies, findRepeats } from "./together.ts";

export const lintSeverities = ["error", "warning", "note"] as const;

export type LintSeverity = (typeof lintSeverities)[number];

interface LintRule {
	readonly code: string;
	readonly severity: LintSeverity;
	/** What has to be known: only the policies themselves, all policies of the organization, or its users and tags too. */
	readonly needs: "texts" | "policies" | "live";
	readonly find: (input: LintInput) => readonly LintFinding[];
}

/** In the order of reports. A code never changes its meaning. */
export const lintRules = [
	{ code: "always-errs", severity: "error", needs: "texts", find: findErring },
	{ code: "deny-errs", severity: "error", needs: "texts", find: findErringDenies },
	{ code: "everything-to-everyone", severity: "error", needs: "texts", find: findEverything },
	{ code: "alone-beside-two", severity: "error", needs: "policies", find: findAlone },
	{ code: "name-for-id", severity: "error", needs: "texts", find: findNames },
	{ code: "not-understood", severity: "warning", needs: "texts", find: findMistakes },
	{ code: "never-applies", severity: "warning", needs: "texts", find: findFutile },
	{ code: "repeats-another", severity: "warning", needs: "texts", find: findRepeats },
	{ code: "contained-in-another", severity: "warning", needs: "texts", find: findContained },
	{ code: "window-over", severity: "warning", needs: "texts", find: findOver },
	{ code: "unknown-id", severity: "warning", needs: "live", find: findUnknownIds },
	{ code: "versioned-type", severity: "warning", needs: "texts", find: findVersionedTypes },
	{ code: "denies-nothing", severity: "note", needs: "policies", find: findIdleDenies },
	{ code: "unused-tag", severity: "note", needs: "policies", find: findUnusedTags },
] as const satisfies readonly LintRule[];

export type LintCode = (typeof lintRules)[number]["code"];
