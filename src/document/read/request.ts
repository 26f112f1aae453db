/** Reads the request body of one activity, as JSON or YAML, and what it says of the fields that conditions read (docs/powers.md#one-activity). */

import type { Problem } from "../../common/errors.ts";
import { uuid } from "../../common/uuid.ts";
import { activityTypes, findType, kindOfType } from "../../policy/activities/types.ts";
import { listOf, type Value } from "../../policy/language/values.ts";
import { type Fields, readFields, typeOf } from "../../policy/powers/fields.ts";
import type { Cell } from "../cell.ts";
import { Problems } from "../problems.ts";
import { describeCell, didYouMean, invalidate, problemsOf, quote, quoteCell, report } from "../report.ts";
import { readSingleMap } from "./single-map.ts";
import { Substitution } from "./variables.ts";

export interface ActivityRequest {
	readonly type: string;
	/** Null where the request does not say it. */
	readonly organizationId: string | null;
	readonly fields: Fields;
	/** The user whom its parameters name, in lower case; left out where they name none. */
	readonly ownerId?: string;
}

const keys = ["type", "parameters", "organizationId", "timestampMs", "generateAppProofs", "where"];
const example = '{ "type": "ACTIVITY_TYPE_SIGN_TRANSACTION_V2", "parameters": { … } }';
const expected = `expected the request of one activity, such as ${example}`;

/** Returns the request, or its problems with line and column. Never throws. */
export function readRequest(
	file: string,
	content: Uint8Array,
): { readonly request: ActivityRequest } | { readonly problems: readonly Problem[] } {
	const problems = new Problems();
	const root = readSingleMap({ file, content }, new Substitution({ environment: {} }), problems, expected);
	const request = root === undefined ? undefined : new RequestReader().read(root);
	const found = problems.sorted([file]).filter(({ code }) => code !== "null-value");
	return request === undefined || found.length > 0 ? { problems: found } : { request };
}

class RequestReader {
	readonly #fields = new Map<string, Value | null>();

	read(root: Cell): ActivityRequest | undefined {
		for (const [key, cell] of root.entries) {
			const help = didYouMean(cell, key, keys) || `; known keys: ${keys.join(", ")}`;
			if (!keys.includes(key)) invalidate(cell, "unknown-key", `unknown key ${quote(key)}${help}`, "key");
		}
		const type = this.#type(root);
		if (type === undefined) return undefined;
		this.#parameters(type, root.entries.get("parameters"));
		this.#where(root.entries.get("where"));
		const organizationId = this.#text(root.entries.get("organizationId")) ?? null;
		const { value: owner } = root.entries.get("parameters")?.entries.get("userId") ?? {};
		const ownerId = typeof owner === "string" ? { ownerId: owner.toLowerCase() } : {};
		return { type, organizationId, fields: this.#fields, ...ownerId };
	}

	#text(cell: Cell | undefined): string | undefined {
		if (cell === undefined || cell.kind === "null") return undefined;
		if (typeof cell.value === "string") return cell.value;
		return invalidate(cell, "wrong-type", `${describeCell(cell)} must be text, in quotes`);
	}

	#type(root: Cell): string | undefined {
		const cell = root.entries.get("type");
		if (cell === undefined) {
			// It may be the key that is misspelled.
			if (!problemsOf(root).isEmpty) return undefined;
			return report(root, "missing-key", `missing key \`type\`; expected for example ${example}`);
		}
		const type = this.#text(cell);
		if (type === undefined || activityTypes.some(({ kind }) => `ACTIVITY_TYPE_${kind}` === type.replace(/_V\d+$/, "")))
			return type;
		const whole = `ACTIVITY_TYPE_${type}`;
		const types = activityTypes.map((one) => one.type);
		const help = types.includes(whole) ? `; did you mean ${quote(whole)}?` : didYouMean(cell, type, types);
		const message = `unknown type of activities ${quoteCell(cell)}${help || "; write it as the service does, such as `ACTIVITY_TYPE_CREATE_WALLET`"}`;
		return invalidate(cell, "unknown-value", message);
	}

	/** Unverified, chosen: policies see a parameter as it is in the request, under the same name. */
	#parameters(type: string, parameters: Cell | undefined): void {
		if (parameters === undefined || parameters.kind === "null") return;
		if (parameters.kind !== "map") {
			invalidate(parameters, "wrong-type", "`parameters` must be a map: { … }");
			return;
		}
		for (const name of findType(type)?.params ?? paramsOfKind(type)) {
			const cell = parameters.entries.get(name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()));
			if (cell === undefined || cell.kind === "null") continue;
			const value = asPolicyValue(cell, typeOf(["activity", "params", name])?.kind ?? "any");
			if (value !== null) this.#fields.set(`activity.params.${name}`, value);
		}
		const keyId = this.#text(parameters.entries.get("privateKeyId"));
		const signer = this.#text(parameters.entries.get("signWith"));
		const known = {
			"wallet.id": this.#text(parameters.entries.get("walletId")),
			// Unverified, chosen: a signer that is an id is that of a private key; an address may be of a wallet too.
			"private_key.id": keyId ?? (signer !== undefined && uuid.test(signer) ? signer : undefined),
		};
		for (const [path, value] of Object.entries(known)) {
			if (value !== undefined) this.#fields.set(path, value);
		}
	}

	/** What is added to the request counts more than the request. */
	#where(cell: Cell | undefined): void {
		const text = this.#text(cell);
		if (cell === undefined || text === undefined || text === "") return;
		const read = readFields(text);
		for (const { message, span } of "mistakes" in read ? read.mistakes : []) {
			const at = { ...cell.at, column: cell.at.column + 1 + span.start };
			problemsOf(cell).add(at, "where", "not-understood", message);
		}
		for (const [path, value] of "fields" in read ? read.fields : []) this.#fields.set(path, value);
	}
}

/** A version that the table lacks has the parameters that all versions of its kind have. */
const paramsOfKind = (type: string): readonly string[] => {
	const [first, ...others] = activityTypes.filter(({ kind }) => kind === kindOfType(type));
	return first?.params.filter((name) => others.every(({ params }) => params.includes(name))) ?? [];
};

/** Returns the value as policies have it; null for one of another type. */
function asPolicyValue(cell: Cell, kind: string): Value | null {
	if (kind === "number") return /^\d{1,77}$/.test(cell.written) ? BigInt(cell.written) : null;
	if (kind === "bool" || kind === "string")
		return typeof cell.value === kind.replace("bool", "boolean") ? (cell.value as Value) : null;
	if (kind !== "list" || cell.kind !== "list") return null;
	const items = cell.items.map((item) => asPolicyValue(item, "string"));
	return items.every((item) => item !== null) ? listOf(items) : null;
}
