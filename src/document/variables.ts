/**
 * Decides which environment variables a document can use, and how much they can add to it.
 *
 * A pull request can write a document, and everyone can read a plan. So a document can use the variables that are meant for
 * it and those that the operator names, never a credential.
 */
import { findHidden, nameCharacter } from "../invisible.ts";
import { quoted } from "./findings.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment, and what a document can use of it. */
export interface Variables {
	readonly environment: Environment;
	/** Names that the operator allows beside those that are always allowed. */
	readonly named: readonly string[];
	/** How the operator allows a name, for a message: `--env NAME`. */
	readonly allowedBy: (name: string) => string;
}

/** Longest name that a message repeats, in characters. */
const longestName = 60;

/** Names that a document can use without `--env`. */
const alwaysAllowed = /^(?:ORGSYNC_VAR_\w+|ORGSYNC_ORGANIZATION_ID)$/;

/** What orgsync and the tools around it read as a key, a key file, a stamp command or a proxy. */
const credentials: ReadonlySet<string> = new Set([
	...["ORGSYNC", "TURNKEY"].flatMap((owner) => [`${owner}_API_PRIVATE_KEY`, `${owner}_API_PUBLIC_KEY`]),
	...["API_PRIVATE_KEY", "API_PUBLIC_KEY"],
	...["ORGSYNC_KEY_FILE", "ORGSYNC_STAMP_COMMAND"],
	// A proxy's address may hold a password.
	...["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"],
	// Pulumi hands a program its whole configuration, secrets included, in the first; the others open it.
	...["PULUMI_CONFIG", "PULUMI_CONFIG_PASSPHRASE", "PULUMI_CONFIG_PASSPHRASE_FILE", "PULUMI_ACCESS_TOKEN"],
]);

/** Returns the environment with the names that the operator allows. */
export function variablesOf(
	environment: Environment,
	{ env = [], allowedBy = (name) => `\`--env ${name}\`` }: VariableOptions = {},
): Variables {
	return { environment, named: env, allowedBy };
}

export interface VariableOptions {
	/** Names of further variables that documents may use; a credential is refused all the same. */
	readonly env?: readonly string[];
	/** How the operator allows a name, for the message about one that is not allowed; `--env NAME` when left out. */
	readonly allowedBy?: (name: string) => string;
}

/** Whether a variable is a credential, in any case: Windows ignores the case of names. */
export function isCredential(name: string): boolean {
	return credentials.has(name.toUpperCase());
}

/** Whether a text can be the name of a variable. */
export function isVariableName(text: string): boolean {
	return /^[A-Za-z_]\w*$/.test(text);
}

/** Max bytes that variables and aliases can add to one document: about 29,000 ids. */
const maxDocumentBytes = 1024 * 1024;

/** Max bytes for all documents that are read together. */
const maxAllBytes = 64 * maxDocumentBytes;

/** Counts what variables and aliases add to documents, so that a small file cannot become a huge one. */
export class Expansion {
	#document = 0;
	#all = 0;

	/** Starts counting the next document. */
	beginDocument(): void {
		this.#document = 0;
	}

	/** Bytes that the document can still gain; negative once it has gained too many. */
	get left(): number {
		return Math.min(maxDocumentBytes - this.#document, maxAllBytes - this.#all);
	}

	/** Counts the bytes; returns whether they are within the limits. */
	add(bytes: number): boolean {
		this.#document += bytes;
		this.#all += bytes;
		return this.left >= 0;
	}
}

export const expansionMessage =
	"variables and aliases add more than 1 MiB to this document, or 64 MiB to all documents; use shorter values or fewer of them";

export interface Filled {
	readonly text: string;
	readonly used: boolean;
	/** Empty when there are no mistakes. */
	readonly code: string;
	readonly mistakes: readonly string[];
}

/**
 * The text with variables in place of `${NAME}`; a value is never looked into again. Each mistake is listed. `isId`: it has
 * to become an id, which no literal `${` can be part of.
 */
export function fillIn(text: string, variables: Variables, expansion: Expansion, isId = false): Filled {
	if (!text.includes("${")) return { text, used: false, code: "", mistakes: [] };
	const parts: string[] = [];
	const mistakes: string[] = [];
	let code = "";
	let used = false;
	let done = 0;
	for (const found of text.matchAll(/\$\$\{|\$\{([^}]*)(\}?)/g)) {
		parts.push(text.slice(done, found.index));
		done = found.index + found[0].length;
		const [whole, name, end] = found;
		if (name === undefined) {
			parts.push("${");
			continue;
		}
		used = true;
		const value = end === "}" ? lookUp(name, variables, isId) : malformed(whole);
		if ("value" in value) {
			if (!expansion.add(Buffer.byteLength(value.value))) {
				return { text: "", used, code: "expansion", mistakes: [expansionMessage] };
			}
			parts.push(value.value);
		} else {
			mistakes.push(value.mistake);
			code = value.code;
		}
	}
	parts.push(text.slice(done));
	return { text: parts.join(""), used, code, mistakes };
}

type Found = { readonly value: string } | { readonly code: string; readonly mistake: string };

function lookUp(name: string, { environment, named, allowedBy }: Variables, isId: boolean): Found {
	if (!isVariableName(name)) return malformed(`\${${name}}`);
	const shown = quoted(name);
	const short = name.length > longestName ? `${name.slice(0, longestName)}…` : name;
	if (isCredential(name)) {
		return {
			code: "credential-variable",
			mistake: `the environment variable ${shown} is a credential, which documents cannot use; remove it`,
		};
	}
	if (!alwaysAllowed.test(name) && !named.includes(name)) {
		return {
			code: "variable-not-allowed",
			mistake: `documents cannot use the environment variable ${shown}; name it \`ORGSYNC_VAR_${short}\`, or allow it with ${allowedBy(short)}`,
		};
	}
	const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
	const invisible = value === undefined ? undefined : findHidden(value);
	if (invisible !== undefined) {
		return {
			code: "invisible-character",
			mistake: `the environment variable ${shown} holds the invisible character ${nameCharacter(invisible.character)}; remove it there`,
		};
	}
	if (value !== undefined) return { value };
	return {
		code: "unset-variable",
		mistake: isId
			? `the environment variable ${shown} is not set; set it, or write the id`
			: `the environment variable ${shown} is not set; set it, or write \`$\${${short}}\` for that very text`,
	};
}

function malformed(found: string): Found {
	return {
		code: "bad-variable",
		mistake: `${quoted(found)} names no environment variable; write \`\${NAME}\`, or \`$\${\` for a literal \`\${\``,
	};
}
