/** Who reaches /emulator/: by which Host, from where, with how large a body. */
import { request } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { ConfigurationError } from "../../src/common/errors.ts";
import { type Emulator, type EmulatorOptions, startEmulator } from "../../src/emulator/server.ts";
import * as world from "./world.ts";

let emulator: Emulator | undefined;
let notices: string[] = [];

afterEach(async () => {
	await emulator?.close();
	emulator = undefined;
	notices = [];
});

async function start(options: EmulatorOptions): Promise<number> {
	emulator = await startEmulator({ seed: world.makeSeed(), notice: (text) => notices.push(text), ...options });
	return Number(new URL(emulator.url).port);
}

/** The status of a request with this Host header; fetch does not let one set it. */
function statusAt(port: number, host: string | undefined, path = "/emulator/state"): Promise<number | undefined> {
	return new Promise((resolve, reject) => {
		const headers = host === undefined ? {} : { host };
		const asked = request({ host: "127.0.0.1", port, path, headers, setHost: false }, (response) => {
			response.resume();
			resolve(response.statusCode);
		});
		asked.on("error", reject).end();
	});
}

async function expectStatuses(port: number, status: number, hosts: readonly (string | undefined)[]): Promise<void> {
	for (const host of hosts) expect([host, await statusAt(port, host)]).toEqual([host, status]);
}

const warning = (address: string) =>
	`warning: the emulator listens on ${address}: other machines can reach it, /emulator/ requires no stamp, and nothing is encrypted`;

describe("/emulator/ on a loopback address", () => {
	it("answers at loopback hosts only, without a warning", async () => {
		const port = await start({});
		await expectStatuses(port, 200, ["127.0.0.1", `127.0.0.1:${port}`, "localhost", "LOCALHOST:1", "[::1]:80"]);
		const strange = ["evil.test", "foo.localhost", "localhost.evil.test", "192.168.0.1", "127.0.0.1.evil.test", ""];
		await expectStatuses(port, 403, [...strange, "localhost.", "[::ffff:127.0.0.1]"]);
		expect(notices).toEqual([]);
	});

	it("answers at the host of --host, and at allowed names", async () => {
		const port = await start({ host: "127.0.0.5", allowHosts: ["Emulator.test"] });
		const statusHere = (host: string) =>
			new Promise((resolve, reject) => {
				request({ host: "127.0.0.5", port, path: "/emulator/state", headers: { host } }, (response) => {
					response.resume();
					resolve(response.statusCode);
				})
					.on("error", reject)
					.end();
			});
		for (const host of ["127.0.0.5", "emulator.test:99", "EMULATOR.TEST"]) expect(await statusHere(host)).toBe(200);
		for (const host of ["127.0.0.6", "other.test", "x.emulator.test"]) expect(await statusHere(host)).toBe(403);
	});
});

describe("/emulator/ beyond loopback", () => {
	it("answers at addresses and known names only, with a warning", async () => {
		const port = await start({ host: "0.0.0.0", allowHosts: ["emulator.test"] });
		expect(notices).toEqual([warning("0.0.0.0")]);
		const known = ["localhost", "127.0.0.1", "192.168.7.7:80", "[fd00::1]:8080", "emulator.test", "0.0.0.0"];
		await expectStatuses(port, 200, known);
		await expectStatuses(port, 403, ["evil.test", "1.2.3.4.evil.test", "999.1.1.1", "evil", "[evil]", ""]);
	});

	it("rejects web pages whatever the Host", async () => {
		const port = await start({ host: "0.0.0.0" });
		const response = await fetch(`http://127.0.0.1:${port}/emulator/faults`, {
			method: "DELETE",
			headers: { origin: "http://127.0.0.1" },
		});
		expect(response.status).toBe(403);
	});

	it("recognizes loopback by the address, not by the name", async () => {
		const port = await start({ host: "::" }).catch(() => undefined);
		if (port === undefined) return;
		expect(notices).toEqual([warning("::")]);
		expect(emulator?.url).toBe(`http://[::]:${port}`);
		await expectStatuses(port, 403, ["evil.test"]);
	});

	it("accepts any Host for operations, which need a stamp", async () => {
		const port = await start({ host: "0.0.0.0" });
		expect(await statusAt(port, "anything.test", "/public/v1/query/list_user_tags")).toBe(405);
	});
});

it.each([
	"http://emulator.test",
	"emulator.test:80",
	"*.test",
	"",
	"a b",
	"-x",
	"[::1]",
])("a name that no Host header can have is refused: %j", async (name) => {
	await expect(startEmulator({ allowHosts: [name] })).rejects.toThrow(ConfigurationError);
});

describe("a body under /emulator/", () => {
	it("over 1 MiB is answered 413 and changes nothing", async () => {
		await start({});
		const organizations = [{ organizationId: world.id(7), organizationName: "x".repeat(1024 * 1024) }];
		const answer = await world.control(emulator?.url ?? "", "POST", "state", { organizations });
		expect([answer.status, answer.body.message]).toEqual([413, "the body is larger than 1048576 bytes"]);
		expect(emulator?.organizations.map(({ organizationId }) => organizationId)).not.toContain(world.id(7));
	});

	it("up to 1 MiB is accepted", async () => {
		await start({});
		const organizations = [{ organizationId: world.id(7), organizationName: "x".repeat(1024 * 1024 - 200) }];
		expect((await world.control(emulator?.url ?? "", "POST", "state", { organizations })).status).toBe(200);
	});

	it("of a web page is rejected unread", async () => {
		const port = await start({});
		const status = await new Promise((resolve, reject) => {
			const headers = { host: "evil.test", "content-length": String(1024 * 1024 * 1024) };
			const asked = request({ host: "127.0.0.1", port, method: "POST", path: "/emulator/state", headers });
			asked.on("response", (response) => {
				resolve(response.statusCode);
				asked.destroy();
			});
			asked.on("error", reject);
			// The body never comes.
			asked.flushHeaders();
		});
		expect(status).toBe(403);
	});
});
