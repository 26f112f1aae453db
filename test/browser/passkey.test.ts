/** `--passkey` in a real browser with a virtual authenticator: what is shown, what is signed, and what ends it. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { listenOnLoopback } from "../../src/passkey/loopback.ts";
import { PasskeyPage } from "../../src/passkey/page.ts";
import { createPasskeyStamper } from "../../src/passkey/stamper.ts";
import { html } from "../../src/render/html/html.ts";
import { submits } from "../../src/wire/operations.ts";
import { readPublicKey } from "../../src/wire/public-key.ts";
import { encodeSubmit } from "../../src/wire/request-body.ts";
import { readOutput } from "../run.ts";
import {
	alice,
	bob,
	carol,
	keys,
	document as makeDocument,
	makeWorld,
	organizationId,
	policies,
	tags,
	type World,
} from "../world.ts";
import { addressOf, makePasskey, openTab, type Passkey, readPage, sign } from "./authenticator.ts";
import { useBrowser } from "./use-browser.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const guide = readFileSync(new URL("../../docs/approve.md", import.meta.url), "utf8");

const browser = useBrowser();

const own = makePasskey("alice");

const toAuthenticator = ({ credentialId, key }: Passkey) => ({ credentialId, publicKey: key.publicKey });

/** An emulator in which alice has the passkey. */
async function makePasskeyWorld(): Promise<World> {
	const world = await makeWorld();
	await world.change({ users: [{ userId: alice, authenticators: [toAuthenticator(own)] }] });
	return world;
}

const importOf = (user: string) => ["import-key", "--user", user, "--organization", organizationId, "--passkey"];

const schemesOf = (world: World) => world.activities().map(({ votes }) => votes[0].scheme);

const passkeyScheme = "SIGNATURE_SCHEME_TK_WEBAUTHN";

describe("import-key --passkey", () => {
	it("submits what the passkey signed in the browser, and prints the bundle", async () => {
		const world = await makePasskeyWorld();
		const started = world.start(importOf(alice));
		const { page, complaints } = await openTab(browser(), own);
		await page.goto(await addressOf(started));
		expect(await readPage(page, "Prepare the import of a private key")).toContain(alice);
		await page.getByText("The exact body that you sign").click();
		const body = await page.locator("pre").innerText();
		await sign(page, "Prepare the import of a private key");
		const { code, stdout, stderr } = await started.ended;
		expect([code, stderr.includes("error")]).toEqual([0, false]);
		expect(stdout).toContain("dataSignature");
		expect([schemesOf(world), world.activities()[0].votes[0].message]).toEqual([[passkeyScheme], body]);
		await readPage(page, "Done: 1 request signed");
		expect(complaints).toEqual([]);
		const address = /localhost:\d+\/[\w-]{32}\n/g;
		expect(guide.replaceAll(address, "ADDRESS")).toContain(
			stderr.split("\n").slice(-3).join("\n").replaceAll(address, "ADDRESS"),
		);
	});

	it("ends with 130 after Ctrl-C, and leaves nothing in doubt", async () => {
		const world = await makePasskeyWorld();
		const started = world.start(importOf(alice));
		const { page } = await openTab(browser(), own);
		await page.goto(await addressOf(started));
		await readPage(page, "Prepare the import of a private key");
		started.child.kill("SIGINT");
		const { code, stderr } = await started.ended;
		expect([code, stderr]).toEqual([
			130,
			expect.stringContaining("error: orgsync was interrupted: nothing was signed"),
		]);
		await readPage(page, "Orgsync was interrupted: nothing was signed");
		expect(world.submits()).toEqual([]);
		expect((await world.run(["status", "--organization", organizationId])).code).toBe(0);
	});
});

/** A port that is free a moment later. */
async function findPort(): Promise<number> {
	const { port, close } = await listenOnLoopback(undefined, () => undefined);
	await close();
	return port;
}

describe("apply --passkey", () => {
	/** Starts an apply of a tag and a policy, which alice's passkey signs up to the words of the tag. */
	async function startApply() {
		const world = await makePasskeyWorld();
		const userTags = "userTags: [{ name: signers, members: { exactly: [alice, bob] } }]";
		world.write("orgsync.yaml", makeDocument(userTags, `absent: { policies: [${policies[0]}] }`));
		expect(guide).toContain("orgsync apply --passkey --passkey-port 8765\n");
		const port = String(await findPort());
		const started = world.start(["apply", "--passkey", "--passkey-port", port, "--yes", "--concurrency", "1"]);
		const { page } = await openTab(browser(), own);
		await page.goto(await addressOf(started));
		expect(new URL(page.url()).port).toBe(port);
		await sign(page, "Read the organization");
		return { world, started, page };
	}

	it("asks whose passkey it is, shows each step in words with its impact, and submits what was signed", async () => {
		const { world, started, page } = await startApply();
		const shown = await readPage(page, /Change a user tag/);
		expect(shown).toContain(`~ userTag:signers ${tags.signers} + member bob \u2212 member carol Organization Acme`);
		expect(shown).toContain("Who can do what stays the same.");
		await sign(page, "Change a user tag");
		await sign(page, "Remove policies");
		const { code, stderr } = await started.ended;
		expect([code, stderr]).toEqual([0, expect.stringContaining("Your passkey signs 2 requests, one touch each.")]);
		expect(schemesOf(world)).toEqual([passkeyScheme, passkeyScheme]);
	});

	it("sends nothing more after a refusal, and exits with 7 if a step completed before", async () => {
		const { world, started, page } = await startApply();
		await sign(page, "Change a user tag");
		await readPage(page, /Remove policies/);
		await page.getByRole("button", { name: "Refuse" }).click();
		await readPage(page, "Refused on the page: nothing was signed");
		const { code, stdout } = await started.ended;
		expect([code, stdout]).toEqual([7, expect.stringContaining("refused on the page: nothing was signed")]);
		expect(world.submits()).toEqual(["update_user_tag"]);
	});
});

describe("approve and reject --passkey", () => {
	it("sign votes in the words of a review, as the passkey's user, and end a refused one without a vote", async () => {
		const world = await makePasskeyWorld();
		await world.setRules({ approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2, ACTIVITY_TYPE_DELETE_POLICIES: 2 } });
		await world.submitAsBob("update_user_tag", { userTagId: tags.signers, addUserIds: [bob], removeUserIds: [carol] });
		await world.submitAsBob("delete_policies", { policyIds: [policies[0]] });
		const [tag, policy] = world.activities().map(({ id }) => id as string);
		const scope = ["--organization", organizationId, "--passkey", "--yes"];
		const env = { ORGSYNC_API_PRIVATE_KEY: keys.bob.privateKey };
		const approving = world.start(["approve", tag ?? "", ...scope], { env });
		const { page } = await openTab(browser(), own);
		await page.goto(await addressOf(approving));
		await sign(page, "Read the organization");
		const shown = await readPage(page, /Approve an activity/);
		expect(shown).toMatch(
			/update_user_tag: activity \S+ is pending approval ~ userTag:signers .* \+ member bob .* submitted by bob /,
		);
		await sign(page, "Approve an activity");
		const { code, stdout } = await approving.ended;
		expect([code, stdout]).toEqual([0, expect.any(String)]);
		const rejecting = world.start(["reject", policy ?? "", ...scope], { env });
		await page.goto(await addressOf(rejecting));
		await sign(page, "Read the organization");
		await readPage(page, /Reject an activity/);
		await page.getByRole("button", { name: "Refuse" }).click();
		expect((await rejecting.ended).code).toBe(1);
		const votes = world
			.activities()
			.slice(0, 2)
			.map((one) => one.votes.map(({ userId }: { userId: string }) => userId));
		expect(votes).toEqual([[bob, alice], [bob]]);
	});
});

describe("orgsync passkey", () => {
	it("creates a passkey that, once registered, signs queries too where there is no API key", async () => {
		const world = await makeWorld(makeDocument());
		expect(guide).toContain('\norgsync passkey --user alice --name "alice, laptop"\n');
		const creating = world.start(["passkey", "--user", "alice", "--name", "alice, laptop", "--format", "json"]);
		const { page, complaints } = await openTab(browser(), null);
		await page.goto(await addressOf(creating));
		await readPage(page, "Create a passkey for localhost");
		await page.getByRole("button", { name: "Create passkey" }).click();
		await readPage(page, "Done: 1 passkey created");
		const { parameters, seed, userId } = readOutput(await creating.ended);
		expect([userId, parameters.userId, seed.authenticatorName]).toEqual([alice, alice, "alice, laptop"]);
		expect(parameters.authenticators[0]).toMatchObject({
			challenge: expect.stringMatching(/^[\w-]{58}$/),
			attestation: { credentialId: seed.credentialId, transports: ["AUTHENTICATOR_TRANSPORT_INTERNAL"] },
		});
		await world.change({ users: [{ userId: alice, authenticators: [seed] }] });
		const started = world.start(["import-key", "--user", "alice", "--passkey"], {
			env: { ORGSYNC_API_PRIVATE_KEY: "" },
		});
		await page.goto(await addressOf(started));
		await sign(page, "Read the organization");
		await sign(page, "Prepare the import of a private key");
		const { code, stderr } = await started.ended;
		expect([code, stderr]).toEqual([0, expect.stringContaining("your passkey also signs each query, one touch each")]);
		const warnings = complaints.filter((complaint) => !complaint.includes("ES256 and RS256"));
		expect([schemesOf(world), warnings]).toEqual([[passkeyScheme], []]);
	});
});

describe("the page", () => {
	const bodyOf = (userId: string, timestampMs = 1) =>
		encodeSubmit(submits.init_import_private_key, organizationId, { userId }, timestampMs).bytes;

	interface PageSettings {
		readonly limitMs?: number;
		readonly passkeys?: readonly Passkey[];
		readonly whyPast?: () => string;
	}

	/** A page that signs with `passkeys`; without them, any passkey. */
	async function openPage({ limitMs = 60_000, passkeys, whyPast }: PageSettings = {}) {
		const notes: string[] = [];
		const page = await PasskeyPage.open({
			port: undefined,
			limitMs,
			now: Date.now,
			doneWords: ["request signed", "requests signed"],
			note: (text) => notes.push(text),
			onFirstTask: () => undefined,
		});
		onTestFinished(() => page.close());
		const { stamp } = createPasskeyStamper({
			page,
			describe: ({ parameters }) => ({
				heading: `For ${String(parameters.userId)}`,
				html: html`<section class="card plain"><p>Words</p></section>`,
				...(whyPast === undefined ? {} : { whyPast }),
			}),
			findPasskeys: async () =>
				passkeys?.map(({ credentialId, key }) => ({ credentialId, publicKey: readPublicKey(key.publicKey) })),
		});
		/** The stamp of a body, or the error; settled later. */
		const outcomeOf = (body: string) => stamp(body).then(({ stampHeaderValue }) => stampHeaderValue, String);
		return { page, outcomeOf, notes };
	}

	/** Posts from the page's own origin, as a script in it could. Returns the status and the message. */
	const post = (page: Page, part: string, message: object) =>
		page.evaluate(
			async ([address, body]) => {
				const headers = { "content-type": "application/json" };
				const response = await fetch(`${location.pathname}/${address}`, { method: "POST", headers, body });
				return `${response.status} ${(await response.json()).message ?? ""}`;
			},
			[part, JSON.stringify(message)] as [string, string],
		);

	it("is without a complaint of the browser or of axe-core, light and dark, and never wider than the window", async () => {
		const { page, outcomeOf } = await openPage();
		const outcome = outcomeOf(bodyOf("<b>hostile</b> \u202e name"));
		for (const [scheme, width] of [
			["light", 1100],
			["dark", 360],
		] as const) {
			const tab = await openTab(browser(), own, { scheme, width });
			await tab.page.goto(page.url);
			await readPage(tab.page, "For <b>hostile</b> \\u{202e} name");
			await tab.page.getByText("The exact body that you sign").click();
			await tab.page.evaluate(axe);
			const { violations } = (await tab.page.evaluate("axe.run({ resultTypes: ['violations'] })")) as {
				violations: { id: string; nodes: { html: string }[] }[];
			};
			expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
			expect(await tab.page.evaluate("document.documentElement.scrollWidth")).toBe(width);
			expect(tab.complaints).toEqual([]);
			await tab.page.close();
		}
		await page.close();
		expect(await outcome).toContain("the command has ended");
	});

	it("shows a request in one tab: a second says so, and shows it when the first is closed or reloaded", async () => {
		const { page, outcomeOf } = await openPage();
		const outcome = outcomeOf(bodyOf("bob"));
		const first = await openTab(browser(), own);
		await first.page.goto(page.url);
		await readPage(first.page, "For bob");
		const second = await openTab(browser(), own);
		await second.page.goto(page.url);
		expect(await readPage(second.page, "This page is open in another tab")).not.toContain("bob");
		await first.page.close();
		await readPage(second.page, "For bob");
		await second.page.reload();
		await sign(second.page, "For bob");
		expect(await outcome).toContain("clientDataJson");
	});

	it("takes the first valid answer: no replay, none for another request or from another page, and none after it", async () => {
		const { page, outcomeOf, notes } = await openPage({ passkeys: [own] });
		const tab = await openTab(browser(), own);
		const sent: { id: string; answer: unknown }[] = [];
		tab.page.on("request", (request) => {
			if (request.url().endsWith("/answer")) sent.push(request.postDataJSON());
		});
		const first = outcomeOf(bodyOf("bob"));
		await tab.page.goto(page.url);
		await sign(tab.page, "For bob");
		await first;
		await expect.poll(() => sent).toHaveLength(1);
		const [used] = sent;
		const second = outcomeOf(bodyOf("carol"));
		await readPage(tab.page, "For carol (request 2)");
		const id = await tab.page.evaluate("current.id");
		expect(await post(tab.page, "answer", used ?? {})).toMatch(/^409 this request is over/);
		expect(await post(tab.page, "answer", { id, answer: used?.answer })).toMatch(
			/^409 .*another request than this one$/,
		);
		const elsewhere = await signElsewhere(bodyOf("carol"));
		expect(await post(tab.page, "answer", { id, answer: elsewhere })).toMatch(/^409 .*on another page than this one$/);
		expect(notes).toHaveLength(2);
		await sign(tab.page, "For carol (request 2)");
		expect(await second).toContain(own.credentialId);
		expect(await post(tab.page, "answer", { id, answer: sent.at(-1)?.answer })).toMatch(/^409 this request is over/);
	});

	/** What the same passkey answers for a body on another page, at another port of localhost. */
	async function signElsewhere(body: string): Promise<unknown> {
		const { page, outcomeOf } = await openPage();
		const outcome = outcomeOf(body);
		const tab = await openTab(browser(), own);
		await tab.page.goto(page.url);
		await sign(tab.page, "For carol");
		return JSON.parse(await outcome);
	}

	it("gives nothing to pages of other origins, in the same browser, and cannot be framed", async () => {
		const { page, outcomeOf } = await openPage();
		const outcome = outcomeOf(bodyOf("bob"));
		const site = createServer((_, response) => response.setHeader("content-type", "text/html").end("<h1>other</h1>"));
		await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
		onTestFinished(() => void site.close());
		const { page: tab } = await openTab(browser(), own);
		for (const host of ["127.0.0.1", "localhost"]) {
			await tab.goto(`http://${host}:${(site.address() as AddressInfo).port}/`);
			const tried = await tab.evaluate(async (url) => {
				const fails = (promise: Promise<unknown>) => promise.then(String, () => "fails");
				const body = JSON.stringify({ id: "x" });
				const frame = document.createElement("iframe");
				frame.src = url;
				document.body.append(frame);
				await new Promise((resolve) => frame.addEventListener("load", resolve));
				return [
					await fails(fetch(url)),
					await fails(
						fetch(`${url}/refuse`, { method: "POST", body, headers: { "content-type": "application/json" } }),
					),
					await fails(fetch(`${url}/refuse`, { method: "POST", body, mode: "no-cors" }).then((answer) => answer.type)),
					await fails(Promise.resolve().then(() => frame.contentDocument?.body.innerText ?? "nothing")),
				];
			}, page.url);
			expect(tried).toEqual(["fails", "fails", expect.stringMatching(/opaque|fails/), "nothing"]);
		}
		await Promise.all([tab.waitForURL(page.url), tab.evaluate((url) => location.assign(url), page.url)]);
		expect(await tab.locator("body").innerText()).toContain("Another site opened this page.");
		const direct = await openTab(browser(), own);
		await direct.page.goto(page.url);
		await sign(direct.page, "For bob");
		expect(await outcome).toContain("clientDataJson");
	});

	it("sends nothing that was signed after the document wanted something else", async () => {
		const { page, outcomeOf } = await openPage({ whyPast: () => "a window ended" });
		const tab = await openTab(browser(), own);
		const outcome = outcomeOf(bodyOf("bob"));
		await tab.page.goto(page.url);
		await sign(tab.page, "For bob");
		await readPage(tab.page, "A window ended");
		expect(await outcome).toBe("PasskeyError: a window ended");
	});

	it("lets a person who is not verified try again, and ends when time is up", async () => {
		const { page, outcomeOf } = await openPage({ limitMs: 1500 });
		const tab = await openTab(browser(), own);
		const outcome = outcomeOf(bodyOf("bob"));
		await tab.page.goto(page.url);
		await tab.verify(false);
		await sign(tab.page, "For bob");
		await tab.page.getByRole("alert").filter({ hasText: "The browser did not sign" }).waitFor();
		await tab.verify(true);
		await sign(tab.page, "For bob");
		expect(await outcome).toContain("clientDataJson");
		const late = outcomeOf(bodyOf("carol"));
		await readPage(tab.page, /^.*No passkey signed within/);
		expect(await late).toContain("PasskeyError: no passkey signed within");
		expect(await outcomeOf(bodyOf("dave"))).toContain("PasskeyError: no passkey signed within");
	});
});
