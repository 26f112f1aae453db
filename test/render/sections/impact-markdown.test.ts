/** Impact and approvals as Markdown: what a reviewer sees without a click, and that it stays where little fits. */
import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import { describe, expect, it } from "vitest";
import { renderMarkdown } from "../../../src/render/markdown.ts";
import { id } from "../../plan/support-organizations.ts";
import { complete } from "../complete.ts";
import { calmPlanOf, changingPlanOf, findingOf, impactPlanOf, withImpact } from "../support-impact.ts";

function toHtml(markdown: string): string {
	return micromark(markdown, { allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] });
}

/** What is shown before anything is opened, without tags. */
function openTextOf(markdown: string): string {
	return toHtml(markdown)
		.replace(/<details>.*?<\/details>/gs, "")
		.replace(/<[^>]*>/g, "");
}

const show = (plan: ReturnType<typeof impactPlanOf>, limit?: number): string =>
	renderMarkdown(complete({ command: "plan", plans: [plan] }), limit === undefined ? {} : { limit });

describe("the impact of a plan as Markdown", () => {
	const open = openTextOf(show(impactPlanOf()));

	it("never folds bad news, nor what is not known", () => {
		for (const said of [
			"userTag:treasury  no policy allows alice to change user tags",
			"no one but the root quorum can export wallets any more: it needs 2 of treasury, and only carol is left",
			"bob can now sign alone, with any wallet or key; before: 2 of signers (alice, bob, carol)",
			"fewer approvals are needed to create wallets, where wallet.exported",
			"could not compare who can submit CREATE_WALLET_ACCOUNTS activities",
			"userTag:admins  will be pending approval by 1 of (carol, dave), or the root quorum (erin (id 10000005…, no alias))",
		]) {
			expect(open).toContain(said);
		}
	});

	it("folds who else gains or loses access", () => {
		expect(open).not.toContain("can now approve");
		expect(show(impactPlanOf())).toContain("- `dave` can now approve creating, changing and removing policies");
	});

	it("comes before removals and after what would be denied", () => {
		const places = ["Would be denied", "What changes for who can do what", "Removals"].map((title) =>
			open.indexOf(title),
		);
		expect(places).toEqual([...places].sort((left, right) => left - right));
		expect(Math.min(...places)).toBeGreaterThan(0);
	});

	it("is one line where nothing changes", () => {
		expect(show(calmPlanOf())).toContain("\n\nWho can do what stays the same.\n\n");
	});

	it("keeps its verdict and the worst where not all of a thousand lines fit", () => {
		const findings = Array.from({ length: 1_000 }, (_, index) =>
			findingOf({ change: "alone", group: { kind: `KIND_${index}` }, userIds: [id("user", index)] }),
		);
		const markdown = show(withImpact(changingPlanOf(), findings, "more-permissive"), 4_000);
		expect(new TextEncoder().encode(markdown).length).toBeLessThanOrEqual(4_000);
		expect(markdown).toContain("More permissive: 1000 people can do more, no one can do less.");
		expect(markdown).toContain("can now submit `KIND_0` activities alone");
		expect(markdown).toMatch(/- … and \d+ more/);
		expect(markdown).toMatch(/\*\*Shortened:\*\* .*changes of who can do what/);
	});
});
