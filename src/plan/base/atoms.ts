/** Atoms: the smallest things in which live can differ from a document. */
import { sameExpression } from "../../policy/language/same-expression.ts";
import type { Basis, Change, PolicyChange, TagChange } from "../change.ts";

/** Names of atoms; two documents call the same thing the same. */
export const cells = {
	name: (tagId: string): string => JSON.stringify(["name", tagId]),
	member: (tagId: string, userId: string): string => JSON.stringify(["member", tagId, userId]),
	object: (address: string): string => JSON.stringify(["object", address]),
	field: (address: string, field: string): string => JSON.stringify(["field", address, field]),
} as const;

/** What apply does about an atom. `set`: a field of a policy. */
export type PlannedWord = "rename" | "add-member" | "remove-member" | "create" | "set" | "remove";

/** One atom in which live is not what a document demands. */
export interface Atom {
	/** Names the atom, whatever the document calls its object. */
	readonly cell: string;
	readonly address: string;
	readonly tagId: string | null;
	/** `field`, `not-there`: of an object that can only be read. */
	readonly what: PlannedWord | "field" | "not-there";
	readonly userId: string | null;
	readonly field: string | null;
	readonly live: unknown;
	readonly wanted: unknown;
	readonly basis: Basis;
}

const blank = { tagId: null, userId: null, field: null, live: null, wanted: null } as const;

export function atomsOf(changes: readonly Change[]): readonly Atom[] {
	return changes.flatMap((change): readonly Atom[] => {
		const { address, basis } = change;
		const whole = { ...blank, address, basis, cell: cells.object(address) };
		if (change.kind === "userTag" && change.action === "update") return tagAtoms(change);
		if (change.action === "create") return [{ ...whole, what: "create", wanted: change.after }];
		if (change.action === "remove") return [{ ...whole, what: "remove", live: change.before?.name ?? null }];
		if (change.kind === "policy") return policyAtoms(change);
		const { before, after }: { readonly before: object | null; readonly after: object } = change;
		if (before === null) return [{ ...whole, what: "not-there" }];
		return Object.keys(after).map((field) => ({
			...whole,
			...{ cell: cells.field(address, field), what: "field", field },
			...{ live: Reflect.get(before, field), wanted: Reflect.get(after, field) },
		}));
	});
}

function tagAtoms({ address, basis, tagId, before, after, addUserIds, removeUserIds }: TagChange): readonly Atom[] {
	const own = { ...blank, address, basis, tagId };
	const memberAtom = (what: "add-member" | "remove-member") => (userId: string) => ({
		...own,
		...{ cell: cells.member(tagId, userId), what, userId, wanted: what },
	});
	// Names are known wherever tags are: what is doubtful about a change is its members.
	const rename = { cell: cells.name(tagId), what: "rename", live: before.name, wanted: after.name } as const;
	return [
		...(before.name === after.name ? [] : [{ ...own, ...rename, basis: "live" as const }]),
		...addUserIds.map(memberAtom("add-member")),
		...removeUserIds.map(memberAtom("remove-member")),
	];
}

/** What a policy says, in the order of reports. */
export const policyFields = ["name", "effect", "consensus", "condition", "time", "notes"] as const;

/** Fields are named by the id of the live policy, which a new name does not change. */
function policyAtoms({ address, basis, id, before, after }: PolicyChange): readonly Atom[] {
	return policyFields
		.filter((field) => before === null || !isSameField(field, before[field], after[field]))
		.map((field) => ({
			...{ ...blank, address, basis, cell: cells.field(id, field), what: "set", field },
			...{ live: before?.[field] ?? null, wanted: after[field] },
		}));
}

/** Whether two texts of a policy mean the same. */
export function isSameField(field: string | null, one: unknown, other: unknown): boolean {
	const isExpression = field === "consensus" || field === "condition" || field === "time";
	if (!isExpression || typeof one !== "string" || typeof other !== "string") return one === other;
	return sameExpression(one, other);
}
