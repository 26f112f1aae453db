/** An exported Pulumi program, without its language. */
import type { AccessWindow } from "../../plan/organization.ts";
import type { Missing } from "./text.ts";

export const programLanguages = ["pulumi-yaml", "pulumi-typescript"] as const;

export type ProgramLanguage = (typeof programLanguages)[number];

/** An id, and the name of its object for a comment; empty if it has none. */
export interface NamedId {
	readonly id: string;
	readonly name: string;
}

export interface ProgramTag {
	readonly resource: string;
	readonly name: string;
	readonly id: string;
	/** Undefined if the members are unknown. */
	readonly members: readonly ProgramMember[] | undefined;
}

export interface ProgramMember extends NamedId {
	/** Undefined: the user always has the tag. */
	readonly window: AccessWindow | undefined;
}

/** Returns the properties of a member's entry, in their order. */
export function propertiesOf(
	id: string,
	{ from, until, reason }: AccessWindow,
): readonly (readonly [string, string])[] {
	const all = Object.entries({ user: id, from, until, reason });
	return all.flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]));
}

/** A resource that would delete objects that exist. */
export interface ProgramRemoval {
	readonly resource: string;
	readonly type: string;
	readonly user: NamedId | undefined;
	/** The input that has the ids: a list, or the one id. */
	readonly input: string;
	readonly ids: readonly NamedId[] | NamedId;
}

export interface Program extends Missing {
	readonly organizationId: string;
	/** The name of the Pulumi project. */
	readonly project: string;
	readonly tags: readonly ProgramTag[];
	readonly removals: readonly ProgramRemoval[];
	/** Read-only objects, in words. */
	readonly readOnly: readonly string[];
}
