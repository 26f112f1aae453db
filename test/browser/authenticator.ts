/** A browser's tab with a virtual authenticator (CDP), and what its person does on the page of `--passkey`. */
import type { Browser, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { makeKey, type TestKey } from "../keys.ts";
import type { Started } from "../run.ts";

export interface Passkey {
	readonly key: TestKey;
	/** base64url. */
	readonly credentialId: string;
}

export function makePasskey(name: string): Passkey {
	return { key: makeKey(), credentialId: Buffer.from(`passkey of ${name}`).toString("base64url") };
}

export interface Tab {
	readonly page: Page;
	/** What the browser complained about. */
	readonly complaints: readonly string[];
	/** Whether the person is verified from now on: a wrong finger is not. */
	verify(isVerified: boolean): Promise<void>;
	/** Opens the same browser's second tab. */
	openSecond(): Promise<Page>;
}

interface TabOptions {
	readonly width?: number;
	readonly scheme?: "light" | "dark";
}

/** Opens a tab of a browser of its own, whose authenticator has this passkey for localhost, if any. */
export async function openTab(browser: Browser, passkey: Passkey | null, options: TabOptions = {}): Promise<Tab> {
	const { width = 1100, scheme = "light" } = options;
	const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme });
	onTestFinished(() => context.close());
	const page = await context.newPage();
	const complaints: string[] = [];
	page.on("console", (message) => complaints.push(message.text()));
	page.on("pageerror", (error) => complaints.push(error.message));
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
	if (passkey !== null) {
		const credential = {
			credentialId: Buffer.from(passkey.credentialId, "base64url").toString("base64"),
			isResidentCredential: true,
			rpId: "localhost",
			privateKey: passkey.key.key.export({ format: "der", type: "pkcs8" }).toString("base64"),
			userHandle: Buffer.from("a user").toString("base64"),
			signCount: 1,
		};
		await cdp.send("WebAuthn.addCredential", { authenticatorId, credential });
	}
	return {
		page,
		complaints,
		verify: async (isUserVerified) => {
			await cdp.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified });
		},
		openSecond: () => context.newPage(),
	};
}

/** Waits for a page with this heading, and returns the text of the page in one line. */
export async function readPage(page: Page, heading: string | RegExp): Promise<string> {
	await page.getByRole("heading", { level: 1, name: heading }).waitFor();
	return (await page.locator("body").innerText()).replaceAll(/\s+/g, " ");
}

/** Signs what the page shows, once it has this heading. */
export async function sign(page: Page, heading: string): Promise<void> {
	await readPage(page, heading);
	await page.getByRole("button", { name: "Sign with passkey" }).click();
}

/** The address that the command printed. */
export async function addressOf({ stderr }: Started): Promise<string> {
	await expect.poll(stderr, { timeout: 20_000 }).toMatch(/http:\/\/localhost:\d+\/\S+\n|error: /);
	return /http:\/\/localhost:\d+\/\S+/.exec(stderr())?.[0] ?? "";
}
