/** Rules about what a policy writes: each looks at one text, and tries no activity. */
import { idsNamed } from "../../common/own.ts";
import { activityTypes, findType, kindOfType } from "../activities/types.ts";
import { isId } from "../language/check-template.ts";
import { idsIn } from "../language/checker.ts";
import { comparedWith, fieldsIn } from "../language/mentions.ts";
import { type Expression, partsOf } from "../language/syntax.ts";
import { compilePolicy } from "../powers/compile.ts";
import { type LintFinding, type LintInput, partAt, treesOf } from "./finding.ts";

/** Finds versions of activities, where the condition needs no field that only some versions have. */
export function findVersionedTypes({ policies }: LintInput): readonly LintFinding[] {
	return policies.flatMap((policy) =>
		treesOf(policy).flatMap(({ clause, tree }) => {
			const named = new Set(clause === "condition" ? comparedWith(tree, "activity.type") : []);
			return partsOf(tree).flatMap((one, part): readonly LintFinding[] => {
				if (one.node !== "literal" || typeof one.value !== "string" || !named.has(one.value)) return [];
				const text = one.value;
				if (!text.startsWith("ACTIVITY_TYPE_") || !isKindMeant(text, tree)) return [];
				return [{ id: policy.id, on: "policy", clause, part, text, meant: kindOfType(text) }];
			});
		}),
	);
}

/** Whether every version of the kind has the parameters that the condition reads. */
function isKindMeant(type: string, condition: Expression): boolean {
	const own = findType(type);
	const read = [...fieldsIn(condition)].flatMap((path) => /^activity\.params\.(\w+)/.exec(path)?.[1] ?? []);
	const versions = activityTypes.filter(({ kind }) => kind === own?.kind);
	return versions.every(({ params }) => read.every((name) => params.includes(name)));
}

/** Finds expressions that are not understood: no other rule says anything of them. They are live, or `unchecked`. */
export function findMistakes({ policies }: LintInput): readonly LintFinding[] {
	return policies.flatMap((policy) => {
		const { consensus, condition, time } = compilePolicy(policy);
		return [consensus, time, condition].flatMap(({ slip }): readonly LintFinding[] => {
			if (slip?.kind !== "not-understood") return [];
			return [{ id: policy.id, on: "policy", clause: slip.clause, because: slip.message }];
		});
	});
}

/** Finds strings where an id belongs. A document with one is not read: they are live, or `unchecked`. */
export function findNames({ policies, tagNames, userNames }: LintInput): readonly LintFinding[] {
	return policies.flatMap((policy) =>
		mentionsOf(policy).flatMap(({ value, kind, ...where }): readonly LintFinding[] => {
			if (isId(value)) return [];
			const [meant, ...others] = idsNamed(value, (kind === "user" ? userNames : tagNames) ?? {});
			const fix = meant === undefined || others.length > 0 ? {} : { meant };
			return [{ id: policy.id, on: "policy", ...where, text: value, ...fix, because: kind }];
		}),
	);
}

/** Finds ids of users and tags that do not exist. */
export function findUnknownIds({ policies, tagNames, userNames }: LintInput): readonly LintFinding[] {
	return policies.flatMap((policy) =>
		mentionsOf(policy).flatMap(({ value, kind, ...where }): readonly LintFinding[] => {
			const names = kind === "user" ? userNames : tagNames;
			if (!isId(value) || names === null || Object.hasOwn(names, value.toLowerCase())) return [];
			return [{ id: policy.id, on: "policy", ...where, text: value, because: kind }];
		}),
	);
}

/** Returns the strings of the policy that are compared with ids, each with its place. */
function mentionsOf(policy: LintInput["policies"][number]) {
	return treesOf(policy).flatMap(({ clause, tree }) =>
		idsIn(tree).map(({ value, kind, span }) => ({ value, kind, clause, part: partAt(tree, span) })),
	);
}

/** Finds tags whose id is in no text of a policy. */
export function findUnusedTags({ policies, tagIds }: LintInput): readonly LintFinding[] {
	const texts = policies.map(({ consensus, condition }) => `${consensus}\n${condition}`.toLowerCase());
	return tagIds
		.filter((id) => !texts.some((text) => text.includes(id)))
		.map((id): LintFinding => ({ id, on: "userTag" }));
}
