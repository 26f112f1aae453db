/** What an engine keeps of resources, what a program asks of it, and what a command did. */
import type { EngineProvider } from "./providers.ts";
import type { Values } from "./values.ts";

/** A resource of a state. */
export interface StateResource {
	readonly urn: string;
	readonly type: string;
	readonly custom: boolean;
	readonly id: string;
	readonly inputs: Values;
	readonly outputs: Values;
	readonly parent: string;
	/** `URN::ID` of its provider. */
	readonly provider: string;
	/** Read by an id, and never changed. */
	readonly external: boolean;
	readonly retainOnDelete: boolean;
	readonly protect: boolean;
	readonly initErrors: readonly string[];
}

export type Operation = "same" | "create" | "update" | "replace" | "delete" | "read";

export interface Step {
	readonly operation: Operation;
	readonly urn: string;
	/** What differs, as the provider named it. */
	readonly names: readonly string[];
	readonly inputs: { readonly old: Values; readonly new: Values };
}

export interface Diagnostic {
	readonly severity: "info" | "warning" | "error";
	readonly message: string;
	readonly urn: string;
}

/** What a program asks of the engine for one resource. */
export interface Registration {
	readonly urn: string;
	readonly type: string;
	readonly name: string;
	readonly custom: boolean;
	readonly parent: string;
	readonly inputs: Values;
	readonly provider: string;
	readonly aliases: readonly string[];
	readonly ignoreChanges: readonly string[];
	readonly replaceOnChanges: readonly string[];
	readonly retainOnDelete: boolean;
	readonly protect: boolean;
	readonly deleteBeforeReplace: boolean;
}

export interface DeploymentOptions {
	readonly isPreview: boolean;
	/** The state before the command; the deployment changes it, unless it is a preview. */
	readonly state: Map<string, StateResource>;
	/** The provider of a reference, `URN::ID`, or the default one of a type. */
	readonly providerOf: (reference: string, type: string) => Promise<EngineProvider | undefined>;
	/** Goes on with other resources after a failure. */
	readonly continueOnError: boolean;
	/** Only these resources are changed; all if there is none. */
	readonly targets: readonly string[];
	/** These resources are replaced, also without a difference. */
	readonly replaces: readonly string[];
}

/** What the engine made of a registration. */
export interface Registered {
	readonly id: string;
	readonly outputs: Values;
}
