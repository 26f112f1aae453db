/** Findings of `lint` as the published JSON and SARIF have them: in words, each with a fingerprint. */
import { createHash } from "node:crypto";
import type { OrganizationLint, PlacedFinding } from "../../plan/lint.ts";
import { sayLintFinding } from "../../say/lint.ts";
import { phraseText } from "../print/text.ts";
import type { Head } from "./head.ts";

export interface LintResult extends Head<"lint"> {
	readonly organizations: readonly OrganizationLint[];
}

/** Whether it is a result of `lint` that has findings. */
export function isLint(result: { readonly command: string }): result is LintResult {
	return result.command === "lint" && "organizations" in result;
}

export type PublishedFinding = ReturnType<typeof publishFinding> & { readonly reason?: string };

export function publishLint({ findings, ignored, isLive: live, ...one }: OrganizationLint) {
	const publish = (finding: PlacedFinding) => publishFinding(finding, one.organizationId);
	return {
		...one,
		live,
		findings: findings.map(publish),
		ignored: ignored.map((finding) => ({ ...publish(finding), reason: finding.reason })),
	};
}

function publishFinding(finding: PlacedFinding, organizationId: string) {
	const { rule, severity, on, name, isLiveOnly, at, text = "" } = finding;
	const { message, witness, fix } = sayLintFinding(finding);
	// What moves in a document, or is worded better, stays the same finding.
	const identity = JSON.stringify([organizationId, rule, on, name, text]);
	return {
		...{ rule, severity, on, name, liveOnly: isLiveOnly, file: at.file, line: at.line, column: at.column },
		message: phraseText(message),
		witness: witness === null ? null : phraseText(witness),
		fix: phraseText(fix),
		fingerprint: createHash("sha256").update(identity, "utf8").digest("hex"),
	};
}
