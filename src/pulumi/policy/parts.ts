/** The policies of a document as parts of a component. */
import { defined, nonEmpty } from "../../common/defined.ts";
import { printAddress } from "../../plan/address.ts";
import { type Change, isWritten } from "../../plan/change.ts";
import { tagsNamedBy } from "../../plan/kinds/references.ts";
import { type DesiredOrganization, type DesiredPolicy, policiesOf } from "../../plan/organization.ts";
import { parseTemplate } from "../../policy/language/template.ts";
import type { DocumentPart, PlannedParts } from "../resources/resource.ts";

export function policyParts(desired: DesiredOrganization, planned: PlannedParts): readonly DocumentPart[] {
	return policiesOf(desired).map((policy) => toPart(policy, desired, planned));
}

function toPart(policy: DesiredPolicy, { users }: DesiredOrganization, { changes, ids }: PlannedParts): DocumentPart {
	const { name, previously, effect, notes, unchecked } = policy;
	const address = printAddress("policy", name);
	const names = tagsNamedBy(policy);
	const references = Object.fromEntries(names.map((tag) => [tag, ids.userTags.get(tag) ?? tag]));
	const text = (template: string): string => (unchecked === true ? template : withUserIds(template, users));
	return {
		suffix: `policy-${name}`,
		earlierSuffixes: previously.map((earlier) => `policy-${earlier}`),
		args: defined({
			...{ name, effect: effect === "EFFECT_DENY" ? "deny" : "allow", notes, unchecked },
			...{ consensus: text(policy.consensus), condition: text(policy.condition) },
			time: policy.time === undefined ? undefined : text(policy.time),
			references: names.length === 0 ? undefined : references,
			previously: nonEmpty([...new Set([...previously, ...liveNames(address, changes)])].filter((one) => one !== name)),
			// A document takes over what has the name.
			adopt: true,
		}),
		covers: (other) => other === address,
		isKept: true,
	};
}

/** The live name of the policy, which its entry may find by an id. */
function liveNames(address: string, changes: readonly Change[]): readonly string[] {
	return changes.flatMap((one) => (one.address === address && isWritten(one) ? (one.before?.name ?? []) : []));
}

/** The template with ids in place of the aliases of users, which a program does not have. */
function withUserIds(template: string, users: DesiredOrganization["users"]): string {
	const named = parseTemplate(template).references.filter(({ kind }) => kind === "user");
	return named.reduceRight(
		(text, { name, span }) => `${text.slice(0, span.start)}'${users[name]}'${text.slice(span.end)}`,
		template,
	);
}
