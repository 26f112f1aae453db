/** Reasons that begin with a policy: `policy ID: the condition is not understood: …`. Its name comes in where it is shown. */

/** Returns the reason with the policy whose text it is about. */
export function reasonOfPolicy(policyId: string, because: string): string {
	return `policy ${policyId}: ${because}`;
}

/** A reason in two parts; `joint` is between them. */
export interface PolicyReason {
	readonly policyId: string;
	readonly joint: string;
	readonly rest: string;
}

/** Returns the parts of a reason that begins with a policy, assumptions included; null for any other. */
export function splitReason(text: string): PolicyReason | null {
	const [, policyId, joint, rest] = /^policy (\S+?)(: | takes no part: )(.*)$/s.exec(text) ?? [];
	return policyId === undefined || joint === undefined || rest === undefined ? null : { policyId, joint, rest };
}

/** Returns the reason without this policy, for a place that says which policy it is. */
export function withoutPolicy(text: string, policyId: string): string {
	const split = splitReason(text);
	return split?.policyId === policyId ? split.rest : text;
}
