/** Stamps request bodies on the page. */
import { PasskeyError } from "../common/errors.ts";
import type { Stamp, Stamper } from "../wire/stamp.ts";
import { checkAssertion, type KnownPasskey, passkeysOfUser } from "./assertion.ts";
import type { PasskeyPage } from "./page.ts";
import { signView } from "./views.ts";
import { queryWords, readRequest, type SignedRequest, type SignedWords } from "./words.ts";

interface PasskeyStamperOptions {
	readonly page: PasskeyPage;
	/** Returns what a submit means; undefined if that cannot be said. */
	readonly describe: (request: SignedRequest) => SignedWords | undefined;
	/** Returns why a signed submit must not be sent: the organization changed meanwhile. Undefined if it may be sent. */
	readonly whyChanged?: (request: SignedRequest) => Promise<string | undefined>;
	/** Returns the passkeys of the users of an organization; undefined if they are not known. */
	readonly findPasskeys: (organizationId: string) => Promise<readonly KnownPasskey[] | undefined>;
}

/**
 * Returns a stamper that shows each body on the page and stamps it with the passkey that signed it there. The same submit is shown
 * once: sent again, it has the same stamp. One user signs all requests of an organization. `stamp` throws what `PasskeyPage.ask` throws, and PasskeyError for a body that it
 * has no words for, or that must not be sent any more.
 */
export function createPasskeyStamper({ page, describe, whyChanged, findPasskeys }: PasskeyStamperOptions): Stamper {
	const stamps = new Map<string, Stamp>();
	/** By organization, the id of the passkey that signed first: one user signs all that a command sends there. */
	const firstIds = new Map<string, string>();
	return {
		async stamp(body) {
			const known = stamps.get(body);
			if (known !== undefined) return known;
			const request = readRequest(body);
			const isQuery = request?.type === undefined;
			const words = request === undefined ? undefined : isQuery ? queryWords(request) : describe(request);
			if (request === undefined || words === undefined)
				throw new PasskeyError("the request was not shown for signing: orgsync has no words for it");
			const { organizationId } = request;
			const passkeys = await findPasskeys(organizationId);
			const credentialIds = () => {
				const firstId = firstIds.get(organizationId);
				if (passkeys === undefined) return firstId === undefined ? [] : [firstId];
				return passkeysOfUser(passkeys, firstId).map(({ credentialId }) => credentialId);
			};
			const stamp = await page.ask({
				browser: () => ({ kind: "sign", body, credentialIds: credentialIds() }),
				view: (untilMs, done) => signView(words, request, untilMs, done),
				check: (answer) => {
					const result = checkAssertion(answer, {
						...{ body, origin: page.origin, passkeys, firstId: firstIds.get(organizationId) },
					});
					if ("problem" in result) return result;
					const past = words.whyPast?.();
					if (past !== undefined) return { error: new PasskeyError(past) };
					if (!firstIds.has(organizationId)) firstIds.set(organizationId, result.credentialId);
					return { value: result.stamp };
				},
			});
			const changed = isQuery ? undefined : await whyChanged?.(request);
			if (changed !== undefined) throw new PasskeyError(changed);
			if (!isQuery) stamps.set(body, stamp);
			return stamp;
		},
	};
}
