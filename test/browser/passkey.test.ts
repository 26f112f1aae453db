/** `--passkey` in a real browser with a virtual authenticator: what is shown, what is signed, and what ends it. */
import type { Browser, CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { makeKey, type TestKey } from "../keys.ts";
import type { Started } from "../run.ts";
import { alice, document, makeWorld, organizationId, policies, tags, type World } from "../world.ts";
import { launchBrowser } from "./browser.ts";

let browser: Browser;

beforeAll(async () => {
	browser = await launchBrowser();
}, 60_000);

afterAll(async () => {
	await browser?.close();
});

const passkey = makeKey();
const credentialId = Buffer.from("passkey of alice").toString("base64url");

/** A tab whose authenticator has this passkey for localhost, and a person who agrees. */
async function openTab(
	key: TestKey = passkey,
	id = credentialId,
): Promise<{ page: Page; cdp: CDPSession; authenticatorId: string }> {
	const context = await browser.newContext({ viewport: { width: 1100, height: 900 } });
	onTestFinished(() => context.close());
	const page = await context.newPage();
	const cdp = await context.newCDPSession(page);
	await cdp.send("WebAuthn.enable");
	const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
		options: {
			protocol: "ctap2",
			transport: "internal",
			hasResidentKey: true,
			hasUserVerification: true,
			isUserVerified: true,
			automaticPresenceSimulation: true,
		},
	});
	const credential = {
		credentialId: Buffer.from(id, "base64url").toString("base64"),
		isResidentCredential: true,
		rpId: "localhost",
		privateKey: key.key.export({ format: "der", type: "pkcs8" }).toString("base64"),
		userHandle: Buffer.from("alice").toString("base64"),
		signCount: 1,
	};
	await cdp.send("WebAuthn.addCredential", { authenticatorId, credential });
	return { page, cdp, authenticatorId };
}

/** An emulator in which alice has the passkey. */
async function makePasskeyWorld(): Promise<World> {
	const world = await makeWorld();
	await world.change({ users: [{ userId: alice, authenticators: [{ credentialId, publicKey: passkey.publicKey }] }] });
	return world;
}

/** The address that the command printed. */
async function addressOf({ stderr }: Started): Promise<string> {
	await expect.poll(stderr, { timeout: 20_000 }).toMatch(/http:\/\/localhost:\d+\/\S+\n|error: /);
	return /http:\/\/localhost:\d+\/\S+/.exec(stderr())?.[0] ?? "";
}

const importWords = ["import-key", "--user", alice, "--organization", organizationId, "--passkey"];

describe("import-key --passkey", () => {
	it("submits what the passkey signed in the browser, and prints the bundle", async () => {
		const world = await makePasskeyWorld();
		const started = world.start(importWords);
		const { page } = await openTab();
		await page.goto(await addressOf(started));
		await page.getByRole("button", { name: "Sign with passkey" }).click();
		const { code, stdout, stderr } = await started.ended;
		expect([code, stderr.includes("error")]).toEqual([0, false]);
		expect(stdout).toContain("dataSignature");
		expect(world.activities()[0].votes[0]).toMatchObject({ userId: alice, scheme: "SIGNATURE_SCHEME_TK_WEBAUTHN" });
	});
});

/** Signs what the page shows, once it shows this. */
async function sign(page: Page, heading: string): Promise<void> {
	await page.getByRole("heading", { level: 1, name: heading }).waitFor();
	await page.getByRole("button", { name: "Sign with passkey" }).click();
}

describe("apply --passkey", () => {
	it("asks whose passkey it is, shows each step in words with its impact, and submits what was signed", async () => {
		const world = await makePasskeyWorld();
		const userTags = "userTags: [{ name: signers, members: { exactly: [alice, bob] } }]";
		world.write("orgsync.yaml", document(userTags, `absent: { policies: [${policies[0]}] }`));
		const started = world.start(["apply", "--yes", "--passkey", "--concurrency", "1"]);
		const { page } = await openTab();
		await page.goto(await addressOf(started));
		await sign(page, "Read the organization");
		await page.getByRole("heading", { level: 1, name: "Change a user tag" }).waitFor();
		const shown = (await page.getByRole("main").innerText()).replaceAll(/\s+/g, " ");
		expect(shown).toContain(`~ userTag:signers ${tags.signers} + member bob \u2212 member carol Organization Acme`);
		expect(shown).toContain("What changes for who can do what Who can do what stays the same.");
		await sign(page, "Change a user tag");
		await sign(page, "Remove policies");
		const { code, stderr } = await started.ended;
		expect([code, stderr]).toEqual([0, expect.stringContaining("Your passkey signs 2 requests, one touch each.")]);
		expect(world.activities().map(({ votes }) => votes[0].scheme)).toEqual(
			Array(2).fill("SIGNATURE_SCHEME_TK_WEBAUTHN"),
		);
	});
});
