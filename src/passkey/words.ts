/** Words for what is signed, made from its bytes. */
import { isRecord, readJson } from "../json.ts";
import { bdi, type Html, html } from "../render/html-text.ts";

/** A body that a passkey is to sign. */
export interface SignedRequest {
	readonly body: string;
	readonly organizationId: string;
	/** Undefined for a query. */
	readonly type: string | undefined;
	/** Parameters of a submit, fields of a query. */
	readonly parameters: Readonly<Record<string, unknown>>;
}

/** What a request means, in words, made from the bytes that are signed. */
export interface SignedWords {
	/** One line: what is signed. */
	readonly heading: string;
	/** More about it. */
	readonly html: Html;
}

/** Returns the request; undefined for bytes that another reader could understand differently, such as a repeated member. */
export function readRequest(body: string): SignedRequest | undefined {
	const read = readJson(body);
	if (!("value" in read) || !isRecord(read.value) || JSON.stringify(read.value) !== body) return undefined;
	const { organizationId, type, parameters, ...fields } = read.value;
	if (typeof organizationId !== "string") return undefined;
	if (type === undefined) return { body, organizationId, type, parameters: fields };
	return typeof type === "string" && isRecord(parameters) ? { body, organizationId, type, parameters } : undefined;
}

/** Returns the words of a query, which changes nothing. */
export function queryWords({ organizationId, parameters }: SignedRequest): SignedWords {
	const fields = Object.entries(parameters).map(([name, value]) => [name, JSON.stringify(value)] as const);
	return { heading: "Read the organization", html: factsCard([["Organization", organizationId], ...fields]) };
}

/** Returns the words of an import; undefined for any other request. `user` is what the operator called the user. */
export function importWords(
	{ type, organizationId, parameters }: SignedRequest,
	user: string,
): SignedWords | undefined {
	const { userId, ...others } = parameters;
	const isImport = type === "ACTIVITY_TYPE_INIT_IMPORT_PRIVATE_KEY" && Object.keys(others).length === 0;
	if (!isImport || typeof userId !== "string") return undefined;
	const name = user.toLowerCase() === userId ? [] : ([["User", user]] as const);
	return {
		heading: "Begin to import a private key",
		html: factsCard([...name, ["User id", userId], ["Organization", organizationId]]),
	};
}

/** Returns names and values as a card. */
function factsCard(facts: readonly (readonly [name: string, value: string])[]): Html {
	return html`<section class="card plain" aria-label="What is signed"><dl class="fields">${facts.map(
		([name, value]) => html`<div><dt>${name}</dt><dd>${bdi(value)}</dd></div>`,
	)}</dl></section>`;
}
