/** An exported Pulumi program, without its language. */
import type { AccessWindow } from "../../plan/organization.ts";
import type { Missing } from "./text.ts";

export const programLanguages = ["pulumi-yaml", "pulumi-typescript"] as const;

export type ProgramLanguage = (typeof programLanguages)[number];

/** An id, and the name of its object for a comment; empty if it has none. */
export interface NamedId {
	readonly id: string;
	readonly name: string;
	/** Of a member; left out: the user always has the tag. */
	readonly window?: AccessWindow | undefined;
}

/** The value of a property: a text, an id, a list of them, or the members of a tag. */
export type ProgramValue = string | NamedId | readonly NamedId[] | { readonly exactly: readonly NamedId[] };

export interface ProgramResource {
	readonly name: string;
	readonly type: string;
	/** In their order, besides the organization's id. */
	readonly properties: readonly (readonly [key: string, value: ProgramValue])[];
}

export interface Program extends Missing {
	readonly organizationId: string;
	/** The name of the Pulumi project. */
	readonly project: string;
	readonly tags: readonly ProgramResource[];
	/** Resources that would delete objects that exist. */
	readonly removals: readonly ProgramResource[];
	/** Read-only objects, in words. */
	readonly readOnly: readonly string[];
}

/** Returns an entry of a list: the id, or with a window the properties in their order. `write` writes a text. */
export function writeEntry({ id, window }: NamedId, write: (text: string) => string): string {
	if (window === undefined) return write(id);
	const { from, until, reason } = window;
	const given = Object.entries({ user: id, from, until, reason });
	const properties = given.flatMap(([key, value]) => (value === undefined ? [] : [`${key}: ${write(value)}`]));
	return `{ ${properties.join(", ")} }`;
}
