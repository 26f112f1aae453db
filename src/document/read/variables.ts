/**
 * Decides which environment variables documents can use, and limits how much they can add to a document.
 *
 * A pull request can write a document, and everyone can read a plan. So a document can use `ORGSYNC_VAR_*` and the variables
 * that the operator names, never a credential.
 */

import { findHidden, nameCharacter } from "../../common/invisible.ts";
import type { Position } from "../../plan/organization.ts";
import { quote } from "../report.ts";
import { type EachValue, eachPrefix, type RowValues, valueMistake } from "./each.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Max characters of a name in a message. */
const maxNameLength = 60;

/** Names that a document can use without `--env`. */
const alwaysAllowed = /^(?:ORGSYNC_VAR_\w+|ORGSYNC_ORGANIZATION_ID)$/;

/** Variables from which orgsync and related tools read keys, key files, stamp commands and proxies. */
const credentials: ReadonlySet<string> = new Set([
	...["ORGSYNC", "TURNKEY"].flatMap((owner) => [`${owner}_API_PRIVATE_KEY`, `${owner}_API_PUBLIC_KEY`]),
	...["API_PRIVATE_KEY", "API_PUBLIC_KEY"],
	...["ORGSYNC_KEY_FILE", "ORGSYNC_STAMP_COMMAND"],
	// A proxy's address may hold a password.
	...["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"],
	// The first has the whole configuration of a Pulumi program, secrets included; the others decrypt it.
	...["PULUMI_CONFIG", "PULUMI_CONFIG_PASSPHRASE", "PULUMI_CONFIG_PASSPHRASE_FILE", "PULUMI_ACCESS_TOKEN"],
]);

export interface VariableOptions {
	/** Names of further variables that documents may use. A credential is refused anyway. */
	readonly env?: readonly string[];
	/** Returns how the operator allows a name, for messages; `--env NAME` by default. */
	readonly allowedBy?: (name: string) => string;
}

/** The variables of documents, with their values. */
export interface Variables extends VariableOptions {
	readonly environment: Environment;
}

/** Whether a variable is a credential. Case is ignored, as on Windows. */
export function isCredential(name: string): boolean {
	return credentials.has(name.toUpperCase());
}

export function isVariableName(text: string): boolean {
	return /^[A-Za-z_]\w*$/.test(text);
}

/** Max bytes that variables and aliases can add to one document: about 29,000 ids. */
const maxDocumentBytes = 1024 * 1024;

/** Max bytes that they can add to all documents of a run. */
const maxAllBytes = 64 * maxDocumentBytes;

/** Max bytes of what templates say about all their organizations. */
const maxTemplateBytes = 4096 * maxDocumentBytes;

/** Substitutes variables, and counts the bytes that they and aliases add: a small file cannot become a huge one. */
export class Substitution {
	readonly #options: Variables;
	#document = 0;
	#all = 0;
	#ofTemplates = 0;
	#row: RowValues | undefined;

	constructor(options: Variables) {
		this.#options = options;
	}

	/** Starts counting the next document. */
	beginDocument(): void {
		this.#document = 0;
		this.#row = undefined;
	}

	/** Starts counting the document that a template of `bytes` makes with the values of a row. */
	beginRow(row: RowValues, bytes: number): void {
		this.#document = 0;
		this.#row = row;
		this.#ofTemplates += bytes;
	}

	/** Bytes that the document can still gain; negative after it gained too many. */
	get left(): number {
		const all = this.#row === undefined ? maxAllBytes - this.#all : maxTemplateBytes - this.#ofTemplates;
		return Math.min(maxDocumentBytes - this.#document, all);
	}

	/** Counts the bytes, and returns whether they are within the limits. */
	add(bytes: number): boolean {
		this.#document += bytes;
		if (this.#row === undefined) this.#all += bytes;
		else this.#ofTemplates += bytes;
		return this.left >= 0;
	}

	/** What is wrong if a limit is exceeded. */
	get expansionMessage(): string {
		return this.#row !== undefined && this.#ofTemplates > maxTemplateBytes
			? "the organizations of all lists are larger than 4 GiB in total; split the lists, or use a smaller document"
			: expansionMessage;
	}

	/** Returns the text with values in place of `${NAME}`, once, and what is wrong. `isId`: no hint suggests a literal `${`. */
	substitute(text: string, isId = false): Substituted {
		if (!text.includes("${")) return { text, written: text, used: false, code: "", mistakes: [] };
		const parts: string[] = [];
		const written: string[] = [];
		const mistakes: string[] = [];
		let code = "";
		let used = false;
		let each: EachUse | undefined;
		let done = 0;
		for (const found of text.matchAll(/\$\$\{|\$\{([^}]*)(\}?)/g)) {
			const before = text.slice(done, found.index);
			done = found.index + found[0].length;
			const [whole, name, end] = found;
			if (name === undefined) {
				parts.push(before, "${");
				written.push(before, whole);
				continue;
			}
			const value = end === "}" ? this.lookUp(name, isId) : malformed(whole);
			const isEach = "each" in value;
			used ||= !isEach || value.each.written !== undefined;
			const isMissing = "code" in value && value.code === missingValue;
			if (isEach && (each === undefined || isMissing)) {
				each = { name, at: value.each.at, value: whole === text ? value.each.value : undefined };
			}
			if ("value" in value) {
				if (!this.add(Buffer.byteLength(value.value))) {
					return { text: "", written: text, used, each, code: "expansion", mistakes: [this.expansionMessage] };
				}
				parts.push(before, value.value);
				written.push(before, isEach ? (value.each.written ?? value.value) : whole);
			} else {
				mistakes.push(value.mistake);
				code = value.code;
			}
		}
		const rest = text.slice(done);
		return { text: [...parts, rest].join(""), written: [...written, rest].join(""), used, each, code, mistakes };
	}

	/** Returns the value that the row of the organization has for `each.NAME`. */
	#lookUpEach(name: string): LookupResult {
		const column = name.slice(eachPrefix.length);
		if (this.#row === undefined) {
			const shown = quote(`\${${name}}`);
			return {
				code: "each-without-list",
				mistake: `${shown} is a value of a list, and this document has none; add \`organizations\`, or write the value`,
			};
		}
		const each = this.#row.find(column);
		// What no row or only some rows have is reported once, when the whole list was read.
		if (each.value === undefined) return { each, code: missingValue, mistake: "" };
		const value = String(each.value);
		const wrong = valueMistake(value, this.#row);
		return wrong === undefined ? { each, value } : { each, ...wrong };
	}

	/** Returns the value of a variable or of the row, or what is wrong; no message: the row does not have it. */
	lookUp(name: string, isId = false): LookupResult {
		if (name.startsWith(eachPrefix)) return this.#lookUpEach(name);
		const { env = [], allowedBy = (unset: string) => `\`--env ${unset}\`` } = this.#options;
		if (!isVariableName(name)) return malformed(`\${${name}}`);
		const shown = quote(name);
		const short = name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name;
		if (isCredential(name)) {
			return {
				code: "credential-variable",
				mistake: `the environment variable ${shown} is a credential, which documents cannot use; remove it`,
			};
		}
		if (!alwaysAllowed.test(name) && !env.includes(name)) {
			return {
				code: "variable-not-allowed",
				mistake: `documents cannot use the environment variable ${shown}; name it \`ORGSYNC_VAR_${short}\`, or allow it with ${allowedBy(short)}`,
			};
		}
		const value = Object.hasOwn(this.#options.environment, name) ? this.#options.environment[name] : undefined;
		const invisible = value === undefined ? undefined : findHidden(value);
		if (invisible !== undefined) {
			return {
				code: "invisible-character",
				mistake: `the environment variable ${shown} contains the invisible character ${nameCharacter(invisible.character)}; remove it there`,
			};
		}
		if (value !== undefined) return { value };
		return {
			code: "unset-variable",
			mistake: isId
				? `the environment variable ${shown} is not set; set it, or write the id`
				: `the environment variable ${shown} is not set; set it, or write \`$\${${short}}\` for the literal text`,
		};
	}
}

const expansionMessage =
	"variables and aliases add more than 1 MiB to this document, or 64 MiB to all documents; use shorter values or fewer of them";

/** The code of a value that the row of the organization does not have. */
const missingValue = "missing-value";

/** The first value of a list that a text uses, or one that the row does not have. */
interface EachUse {
	/** As the document has it, for example `each.owner`. */
	readonly name: string;
	/** Where the value is in the list. */
	readonly at: Position;
	/** The value itself if the text has nothing else. */
	readonly value: EachValue["value"];
}

export interface Substituted {
	readonly text: string;
	/** The text for messages: with values of lists, but with the names of environment variables. */
	readonly written: string;
	/** Whether it uses an environment variable. */
	readonly used: boolean;
	readonly each?: EachUse | undefined;
	/** Empty when there are no mistakes. */
	readonly code: string;
	readonly mistakes: readonly string[];
}

type LookupResult = ({ readonly value: string } | { readonly code: string; readonly mistake: string }) & {
	readonly each?: EachValue;
};

function malformed(found: string): LookupResult {
	return {
		code: "bad-variable",
		mistake: `${quote(found)} is not a variable; write \`\${NAME}\`, or \`$\${\` for a literal \`\${\``,
	};
}
