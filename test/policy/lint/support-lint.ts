/** Policies for tests of `lint`, and what its rules find in them. */
import type { AccessPolicy } from "../../../src/policy/access.ts";
import type { LintInput } from "../../../src/policy/lint/finding.ts";
import { type LintCode, lintRules } from "../../../src/policy/lint/lint.ts";
import { Population } from "../../../src/policy/lint/population.ts";

const atMs = Date.parse("2026-06-01T00:00:00Z");

export const uuid = (digit: string): string => `${digit.repeat(8)}-0000-4000-8000-000000000001`;

export const one = (tag: string): string => `approvers.any(u, u.tags.contains('${uuid(tag)}'))`;
export const two = (tag: string): string => `approvers.filter(u, u.tags.contains('${uuid(tag)}')).count() >= 2`;
export const user = (id: string): string => `approvers.any(u, u.id == '${uuid(id)}')`;

export type Written = readonly [effect: "allow" | "deny", consensus: string, condition: string, time?: string];

/** Returns the policies, called `p0`, `p1` and so on. */
export const policiesOf = (...written: readonly Written[]): readonly AccessPolicy[] =>
	written.map(([effect, consensus, condition, time = ""], index) => {
		const id = `p${index}`;
		return { id, name: id, effect: `EFFECT_${effect.toUpperCase()}`, consensus, condition, time };
	});

/** Returns `CODE ID` for each finding of the rules, with what each is about behind it. */
export function lint(policies: readonly AccessPolicy[], more: Partial<LintInput> = {}): readonly string[] {
	const input: LintInput = {
		policies,
		tagNames: null,
		userNames: null,
		tagIds: [],
		atMs,
		population: new Population(),
		...more,
	};
	return lintRules.flatMap(({ code, find }) =>
		find(input).map(({ id, clause, others = [], text, meant }) =>
			[code, id, clause, ...others, text, meant].filter((part) => part !== undefined).join(" "),
		),
	);
}

/** Returns the ids of the policies in which the rule finds something. */
export function found(code: LintCode, policies: readonly AccessPolicy[]): readonly string[] {
	return lint(policies).flatMap((finding) => {
		const [own, id = ""] = finding.split(" ");
		return own === code ? [id] : [];
	});
}
