/** `passkey`: makes a passkey for the signing page, and prints what a service needs to register it. It calls no service. */

import { exitCodes } from "../../common/errors.ts";
import { createRegistration } from "../../passkey/registration.ts";
import { type PasskeyResult, resultHead } from "../../render/result/result.ts";
import type { Flags } from "../flags/given-flags.ts";
import type { Call } from "../output/output.ts";
import { openPage, type PasskeyFlags } from "../passkey.ts";
import { findUser, type NamingFlags } from "./selection.ts";

type PasskeyCommandFlags = NamingFlags & PasskeyFlags & Required<Flags<"user">> & Flags<"name">;

/** Returns the new passkey, with the parameters that register it. Throws what `PasskeyPage.ask` throws. */
export async function passkey(call: Call<PasskeyCommandFlags>): Promise<PasskeyResult> {
	const { user, name } = call.flags;
	const userId = await findUser(call);
	const doneWords = ["passkey created", "passkeys created"] as const;
	const { page, close } = await openPage(call, { purpose: "to create the passkey", doneWords });
	try {
		const made = await page.ask(createRegistration(user, page.origin));
		const { credentialId, publicKey, challenge, clientDataJson, attestationObject, transports } = made;
		const attestation = { credentialId, clientDataJson, attestationObject, transports };
		return {
			...resultHead("passkey", exitCodes.inSync, null),
			userId,
			parameters: { authenticators: [{ authenticatorName: name, challenge, attestation }], userId },
			seed: { credentialId, publicKey, authenticatorName: name },
		};
	} finally {
		await close();
	}
}
