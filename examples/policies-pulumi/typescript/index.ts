/** The tags and policies of a new organization, as a TypeScript program. */
import { Effect, Policy, UserTag } from "@orgsync/pulumi";

const alice = "5b7e1f90-2c4d-4a6b-8e13-7f0a9c2d5b01";
const bob = "5b7e1f90-2c4d-4a6b-8e13-7f0a9c2d5b02";
const carol = "5b7e1f90-2c4d-4a6b-8e13-7f0a9c2d5b03";

const admins = new UserTag("admins", { name: "admins", create: true, members: { exactly: [alice, bob] } });
const signers = new UserTag("signers", { name: "signers", create: true, members: { exactly: [alice, carol] } });

const smallAmounts = new Policy("small-amounts", {
	name: "signers sign small amounts",
	effect: Effect.Allow,
	// `\${` is how a template literal writes `${`. The names are those under `references`.
	consensus: `approvers.any(user, user.tags.contains('\${userTags.signers}'))`,
	condition: "activity.kind == 'SIGN_TRANSACTION' && eth.tx.value <= 1000000000000000000",
	references: { signers: signers.tagId },
});

new Policy("large-amounts", {
	name: "two admins sign large amounts",
	effect: Effect.Allow,
	consensus: `approvers.filter(user, user.tags.contains('\${userTags.admins}')).count() >= 2`,
	condition: "activity.kind == 'SIGN_TRANSACTION' && eth.tx.value > 1000000000000000000",
	references: { admins: admins.tagId },
});

new Policy("no-exports", {
	name: "no exports",
	effect: Effect.Deny,
	consensus: "",
	condition: "activity.action == 'EXPORT'",
});

export const { policyId } = smallAmounts;
