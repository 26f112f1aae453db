/** Stamps request bodies on the page. */
import { PasskeyError } from "../errors.ts";
import type { Stamp, Stamper } from "../wire/stamp.ts";
import { checkAssertion, type KnownPasskey } from "./assertion.ts";
import type { PasskeyPage } from "./page.ts";
import { signView } from "./views.ts";
import { queryWords, readRequest, type SignedRequest, type SignedWords } from "./words.ts";

export interface PasskeyStamperOptions {
	readonly page: PasskeyPage;
	/** Returns what a submit means; undefined if that cannot be said. */
	readonly describe: (request: SignedRequest) => SignedWords | undefined;
	/** Returns the passkeys of the users of an organization; undefined if they are not known. */
	readonly findPasskeys: (organizationId: string) => Promise<readonly KnownPasskey[] | undefined>;
}

/**
 * Returns a stamper that shows each body on the page and stamps it with the passkey that signed it there. The same submit is shown
 * once: sent again, it has the same stamp. `stamp` throws what `PasskeyPage.ask` throws, and PasskeyError for a body that it
 * has no words for.
 */
export function createPasskeyStamper({ page, describe, findPasskeys }: PasskeyStamperOptions): Stamper {
	const stamps = new Map<string, Stamp>();
	return {
		async stamp(body) {
			const known = stamps.get(body);
			if (known !== undefined) return known;
			const request = readRequest(body);
			const isQuery = request?.type === undefined;
			const words = request === undefined ? undefined : isQuery ? queryWords(request) : describe(request);
			if (request === undefined || words === undefined) throw refuseWithoutWords();
			const passkeys = await findPasskeys(request.organizationId);
			const stamp = await page.ask({
				browser: { kind: "sign", body, credentialIds: (passkeys ?? []).map(({ credentialId }) => credentialId) },
				view: (untilMs, done) => signView(words, request, untilMs, done),
				check: (answer) => {
					const result = checkAssertion(answer, { body, origin: page.origin, passkeys });
					if ("problem" in result) return result;
					const past = words.whyPast?.();
					return past === undefined ? { value: result.stamp } : { error: new PasskeyError(past) };
				},
			});
			if (!isQuery) stamps.set(body, stamp);
			return stamp;
		},
	};
}

function refuseWithoutWords(): PasskeyError {
	return new PasskeyError("the request was not shown for signing: orgsync has no words for it");
}
