/** `--passkey`: opens the page on which a passkey signs what a command submits, and ends it with the command. */

import { exitCodes, InterruptedError, ifAvailable } from "../common/errors.ts";
import { showText } from "../common/escape.ts";
import { isRecord } from "../common/json.ts";
import type { KnownPasskey } from "../passkey/assertion.ts";
import { PasskeyPage } from "../passkey/page.ts";
import { createPasskeyStamper } from "../passkey/stamper.ts";
import type { DoneWords } from "../passkey/views.ts";
import type { SignedRequest, SignedWords } from "../passkey/words.ts";
import type { Client, Reader } from "../wire/client.ts";
import { extendedReads } from "../wire/operations.ts";
import { readPublicKey } from "../wire/public-key.ts";
import type { Stamper } from "../wire/stamp.ts";
import type { Flags } from "./flags/given-flags.ts";
import { openBrowser } from "./output/open-browser.ts";
import type { Call } from "./output/output.ts";
import { onSignals } from "./output/terminal.ts";

export type PasskeyFlags = Flags<"passkey" | "passkeyPort">;

/** Returns what a request means; undefined if the command has no words for it. */
type DescribeRequest = (request: SignedRequest) => SignedWords | undefined;

/** Returns why a request that was signed must not be sent; undefined if it may. */
type WhyChanged = (request: SignedRequest) => Promise<string | undefined>;

export interface PasskeySigner extends Omit<OpenPage, "page"> {
	readonly stamper: Stamper;
	/** Sets the words of what is submitted, and how many requests to sign. `whyChanged` reads again after each signature. */
	describeWith(describe: DescribeRequest, count: number, whyChanged?: WhyChanged): void;
	/** See the function. */
	readonly askOwnerOnce: typeof askOwnerOnce;
	/** Sets who reads the passkeys of the organizations. Without a reader they are not known before a signature. */
	readWith(reader: Reader): void;
}

/** How long one request is open on the page. */
const limitMs = 5 * 60_000;

interface OpenPage {
	readonly page: PasskeyPage;
	/** Returns whether Ctrl-C or SIGTERM ended the page. */
	isInterrupted(): boolean;
	close(): Promise<void>;
}

/** Opens a page. The caller closes it. Throws ConfigurationError if the port cannot be used. */
export async function openPage(
	{ flags, terminal, output }: Call<PasskeyFlags>,
	what: { readonly purpose: string; readonly doneWords: DoneWords },
): Promise<OpenPage> {
	const page = await PasskeyPage.open({
		port: flags.passkeyPort,
		limitMs,
		now: terminal.now,
		doneWords: what.doneWords,
		note: (text) => output.warn(showText(text)),
		onFirstTask: (url) => {
			const isOpened = openBrowser(url, terminal);
			output.announce(`${isOpened ? "Opening" : "Open"} this page in a browser ${what.purpose}:\n  ${url}`);
		},
	});
	let isInterrupted = false;
	// The first signal ends the page, so that what was not signed counts as not sent; the second ends the process.
	const unlisten = onSignals(() => {
		if (isInterrupted) process.exit(exitCodes.interrupted);
		isInterrupted = true;
		page.end(new InterruptedError("orgsync was interrupted: nothing was signed"));
	});
	return {
		page,
		isInterrupted: () => isInterrupted,
		close: async () => {
			unlisten();
			await page.close();
		},
	};
}

/** Opens the page that signs. The caller closes it. Throws ConfigurationError if the port cannot be used. */
export async function openSigner(call: Call<PasskeyFlags>): Promise<PasskeySigner> {
	let describe: DescribeRequest = () => undefined;
	let whyChanged: WhyChanged | undefined;
	let reader: Reader | undefined;
	const doneWords = ["request signed", "requests signed"] as const;
	const { page, ...rest } = await openPage(call, { purpose: "to sign with your passkey", doneWords });
	return {
		...rest,
		askOwnerOnce,
		stamper: createPasskeyStamper({
			page,
			describe: (request) => describe(request),
			whyChanged: async (request) => (reader === undefined ? undefined : whyChanged?.(request)),
			findPasskeys: findOnce((organizationId) => readPasskeys(organizationId, reader)),
		}),
		describeWith: (next, count, why) => {
			describe = next;
			whyChanged = why;
			if (count === 0) return;
			call.output.announce(`Your passkey signs ${count === 1 ? "1 request" : `${count} requests, one touch each`}.`);
		},
		readWith: (next) => {
			reader = next;
		},
	};
}

/** Returns the client, which asks once for each organization whose passkey it is, as that takes a touch; repeats have no time. */
export function askOwnerOnce(client: Client): Client {
	const answers = new Map<unknown, ReturnType<Reader["query"]>>();
	const withOnce = (reader: Reader): Reader => ({
		async query(operation, fields) {
			if (operation.name !== extendedReads.whoami.name) return reader.query(operation, fields);
			const known = answers.get(fields.organizationId);
			if (known !== undefined) return { ...(await known), serverTimeMs: undefined };
			const answer = reader.query(operation, fields);
			answers.set(fields.organizationId, answer);
			answer.catch(() => answers.delete(fields.organizationId));
			return answer;
		},
	});
	return {
		...client,
		reader: withOnce(client.reader),
		forOrganization: () => {
			const one = client.forOrganization();
			return { ...one, reader: withOnce(one.reader) };
		},
	};
}

function findOnce<T>(find: (id: string) => Promise<T>): (id: string) => Promise<T> {
	const found = new Map<string, Promise<T>>();
	return (id) => {
		const answer = found.get(id) ?? find(id);
		found.set(id, answer);
		return answer;
	};
}

/** Returns the passkeys of all users. Undefined without a reader, or if the service does not show them to its key. */
async function readPasskeys(
	organizationId: string,
	reader: Reader | undefined,
): Promise<readonly KnownPasskey[] | undefined> {
	if (reader === undefined) return undefined;
	const answer = await ifAvailable(reader.query(extendedReads.list_users, { organizationId }));
	const users = answer?.value.users;
	if (!Array.isArray(users)) return undefined;
	return users.filter(isRecord).flatMap(({ userId, authenticators }) => toPasskeys(userId, authenticators));
}

function toPasskeys(userId: unknown, authenticators: unknown): readonly KnownPasskey[] {
	if (!Array.isArray(authenticators)) return [];
	return authenticators.filter(isRecord).flatMap(({ credentialId, credential }) => {
		if (typeof credentialId !== "string") return [];
		const publicKey = isRecord(credential) ? credential.publicKey : undefined;
		return [
			{
				credentialId: credentialId.replace(/=+$/, ""),
				publicKey: typeof publicKey === "string" ? readPublicKey(publicKey) : undefined,
				userId: typeof userId === "string" ? userId.toLowerCase() : undefined,
			},
		];
	});
}
