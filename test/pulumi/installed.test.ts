/**
 * The plugin as people install it from a server, with Pulumi's own command: then it is not on the PATH. docs.test.ts installs it from
 * a file, and runs it by its path in the npm package. Here it runs a program that `orgsync export` has written.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createSecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { afterEach, describe, expect, inject, it } from "vitest";
import { expectSuccess, shown } from "../engine/answer.ts";
import type { Stack } from "../engine/harness.ts";
import { shareArchives } from "../engine/install.ts";
import { makeCertificate } from "../wire/certificate.ts";
import { alice, bob, carol, document, tags, type World } from "../world.ts";
import { configuredPlugin, resourceAt } from "./plugin/plugin-client.ts";
import { makeYamlWorld } from "./world.ts";

const shared = inject("sharedFolder");

/** The names of tags that YAML or Pulumi could read as something else. */
const names = ["team/ops", "team ops", '${x} $$ "q" \\ # \'', "ünï ✓", "on", "pulumi", "__proto__", "fn::secret"];

/** Writes the program of an organization with such names; returns the ids of its tags. */
async function exportProgram(world: World, stack: Stack): Promise<readonly string[]> {
	const made = names.map((tagName, index) => ({
		tagId: `b0000000-0000-4000-8000-00000000000${index}`,
		tagName,
		userIds: index === 0 ? [alice, bob] : [],
	}));
	await world.change({ userTags: made, users: [{ userId: bob, userName: "bob\n- # */ ${alice}" }] });
	const window = '{ user: alice, until: 2090-01-01 Europe/Berlin, reason: "$${x} \\"y\\" # z" }';
	world.write("orgsync.yaml", document(`userTags: [{ name: signers, members: { atLeast: [${window}] } }]`));
	const file = join(stack.folder, "Pulumi.yaml");
	const words = ["export", "-f", "orgsync.yaml", "--format", "pulumi-yaml", "--output", file];
	expect((await world.run(words)).code).toBe(0);
	// The stack of the tests belongs to a project of this name.
	stack.write({ "Pulumi.yaml": readFileSync(file, "utf8").replace(/^name: .*/m, "name: probe") });
	return [...Object.values(tags), ...made.map(({ tagId }) => tagId)];
}

/** This machine's archive of this build, in Pulumi's words for the machine. */
async function findArchive(): Promise<{ readonly file: string; readonly version: string }> {
	const folder = await shareArchives(shared);
	const architecture = process.arch === "x64" ? "amd64" : process.arch;
	const [name = ""] = readdirSync(folder).filter((one) => one.endsWith(`-${process.platform}-${architecture}.tar.gz`));
	return { file: join(folder, name), version: /-v([^-]+)-/.exec(name)?.[1] ?? "" };
}

const closers: (() => void)[] = [];
afterEach(() => {
	for (const close of closers.splice(0)) close();
});

/**
 * Serves the file under its name. With HTTP/2, as releases usually are: from an answer in HTTP/1.1, this engine leaves the
 * last bytes out of its checksum.
 */
async function serveFile(file: string, stack: Stack): Promise<{ readonly url: string; readonly env: object }> {
	const pair = makeCertificate("localhost");
	const server = createSecureServer(pair, ({ url }, response) => {
		const content = url === `/${basename(file)}` ? readFileSync(file) : Buffer.alloc(0);
		response.writeHead(content.length === 0 ? 404 : 200, { "content-length": content.length });
		response.end(content);
	});
	closers.push(() => server.close());
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const SSL_CERT_FILE = join(stack.folder, "authority.pem");
	writeFileSync(SSL_CERT_FILE, pair.cert);
	return { url: `https://localhost:${(server.address() as AddressInfo).port}`, env: { SSL_CERT_FILE } };
}

describe("the archive of the plugin", { timeout: 120_000 }, () => {
	it("is installed from a server if its checksum is right, and an exported program submits nothing and then changes nothing", async () => {
		const { file, version } = await findArchive();
		const { world, stack } = await makeYamlWorld("", { plugin: false });
		const ids = await exportProgram(world, stack);
		const install = ["plugin", "install", "resource", "orgsync", version];
		// Elsewhere, only the system's own authorities count.
		if (process.platform === "linux") {
			const { url, env } = await serveFile(file, stack);
			const checksum = createHash("sha256").update(readFileSync(file)).digest("hex");
			const download = (sum: string) =>
				stack.pulumi([...install, "--server", url, "--checksum", sum], { env: { ...env } });
			expect(await download("0".repeat(64))).toMatchObject({ stderr: expect.stringContaining("invalid checksum") });
			expectSuccess(await download(checksum));
		} else expectSuccess(await stack.pulumi([...install, "--file", file]));
		const up = await stack.up();
		expectSuccess(up);
		expect(shown(up)).not.toContain("$PATH");
		expect(world.submits()).toEqual([]);
		const kept = { user: alice, until: "2090-01-01 Europe/Berlin", reason: '${x} "y" # z' };
		expect((await stack.resource("signers")).inputs?.members).toEqual({ exactly: [kept, carol] });
		const { resources = [] } = (await stack.state()).deployment;
		const found = resources.filter(({ type }) => type === "orgsync:index:UserTag");
		expect(found.map(({ id }) => id).sort()).toEqual([...ids].sort());

		// What the engine asks about each resource in its next run.
		const asked = await configuredPlugin(world);
		for (const { urn, id = "", inputs = {}, outputs = {} } of found) {
			const resource = resourceAt(asked.call, urn);
			const checked = await resource.check(inputs, inputs);
			expect(checked).toEqual({ inputs, failures: [] });
			expect(await resource.diff(id, outputs, checked.inputs), urn).toMatchObject({ changes: false });
		}
	});
});
