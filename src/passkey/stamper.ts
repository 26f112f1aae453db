/** Stamps request bodies on the page. */
import { PasskeyError } from "../errors.ts";
import type { Stamp, Stamper } from "../wire/stamp.ts";
import { checkAssertion, type KnownPasskey } from "./assertion.ts";
import type { PasskeyPage } from "./page.ts";
import { type SignedWords, signView } from "./views.ts";

export interface PasskeyStamperOptions {
	readonly page: PasskeyPage;
	/** Returns what a body means; undefined if that cannot be said. */
	readonly describe: (body: string) => SignedWords | undefined;
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
			const { organizationId, isSubmit } = readBody(body);
			const words = describe(body);
			if (words === undefined) throw unreadable();
			const passkeys = await findPasskeys(organizationId);
			const stamp = await page.ask({
				browser: { kind: "sign", body, credentialIds: (passkeys ?? []).map(({ credentialId }) => credentialId) },
				view: (untilMs, done) => signView(words, body, untilMs, done),
				check: (answer) => {
					const result = checkAssertion(answer, { body, origin: page.origin, passkeys });
					return "stamp" in result ? { value: result.stamp } : result;
				},
			});
			if (isSubmit) stamps.set(body, stamp);
			return stamp;
		},
	};
}

/** Throws PasskeyError for a body that another reader could understand differently, such as one with a repeated member. */
function readBody(body: string): { readonly organizationId: string; readonly isSubmit: boolean } {
	try {
		const value = JSON.parse(body) as Readonly<Record<string, unknown>>;
		const { organizationId, type } = value;
		if (JSON.stringify(value) === body && typeof organizationId === "string") {
			return { organizationId, isSubmit: typeof type === "string" };
		}
	} catch {
		// Not JSON.
	}
	throw unreadable();
}

function unreadable(): PasskeyError {
	return new PasskeyError("the request was not shown for signing: orgsync has no words for it");
}
