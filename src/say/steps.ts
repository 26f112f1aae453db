/** The words of steps: what a step does. */
import { showName } from "../common/escape.ts";
import type { RemovalKindName } from "../plan/kinds/names.ts";
import type { Step } from "../plan/step.ts";

/** Returns what the step does, with names in back quotes. It may hold names of others, which are escaped. */
export function stepText({ reason }: Pick<Step, "reason">): string {
	if (reason.kind === "remove") return removals[reason.of](reason.count);
	if (reason.kind === "change-policy") return `change the policy \`${showName(reason.name)}\``;
	if (reason.kind === "create") {
		const what = reason.of === "policy" ? "policy" : "user tag";
		return reason.count === 1
			? `create the ${what} \`${showName(reason.name)}\``
			: `create ${reason.count} policies at once`;
	}
	const [from, to] = [`\`${showName(reason.from)}\``, `\`${showName(reason.to)}\``];
	switch (reason.kind) {
		case "names-exchanged":
			return `${from} takes a temporary name, because names are exchanged, and names are unique`;
		case "name-differs":
			return `rename ${from} to ${to}`;
		case "not-there":
		case "is-there":
		case "members-differ":
			return `change who has ${to}`;
		case "name-and-members-differ":
			return `rename ${from} to ${to} and change who has it`;
	}
}

const removals: Readonly<Record<"userTag" | RemovalKindName, (count: number) => string>> = {
	userTag: (count) => (count === 1 ? "remove a user tag" : `remove ${count} user tags at once`),
	policy: (count) => (count === 1 ? "remove a policy" : `remove ${count} policies at once`),
	oauthProvider: (count) => (count === 1 ? "remove an OAuth provider" : `remove ${count} OAuth providers of one user`),
	tvcApp: () => "remove a TVC app and all its deployments",
};
