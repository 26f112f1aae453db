/** What still uses the name that a tag has before the plan renames it. Nothing blocks such a plan: it warns. */
import type { AccessPolicy, AccessState } from "../../policy/access.ts";
import type { Change } from "../change.ts";
import type { DesiredOrganization } from "../organization.ts";
import { addressOfRule, tagNamesOf } from "../rules/rules.ts";
import { compareText } from "../value.ts";
import type { NameUse } from "./finding.ts";
import { type Guard, guardOf } from "./guards.ts";

/** A tag that is renamed, whose old name no tag gets. */
interface Renamed {
	/** Of the tag, by its new name. */
	readonly address: string;
	readonly oldName: string;
}

/** Returns a guard that warns where `rules`, `protect` or a policy that was read use the old name of a tag. */
export function judgeOldNames(
	desired: Pick<DesiredOrganization, "rules" | "protect">,
	changes: readonly Change[],
	access: AccessState | undefined,
): readonly Guard[] {
	const policies = access?.policies.known === true ? access.policies.value : [];
	const found = renamedTags(changes).flatMap(({ address, oldName }) => {
		const uses = [...usesIn(desired, oldName), ...usesInPolicies(policies, oldName)];
		return uses.length === 0 ? [] : [{ address, oldName, uses }];
	});
	const count = found.reduce((sum, { uses }) => sum + uses.length, 0);
	const where = found.map(({ address }) => address).sort(compareText);
	const names = found.map(({ oldName: name, uses }) => ({ name, uses }));
	return guardOf("oldNames", count, where, { what: "old-names", names }, false);
}

function renamedTags(changes: readonly Change[]): readonly Renamed[] {
	const tags = changes.filter((change) => change.kind === "userTag");
	const given = new Set(tags.map(({ after }) => after.name));
	return tags
		.filter(({ before }) => !given.has(before.name))
		.map(({ address, before }) => ({ address, oldName: before.name }));
}

function usesIn(
	{ rules = [], protect }: Pick<DesiredOrganization, "rules" | "protect">,
	name: string,
): readonly NameUse[] {
	const named = rules.filter((rule) => tagNamesOf(rule).includes(name));
	return [
		...named.map((rule) => ({ in: "rule", address: addressOfRule(rule), at: rule.at }) as const),
		...(protect.userTags.includes(name) ? [{ in: "protect" } as const] : []),
	];
}

/** A policy names tags by id. A string that is the name of a tag is most likely a mistake, or about another tag's name. */
function usesInPolicies(policies: readonly AccessPolicy[], name: string): readonly NameUse[] {
	const written = `'${name}'`;
	return policies
		.filter(({ condition, consensus }) => [condition, consensus].some((text) => text.includes(written)))
		.map((policy) => ({ in: "policy", policy }));
}
