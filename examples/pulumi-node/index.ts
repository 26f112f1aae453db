/**
 * Who may sign and who is on call, as a Pulumi program. Each resource adopts an existing object. What is in sync
 * needs no activity.
 */
import type { Output } from "@pulumi/pulumi";
import { listUserTags, OauthProviderRemoval, PolicyRemoval, TvcAppRemoval, UserTag } from "orgsync/pulumi";

const users = {
	alice: "3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c001",
	bob: "3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c002",
};

// The tag is called `approvers` today: it is renamed, and gets exactly these members. One activity.
const signers = new UserTag("signers", {
	name: "signers",
	previously: ["approvers"],
	members: { exactly: [users.alice, users.bob] },
});

// Bob has it, alice has not, no other user is changed; destroying removes it from bob again.
new UserTag("oncall", {
	name: "oncall",
	members: { atLeast: [users.bob], never: [users.alice] },
	onDestroy: "removeMembers",
});

// What must not exist. All policies of one resource go with one activity.
new PolicyRemoval("old-policies", { policyIds: ["1f0c4a6b-2f3d-4f6e-9b1a-5d8e7c6b2001"], limits: { policies: 1 } });
new OauthProviderRemoval("old-login", { userId: users.bob, providerIds: ["77aa1f2e-6a3f-4f0e-8a55-1d6f2b3c5001"] });
new TvcAppRemoval("retired", { appId: "c1d2e3f4-0a1b-4c2d-8e3f-4a5b6c7d3002" });

/** The id of the tag, and the names of all tags once it has its own. */
export const signersId: Output<string> = signers.tagId;
export const tagNames: Output<string[]> = signers.name.apply(async () =>
	(await listUserTags()).map(({ tagName }) => tagName).sort(),
);
