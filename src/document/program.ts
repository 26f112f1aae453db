/** An exported Pulumi program, without its language. */
import type { Omission } from "./export-text.ts";

/** The languages in which `export` writes a Pulumi program. */
export const programLanguages = ["pulumi-yaml", "pulumi-typescript"] as const;

export type ProgramLanguage = (typeof programLanguages)[number];

/** An id, and the name of its object for a comment; empty if it has none. */
export interface NamedId {
	readonly id: string;
	readonly name: string;
}

export interface ProgramTag {
	/** The name of the resource. */
	readonly resource: string;
	readonly name: string;
	readonly id: string;
	/** Undefined if the members are unknown. */
	readonly members: readonly NamedId[] | undefined;
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

export interface Program {
	readonly organizationId: string;
	/** The name of the Pulumi project. */
	readonly project: string;
	readonly tags: readonly ProgramTag[];
	readonly removals: readonly ProgramRemoval[];
	/** Read-only objects, in words. */
	readonly readOnly: readonly string[];
	readonly unread: readonly Omission[];
	readonly leftOut: readonly Omission[];
}
