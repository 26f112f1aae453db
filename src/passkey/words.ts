/** What a passkey is to sign, as its bytes say it. */
import { isRecord, readJson } from "../common/json.ts";
import { bdi, type Html, html } from "../render/html/html.ts";

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
	/** More about it, as sections of the page. */
	readonly html: Html;
	/** Returns why it must not be sent any more, after a person took a while to sign; undefined while it may. */
	readonly whyPast?: () => string | undefined;
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
	const rows = [["Organization", organizationId] as const, ...fields].map(
		([name, value]) => html`<div><dt>${name}</dt><dd>${bdi(value)}</dd></div>`,
	);
	return {
		heading: "Read the organization",
		html: html`<section class="card plain" aria-label="What is read"><dl class="fields">${rows}</dl></section>`,
	};
}
