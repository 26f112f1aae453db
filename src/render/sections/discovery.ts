/** The result of `organizations`: managed ones are counted, and of the others each has a line. */

import { showOrganization } from "../../plan/organization-name.ts";
import { count } from "../../say/count.ts";
import { identifier, listOf, reason } from "../../say/phrase.ts";
import { listed, type Section, section } from "../../say/section.ts";
import { type Summary, verdictOf } from "../../say/verdict.ts";
import type { DiscoveryResult } from "../result/result.ts";

const isCutOff = "The service does not show all sub-organizations: it returned the same page twice.";

export function discoverySections(result: DiscoveryResult): readonly Section[] {
	return [
		listed("unmanaged-organizations", unmanagedIn(result), (id) => [identifier(id)]),
		listed("elsewhere", result.elsewhere, (one) => [
			reason(showOrganization(one)),
			"  ",
			...listOf(one.files, (file) => identifier(file)),
		]),
		section("incomplete", [], result.complete ? {} : { lead: [isCutOff] }),
	];
}

export function summarizeDiscovery(result: DiscoveryResult): Summary {
	const { organizations, complete } = result;
	const unmanaged = unmanagedIn(result).length;
	const total = count(organizations.length, "sub-organization", "sub-organizations");
	const parts = [`${organizations.length - unmanaged} managed`, `${unmanaged} unmanaged`];
	const verdict = organizations.length === 0 ? "No sub-organizations" : `${total}: ${parts.join(", ")}`;
	return { verdict: verdictOf(verdict), tone: complete && unmanaged === 0 ? "good" : "attention" };
}

function unmanagedIn({ organizations }: DiscoveryResult): readonly string[] {
	return organizations.filter(({ managed }) => !managed).map(({ organizationId }) => organizationId);
}
