/**
 * The result of `organizations`: as text, as a verdict, and as blocks of Markdown. Managed organizations are counted; of the others
 * each has a line.
 */
import { showText } from "../common/escape.ts";
import { count } from "../say/count.ts";
import { type Block, bullets, codeSpan, paragraph } from "./markdown-text.ts";
import { showOrganization } from "./result/organization-name.ts";
import type { Tone } from "./result/organizations.ts";
import type { CommandResult, DiscoveryResult } from "./result/result.ts";

/** Whether it is a result of `organizations` that has them. */
export function isDiscovery(result: CommandResult): result is DiscoveryResult {
	return result.command === "organizations" && "organizations" in result;
}

export function renderDiscovery(result: DiscoveryResult): string {
	const { elsewhere, complete } = result;
	const section = (title: string, lines: readonly string[]): readonly string[] =>
		lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`), ""];
	return [
		`Organization ${showOrganization(result)}`,
		"",
		...section("Unmanaged:", unmanagedIn(result)),
		...section(
			elsewhereTitle,
			elsewhere.map((one) => `${showOrganization(one)}  ${showText(one.files.join(", "))}`),
		),
		...(complete ? [] : [incomplete, ""]),
		summarizeDiscovery(result).verdict,
		"",
	].join("\n");
}

export function summarizeDiscovery(result: DiscoveryResult): { readonly verdict: string; readonly tone: Tone } {
	const { organizations, complete } = result;
	const unmanaged = unmanagedIn(result).length;
	const total = count(organizations.length, "sub-organization", "sub-organizations");
	const parts = [`${organizations.length - unmanaged} managed`, `${unmanaged} unmanaged`];
	const verdict = organizations.length === 0 ? "No sub-organizations." : `${total}: ${parts.join(", ")}.`;
	return { verdict, tone: complete && unmanaged === 0 ? "good" : "attention" };
}

export function discoveryBlocks(result: CommandResult): readonly Block[] {
	if (!isDiscovery(result)) return [];
	const line = (name: string, files: readonly string[]): string =>
		[name, ...files].map((text) => codeSpan(text)).join(" ");
	const elsewhere = result.elsewhere.map((one) => line(showOrganization(one), one.files));
	return [
		paragraph(`Of organization ${codeSpan(showOrganization(result))}`, 1),
		...(result.complete ? [] : [paragraph(incomplete, 1)]),
		bullets(
			2,
			noun,
			"Unmanaged",
			unmanagedIn(result).map((id) => codeSpan(id)),
		),
		bullets(3, noun, elsewhereTitle.replace(/:$/, ""), elsewhere),
	];
}

const noun = ["organization", "organizations"] as const;

const elsewhereTitle = "In documents, but no sub-organizations of it:";

const incomplete = "The service does not show all sub-organizations: it returned the same page twice.";

function unmanagedIn({ organizations }: DiscoveryResult): readonly string[] {
	return organizations.filter(({ managed }) => !managed).map(({ organizationId }) => organizationId);
}
