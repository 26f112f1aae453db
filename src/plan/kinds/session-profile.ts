/** Session profiles, found by id. One that exists cannot be changed. */
import { readOnlyKind } from "./read-only.ts";

export const sessionProfile = readOnlyKind({
	name: "sessionProfile",
	words: ["session profile", "session profiles"],
	groupedBy: null,
	identities: ["id"],
	isIdentityId: () => true,
	fields: ["name", "scope", "expirationSeconds", "notes"],
	matches: () => true,
	nameField: "sessionProfileName",
	activities: /_SESSION_PROFILE/,
	exported: { idField: "sessionProfileId", fields: ["name", "scope", "expirationSeconds", "notes"] },
	describeRemedy: (accept) =>
		`a session profile cannot be changed once it is made: make another by hand and expect that one, or ${accept}`,
});
