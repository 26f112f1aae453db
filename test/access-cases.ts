/** An organization in which two signers sign together, an access case, and a change that breaks it. */
import { alice, carol, policies, tags } from "./world.ts";

const twoSigners = {
	policyId: policies[0],
	policyName: "two signers",
	effect: "EFFECT_ALLOW",
	consensus: `approvers.filter(user, user.tags.contains('${tags.signers}')).count() >= 2`,
	condition: "activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN'",
};

const others = policies.slice(1).map((policyId) => ({ policyId, policyName: policyId, condition: "false" }));
export const twoSign = { policies: [twoSigners, ...others], rootQuorum: { threshold: 2, userIds: [alice, carol] } };

/** It holds then. */
export const bobNever = "tests: [{ name: bob has no part, power: sign, never: [bob] }]\nrootQuorum: aside\n";
/** The section of a document after which it does not. */
export const bobJoins = "userTags: [{ name: signers, members: { atLeast: [bob] } }]";
