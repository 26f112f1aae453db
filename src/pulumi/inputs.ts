/**
 * Inputs of a resource, read as a document of one object: the same rules, and the same words for what is wrong, as for the
 * command line's documents.
 */
import { parseDocuments } from "../document/parse.ts";
import { escapeSequence, replaceInvisible } from "../invisible.ts";
import type { DesiredMembers, DesiredOrganization } from "../plan/organization.ts";
import { sameValue } from "../plan/value.ts";

/** What Pulumi puts where a value is not known yet; it looks like an id and must never be taken for one. */
const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** What is wrong with a property, as Pulumi's `check` returns it. */
export interface CheckFailure {
	readonly property: string;
	readonly reason: string;
}

/** Inputs and outputs as the engine sends them: plain JSON. */
export type Properties = Readonly<Record<string, unknown>>;

/** Who has the tag, as a program writes it: user ids. `exactly` excludes the others. */
export interface Members {
	/** Who has the tag: these users and nobody else. */
	readonly exactly?: readonly string[];
	/** Users who have the tag; everybody else is left alone. */
	readonly atLeast?: readonly string[];
	/** Users who must not have the tag. */
	readonly never?: readonly string[];
}

/** Whether a value that is not known yet stands anywhere in this one. */
export function hasUnknown(value: unknown): boolean {
	if (value === unknownValue) return true;
	if (typeof value === "string") return value.includes(unknownValue);
	return typeof value === "object" && value !== null && Object.values(value).some(hasUnknown);
}

/** Inputs that the resource classes add to what a program writes. None of them changes what is submitted. */
export interface MetaInputs {
	/** The resource's name in the program. */
	readonly resource: string;
	/** The resource's URN, where the class knows it. */
	readonly resourceUrn?: string;
	/** The component that it is a part of, which shows its plan. */
	readonly partOf?: string;
	/** The names of the inputs that are secret, sorted. */
	readonly secretInputs?: readonly string[];
	/** Set by a component that has seen live state differ: the resource is updated although its inputs are unchanged. */
	readonly outOfSync?: boolean;
}

/** The added inputs, by themselves. */
export function metaOf({ resource, resourceUrn, partOf, secretInputs, outOfSync }: Partial<MetaInputs>): MetaInputs {
	return { resource: String(resource), ...withoutUndefined({ resourceUrn, partOf, secretInputs, outOfSync }) };
}

/** The inputs without the added ones. */
export function withoutMeta(inputs: Properties): Properties {
	const {
		resource: _resource,
		resourceUrn: _urn,
		partOf: _partOf,
		secretInputs: _names,
		outOfSync: _outOfSync,
		...rest
	} = inputs;
	return rest;
}

/** Where in a document a property stands: `["userTags[0].id", "tagId"]`. */
export type PropertyPlaces = readonly (readonly [path: string, property: string])[];

/** What was read, because the engine asks for the same more than once: `check`, then `create`. One program's worth. */
const read = new Map<string, DesiredOrganization>();

/** What the document wants, or what is wrong with it, each by the property that it stands for. */
export function readDocument(
	document: Properties,
	places: PropertyPlaces,
): { readonly desired: DesiredOrganization } | { readonly failures: readonly CheckFailure[] } {
	const text = JSON.stringify(withoutUndefined(document), (_key, value: unknown) =>
		// In a document `${NAME}` stands for the environment's value; a program has written the value itself.
		typeof value === "string" ? value.replaceAll("${", () => "$${") : value,
	);
	// A document writes an invisible character as an escape; a program has no other way than the character.
	const content = replaceInvisible(text, escapeSequence);
	const known = read.get(content);
	if (known !== undefined) return { desired: known };
	const { organizations, problems } = parseDocuments([{ file: "inputs", content }], {});
	const [whole] = organizations;
	if (whole !== undefined) {
		// Of the organization's other objects this document does not speak.
		const desired = { ...whole, narrowed: true };
		read.set(content, desired);
		return { desired };
	}
	return {
		failures: problems.map(({ path, message }) => {
			const [start, property] = places.find(([place]) => path === place || path.startsWith(place)) ?? ["", path];
			// A list of a user's stands in a document under the user's id, which is a property of its own here.
			const rest = path.slice(start.length).replace(/^(\.[\w-]{36}|\["[\w-]{36}"\])/, "");
			// The document is one line that nobody sees.
			const said = message.replace(/,? (first )?on this line/, "");
			return {
				property: property === "" ? path : property,
				reason: rest === "" ? said : `${property}${rest}: ${said}`,
			};
		}),
	};
}

/** The members as a program would write them. */
export function writeMembers(members: DesiredMembers | undefined): Members | undefined {
	if (members === undefined) return undefined;
	if (members.mode === "exactly") return { exactly: members.exactly };
	const { atLeast, never } = members;
	// One of them stays, even when it is empty: a document's `members` that say nothing are a problem.
	if (never.length === 0) return { atLeast };
	return atLeast.length === 0 ? { never } : { atLeast, never };
}

/** What a resource wants of its members, held against who has the tag: the part of the wish that is so. */
export function observeMembers(wanted: Members | undefined, live: readonly string[]): Members | undefined {
	if (wanted === undefined) return undefined;
	if (wanted.exactly !== undefined) return { exactly: live };
	const atLeast = wanted.atLeast?.filter((userId) => live.includes(userId)) ?? [];
	const never = wanted.never?.filter((userId) => !live.includes(userId)) ?? [];
	// In the form of `check`: inputs that are given back to it (`ignoreChanges`) must not look changed.
	return writeMembers({ mode: "atLeast", atLeast, never });
}

/** Whether both say the same, in whichever form: `atLeast: []` and `never: []` say nothing. */
export function sameMembers(left: Members | undefined, right: Members | undefined): boolean {
	const inFull = (members: Members | undefined) =>
		members === undefined || members.exactly !== undefined
			? members
			: { atLeast: members.atLeast ?? [], never: members.never ?? [] };
	return sameValue(inFull(left), inFull(right));
}

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
	[K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The same object without the members that are undefined. */
export function withoutUndefined<T extends object>(value: T): Defined<T> {
	return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as Defined<T>;
}
