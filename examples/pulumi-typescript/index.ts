/** Who may sign and who is on call, as a TypeScript program. */
import * as orgsync from "@orgsync/pulumi";

const alice = "3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c001";
const bob = "3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c002";

// The tag is called `approvers` today: it is renamed, and gets exactly these members. One activity.
// Bob has it until 2030: after that, `up --refresh` removes him.
const signers = new orgsync.UserTag("signers", {
	name: "signers",
	previously: ["approvers"],
	members: { exactly: [alice, { user: bob, until: "2030-01-01T00:00:00Z" }] },
});

// What must not exist. All policies of one resource go with one activity.
new orgsync.PolicyRemoval("oldPolicies", { policyIds: ["1f0c4a6b-2f3d-4f6e-9b1a-5d8e7c6b2001"] });

// A document; the path of a file works too. `expect` can only be read: a difference is a warning.
const acme = new orgsync.Organization("acme", {
	document: {
		organizationId: "0a5d6d8e-1c1f-4c8e-9f35-3b0f8d3f0a11",
		users: { alice, bob },
		userTags: [{ name: "oncall", members: { atLeast: ["bob"], never: ["alice"] } }],
		expect: { mfaPolicies: { alice: [{ name: "passkey-first", order: 1 }] } },
	},
});

// A live tag, read and not managed.
const quorum = orgsync.UserTag.get("rootQuorum", "91c0f5aa-6a77-4c07-8f0c-5f4f0e6f1003");

// Asks the service in every preview and `up`.
const found = orgsync.getMfaPoliciesOutput({ userId: alice });

export const signersId = signers.tagId;
export const rootQuorum = quorum.name;
export const firstMfaPolicy = found.mfaPolicies.apply(([first]) => first?.mfaPolicyName);
export const differences = acme.summary.apply((summary) => summary?.differences);
