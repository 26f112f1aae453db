/** Inputs of a resource, read as a document of one object, with the rules and messages of documents. */

import { defined } from "../../common/defined.ts";
import { escapeSequence, replaceInvisible } from "../../common/invisible.ts";
import { parseDocuments, parsePlain } from "../../document/read/parse.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";

/** Pulumi's placeholder for an unknown value. It looks like an id and must not be used as one. */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** A problem with a property, as Pulumi's `check` returns it. */
export interface CheckFailure {
	readonly property: string;
	readonly reason: string;
}

/** The failure as a text that begins with the property, unless the reason already begins with a place in it: `members.exactly[0] …`. */
export function explainFailure({ property, reason }: CheckFailure): string {
	const isPlaced = reason.startsWith(property) && /^[.[]/.test(reason.slice(property.length));
	return property === "" || isPlaced ? reason : `${property}: ${reason}`;
}

/** Inputs and outputs as the engine sends them: plain JSON. */
export type Properties = Readonly<Record<string, unknown>>;

/** Whether a value is unknown or contains an unknown value. */
export function hasUnknown(value: unknown): boolean {
	if (value === unknownValue) return true;
	if (typeof value === "string") return value.includes(unknownValue);
	return typeof value === "object" && value !== null && Object.values(value).some(hasUnknown);
}

/** Inputs that the resource classes add. None of them changes what is submitted. */
export interface MetaInputs {
	readonly resource: string;
	/** The resource's URN, where the class knows it. */
	readonly resourceUrn?: string;
	/** The component that the resource is a part of, which shows its plan. */
	readonly partOf?: string;
	/** The names of the secret inputs, sorted. */
	readonly secretInputs?: readonly string[];
	/** Set by a component if live state differs: it updates a resource whose inputs are unchanged. */
	readonly outOfSync?: boolean;
}

export function metaOf({ resource, resourceUrn, partOf, secretInputs, outOfSync }: Partial<MetaInputs>): MetaInputs {
	return { resource: String(resource), ...defined({ resourceUrn, partOf, secretInputs, outOfSync }) };
}

export function withoutMeta(inputs: Properties): Properties {
	const { resource: _1, resourceUrn: _2, partOf: _3, secretInputs: _4, outOfSync: _5, ...rest } = inputs;
	return rest;
}

/** The place of each property in a document, for example `["userTags[0].id", "tagId"]`. */
export type PropertyPlaces = readonly (readonly [path: string, property: string])[];

/** Documents that were read: the engine passes the same inputs to `check` and then to `create`. */
const read = new Map<string, DesiredOrganization>();

/** Max documents that are kept: about as many as an engine has between these two. */
const maxRead = 1000;

/** The desired state of a document, or its problems by property. */
export function readDocument(
	document: Properties,
	places: PropertyPlaces,
): { readonly desired: DesiredOrganization } | { readonly failures: readonly CheckFailure[] } {
	const key = JSON.stringify(defined(document));
	const known = read.get(key);
	if (known !== undefined) return { desired: known };
	const plain: unknown = JSON.parse(key);
	const whole = parsePlain("inputs", plain);
	if (whole === undefined) return readAsText(plain, places);
	// The organization's other objects are not in this document.
	const desired = { ...whole, narrowed: true };
	if (read.size >= maxRead) read.clear();
	read.set(key, desired);
	return { desired };
}

/** Reads a document that has problems, or that is not an ordinary one, as documents are read. */
function readAsText(document: unknown, places: PropertyPlaces): ReturnType<typeof readDocument> {
	const text = JSON.stringify(document, (_key, value: unknown) =>
		// In a document, `${NAME}` is an environment variable; in a program, it is plain text.
		typeof value === "string" ? value.replaceAll("${", () => "$${") : value,
	);
	// In a document, invisible characters are escaped; a program has the character itself.
	const content = replaceInvisible(text, escapeSequence);
	const { organizations, problems } = parseDocuments([{ file: "inputs", content }], {});
	const [whole] = organizations;
	if (whole !== undefined) return { desired: { ...whole, narrowed: true } };
	return {
		failures: problems.map(({ path, message }) => {
			const [start, property] = places.find(([place]) => path === place || path.startsWith(place)) ?? ["", path];
			// In a document, a user's list is under the user's id, which is a separate property here.
			const rest = path.slice(start.length).replace(/^(\.[\w-]{36}|\["[\w-]{36}"\])/, "");
			// The document has one line, which the program does not show.
			const text = message.replace(/,? (first )?on this line/, "");
			return {
				property: property === "" ? path : property,
				reason: rest === "" ? text : `${property}${rest}: ${text}`,
			};
		}),
	};
}
