/** Which resource applied an object last: in the journal, for every process that uses it. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, expect, it } from "vitest";
import { StorageError } from "../../../src/common/errors.ts";
import { LastOwners } from "../../../src/pulumi/session/claims.ts";
import { openJournal, readJournal } from "../../../src/sync/journal/file.ts";
import { makeFolder } from "../../run.ts";

const organization = "0a5d6d8e-1c1f-4c8e-9f35-3b0f8d3f0a11";
const tag = "userTag/1";
const first = { resource: "first", resourceUrn: "urn:first" };
const second = { resource: "second", resourceUrn: "urn:second" };

let file: string;
beforeEach(() => {
	file = join(makeFolder(), "journal.sqlite");
});

/** The last owners as another process sees them. */
const open = (url = "https://one.test", write = () => openJournal(file)) =>
	new LastOwners(url, { read: () => readJournal(file), open: write, now: () => 1_767_225_600_000 });

describe("the last owner of an object", () => {
	it("is known to other processes and addresses of the same service, until that resource is deleted", async () => {
		expect(await open().find(organization, tag)).toBeUndefined();
		expect(existsSync(file)).toBe(false);
		await open().record(organization, tag, first);
		await open().record(organization, tag, { ...second, partOf: "whole" } as typeof second);
		const last = { ...second, appliedAtMs: 1_767_225_600_000 };
		expect(await open("https://ONE.test:443/").find(organization, tag)).toEqual(last);
		expect(await open("https://two.test").find(organization, tag)).toBeUndefined();
		expect(await open().find(organization, "userTag/2")).toBeUndefined();

		await open().forget(organization, tag, first);
		expect(await open().find(organization, tag)).toEqual(last);
		await open().forget(organization, tag, second);
		expect(await open().find(organization, tag)).toBeUndefined();
	});

	it("shows neither the address of the service nor anything that a resource has besides its name", async () => {
		await open("https://secret.test").record(organization, tag, { ...first, apiPrivateKey: "key" } as typeof first);
		const rows = new DatabaseSync(file, { readOnly: true }).prepare("SELECT * FROM owners").all();
		expect(rows).toEqual([
			{
				...{ service: expect.stringMatching(/^[0-9a-f]{64}$/), organization_id: organization, object: tag },
				...{ resource: "first", resource_urn: "urn:first", applied_at_ms: 1_767_225_600_000 },
			},
		]);
	});

	it("that cannot be written fails nothing", async () => {
		const readOnly = open(undefined, () => Promise.reject(new StorageError("read-only disk")));
		await readOnly.record(organization, tag, first);
		await open().record(organization, tag, first);
		await readOnly.forget(organization, tag, first);
		expect(await open().find(organization, tag)).toMatchObject(first);
		const broken = open(undefined, () => Promise.reject(new TypeError("a defect")));
		await expect(broken.record(organization, tag, first)).rejects.toThrow("a defect");
	});

	it("is refused where its time is none", async () => {
		await open().record(organization, tag, first);
		new DatabaseSync(file).exec("UPDATE owners SET applied_at_ms = 9e15");
		await expect(open().find(organization, tag)).rejects.toThrow(
			`the journal ${file} cannot be used: which resource applied userTag/1 last cannot be read; nothing was submitted because of it`,
		);
	});
});
