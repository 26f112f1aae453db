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
	remedy: "a session profile cannot be changed once it exists: make another by hand and expect that one, or ",
});
