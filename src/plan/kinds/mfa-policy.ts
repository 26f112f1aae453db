/** MFA policies of users, found by id, or by name among those of the user. */
import { readOnlyKind } from "./read-only.ts";

export const mfaPolicy = readOnlyKind({
	name: "mfaPolicy",
	words: ["MFA policy", "MFA policies"],
	groupedBy: "user",
	identities: ["id", "name"],
	isIdentityId: (identity) => identity === "id",
	fields: ["name", "condition", "requiredAuthenticationMethods", "order", "notes"],
	matches: ({ mfaPolicyId, mfaPolicyName }, { foundBy, key }) =>
		foundBy === "id" ? String(mfaPolicyId).toLowerCase() === key : mfaPolicyName === key,
	nameField: "mfaPolicyName",
	activities: /_MFA_POLIC(Y|IES)/,
	exported: {
		idField: "mfaPolicyId",
		fields: ["name", "order", "condition", "requiredAuthenticationMethods", "notes"],
	},
	remedy: "orgsync cannot change MFA policies: change it to what the document says by hand, or ",
});
