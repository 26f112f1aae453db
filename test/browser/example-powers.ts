/**
 * The pictures in docs/powers.md and docs/output.md: `node test/browser/example-powers.ts` opens the page and the comment of a
 * plan that changes who can do what, and keeps what they show in docs/impact.png and docs/impact-comment.png.
 */
import { fileURLToPath } from "node:url";
import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import { makePlan } from "../../src/plan/plan.ts";
import type { AccessPolicy } from "../../src/policy/access.ts";
import { renderHtml } from "../../src/render/html/page.ts";
import { renderMarkdown } from "../../src/render/markdown.ts";
import { context, desiredOf, id, known, liveOf, liveTag, wantTag } from "../plan/support-organizations.ts";
import { complete } from "../render/complete.ts";
import { launchBrowser } from "./browser.ts";

const names = ["alice", "bob", "carol", "dave", "erin", "frank"];
const users = Object.fromEntries(names.map((name, index) => [name, id("user", index + 1)]));
const of = (...chosen: string[]): string[] => chosen.map((name) => users[name] ?? "").sort();

/** Tag, its members, and those that the document wants. */
const tags: readonly (readonly [name: string, now: string[], wanted: string[]])[] = [
	["signers", of("alice", "bob", "carol"), of("alice", "bob", "carol")],
	["treasury", of("carol", "dave"), of("carol")],
	["admins", of("alice", "dave", "erin"), of("alice", "dave", "erin")],
	["operators", of("dave", "erin"), of("dave", "frank")],
	["automation", [], of("bob")],
];

const tagId = (name: string): string => id("tag", tags.findIndex(([one]) => one === name) + 1);

const policies = (
	[
		["two signers", "activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN'", "signers", 2],
		["automation signs alone", "activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN'", "automation", 1],
		["two of treasury export", "activity.resource == 'WALLET' && activity.action == 'EXPORT'", "treasury", 2],
		["two operators create wallets", "activity.resource == 'WALLET' && activity.action == 'CREATE'", "operators", 2],
		["two admins change users", "activity.resource == 'USER' && activity.action == 'UPDATE'", "admins", 2],
	] as const
).map(([name, condition, tag, atLeast], index): AccessPolicy => {
	const consensus = `approvers.filter(user, user.tags.contains('${tagId(tag)}')).count() >= ${atLeast}`;
	return { id: id("policy", index + 1), name, effect: "EFFECT_ALLOW", consensus, condition, time: "" };
});

const plan = makePlan(
	desiredOf({
		users,
		userTags: tags.map(([name, , wanted]) => wantTag(name, { members: { mode: "exactly", exactly: wanted } })),
		limits: { memberRemovals: { count: 2 } },
	}),
	liveOf({
		users: known(Object.fromEntries(Object.entries(users).map(([name, userId]) => [userId, name]))),
		userTags: known(
			tags.map(([name, now]) => liveTag(tags.findIndex(([one]) => one === name) + 1, name, { members: known(now) })),
		),
	}),
	{
		...context,
		access: {
			users: known(
				Object.values(users).map((userId) => ({
					id: userId,
					tagIds: known(tags.flatMap(([name, now]) => (now.includes(userId) ? [tagId(name)] : [])).sort()),
					email: known(null),
					credentials: known([]),
				})),
			),
			policies: known(policies),
			rootQuorum: known({ threshold: 2, userIds: of("alice", "frank") }),
		},
		submitter: known({ userId: users.alice ?? "", publicKey: null }),
	},
);

const result = complete({ command: "plan", plans: [plan] });

/** The comment, roughly as a forge draws it. */
const comment = `<!doctype html><meta charset="utf-8"><style>
body { margin: 0; padding: 24px 28px; width: 860px; font: 14px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; color: #1f2328; background: #fff; }
h3 { font-size: 1.25em; margin: 0 0 16px; } p, ul, details, pre { margin: 0 0 16px; } ul { padding-left: 2em; } li + li { margin-top: .25em; }
code { font: 85% ui-monospace, "DejaVu Sans Mono", monospace; background: #818b981f; border-radius: 6px; padding: .2em .4em; }
pre { background: #f6f8fa; border-radius: 6px; padding: 16px; overflow: auto; } pre code { background: none; padding: 0; } sub { font-size: 75%; color: #59636e; vertical-align: baseline; }
</style>${micromark(renderMarkdown(result), { allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] })}`;

const browser = await launchBrowser();
for (const [name, html, width, height] of [
	["impact", renderHtml(result), 1200, 1180],
	["impact-comment", comment, 916, 668],
] as const) {
	const page = await browser.newPage({ viewport: { width, height } });
	await page.setContent(html);
	await page.screenshot({ path: fileURLToPath(new URL(`../../docs/${name}.png`, import.meta.url)) });
}
await browser.close();
