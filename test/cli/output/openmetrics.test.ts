/** `--format openmetrics` and `--metrics`, read with the parsers of Prometheus' own library. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { metricTable, usualStates } from "../../../src/render/metrics/metric-table.ts";
import { parseMetrics, type Series } from "../../metrics.ts";
import { alice, bob, carol, document, keys, makeWorld, policies, tags, type World } from "../../world.ts";

const page = readFileSync(new URL("../../../docs/metrics.md", import.meta.url), "utf8");
const signers = document("userTags: [{ name: signers, members: { exactly: [alice, carol] } }]");
const second = "f0000000-0000-4000-8000-000000000002";
const theirs = `---\norganizationId: ${second}\nuserTags: [{ name: theirs }]\n`;
const removeCarol = { userTagId: tags.signers, addUserIds: [], removeUserIds: [carol] };
const drift = ["drift", "--format", "openmetrics"];

async function addSecond(world: World): Promise<void> {
	await world.addOrganization({
		organizationId: second,
		users: [{ userId: alice, userName: "alice", apiKeys: [{ publicKey: keys.alice.publicKey }] }],
		userTags: [{ tagId: tags.oncall, tagName: "theirs" }],
	});
}

/** Runs a command that must end with this exit code, and returns the metrics that it prints. */
async function metricsOf(world: World, words: readonly string[], code: number, env = {}): Promise<string> {
	const answer = await world.run(words, { env });
	expect(answer.code, answer.stderr).toBe(code);
	return answer.stdout;
}

/** The series whose names begin so. */
function only(series: Series, ...names: readonly string[]): Series {
	return Object.fromEntries(Object.entries(series).filter(([name]) => names.some((one) => name.startsWith(one))));
}

// The first one may install the parsers.
describe("--format openmetrics", { timeout: 120_000 }, () => {
	test("distinguishes a fleet from an error, and drift from its absence, in text that two parsers accept", async (context) => {
		const world = await makeWorld(`${signers}${theirs}`);
		await addSecond(world);
		const changedMs = Date.now();
		const texts = [await metricsOf(world, drift, 0)];
		await world.submitAsBob("update_user_tag", removeCarol);
		await world.addFault({ operation: "list_user_tags", fault: "429", count: 1 });
		texts.push(await metricsOf(world, [...drift, "--shard", "1/1", "--metric-label", 'fleet=a "b" \\n'], 2));
		await world.addFault({ operation: "*", fault: "html", count: 1000, status: 404 });
		texts.push(await metricsOf(world, drift, 1));
		texts.push(await metricsOf(world, ["drift", "--bogus", "--format", "openmetrics"], 3));
		const [calm, drifted, broken, mistaken] = await parseMetrics(context, texts);

		expect(only(calm?.series ?? {}, "orgsync_run_e", "orgsync_organizations", "orgsync_pending")).toEqual({
			orgsync_run_exit_code: 0,
			"orgsync_organizations{state=inSync}": 2,
			"orgsync_organizations{state=drifted}": 0,
			"orgsync_organizations{state=reported}": 0,
			"orgsync_organizations{state=pending}": 0,
			"orgsync_organizations{state=impossible}": 0,
			"orgsync_organizations{state=unknown}": 0,
			"orgsync_organizations{state=unread}": 0,
			orgsync_pending_activities: 0,
		});
		expect(calm?.series).toMatchObject({ "orgsync_drifted_objects{kind=userTag}": 0 });
		expect(calm?.series).not.toHaveProperty(["orgsync_oldest_drift_timestamp_seconds"]);

		const labels = 'shard=1/1,fleet=a "b" \\n';
		expect(drifted?.series).toMatchObject({
			[`orgsync_run_exit_code{${labels}}`]: 2,
			[`orgsync_organizations{${labels},state=inSync}`]: 1,
			[`orgsync_organizations{${labels},state=drifted}`]: 1,
			[`orgsync_drifted_objects{${labels},kind=userTag}`]: 1,
			[`orgsync_drifted_objects{${labels},kind=policy}`]: 0,
			[`orgsync_requests{${labels},type=retry}`]: 1,
			[`orgsync_requests_throttled{${labels}}`]: 1,
		});
		const seconds = (name: string) => drifted?.series[`${name}{${labels}}`] ?? 0;
		expect(seconds("orgsync_throttled_seconds")).toBeGreaterThan(0);
		// When bob changed it, not when it was first seen.
		const age = seconds("orgsync_run_timestamp_seconds") - seconds("orgsync_oldest_drift_timestamp_seconds");
		expect(age).toBeGreaterThan(0);
		expect(seconds("orgsync_oldest_drift_timestamp_seconds")).toBeGreaterThanOrEqual(Math.floor(changedMs / 1000));

		// Nothing was read: no counts of drift, not even 0.
		expect(broken?.series).toMatchObject({
			orgsync_run_exit_code: 1,
			"orgsync_run_errors{code=service}": 2,
			"orgsync_organizations{state=unread}": 2,
			"orgsync_organizations{state=inSync}": 0,
		});
		expect(only(broken?.series ?? {}, "orgsync_drifted", "orgsync_oldest", "orgsync_last", "orgsync_pending")).toEqual(
			{},
		);
		expect(Object.keys(mistaken?.series ?? {}).map((name) => name.replace(/\{.*/, ""))).toEqual([
			"orgsync_build_info",
			"orgsync_run_timestamp_seconds",
			"orgsync_run_duration_seconds",
			"orgsync_run_exit_code",
			"orgsync_run_errors",
		]);
		const units = Object.entries({ ...drifted?.families }).map(([name, [type, unit]]) => [
			type,
			unit === "" || name.endsWith(`_${unit}`),
		]);
		expect(new Set(units.flat())).toEqual(new Set(["gauge", true]));
	});

	test("counts what became of the steps of apply, and what is pending", async (context) => {
		const text = document(
			"userTags: [{ name: signers, members: { exactly: [alice, bob] } }]",
			`absent: { policies: [${policies[0]}] }`,
		);
		const world = await makeWorld(text);
		await world.setRules({ approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2 } });
		const blocked = await metricsOf(world, ["drift", "--metrics", "d.prom", "--format", "openmetrics"], 2);
		const settle = (text: string) => text.replaceAll(/^(orgsync_run_\w+seconds\{.*\}) .*/gm, "$1");
		expect(settle(readFileSync(join(world.folder, "d.prom"), "utf8"))).toBe(settle(blocked));
		const apply = ["apply", "--yes", "--format", "openmetrics"];
		const texts = [
			await metricsOf(world, apply, 8),
			await metricsOf(world, apply, 8),
			await metricsOf(world, drift, 8),
			blocked,
		];
		const [first, again, after] = await parseMetrics(context, texts);
		expect(first?.series).toMatchObject({
			orgsync_run_exit_code: 8,
			"orgsync_organizations{state=pending}": 1,
			"orgsync_steps{outcome=completed}": 1,
			"orgsync_steps{outcome=awaiting-approval}": 1,
			"orgsync_steps{outcome=failed}": 0,
			"orgsync_requests{type=submit}": 2,
			orgsync_pending_activities: 1,
			orgsync_requests_in_doubt: 0,
		});
		expect(again?.series).toMatchObject({ "orgsync_steps{outcome=completed}": 0, orgsync_pending_activities: 1 });
		expect(after?.series).toMatchObject({ "orgsync_organizations{state=pending}": 1, orgsync_pending_activities: 1 });
		for (const one of [first, again, after]) {
			expect(one?.series).toHaveProperty(["orgsync_oldest_pending_activity_timestamp_seconds"]);
		}
	});
});

describe("--metrics", () => {
	const file = "orgsync-drift.prom";
	const read = (world: World): string => readFileSync(join(world.folder, file), "utf8");

	test("replaces its file as a whole, also with an error, and keeps what --since knows", async (context) => {
		const world = await makeWorld(signers);
		await world.submitAsBob("update_user_tag", { ...removeCarol, removeUserIds: [], addUserIds: [bob] });
		const [, command = ""] = /```bash\norgsync ([\s\S]*?)\n```/.exec(page) ?? [];
		const words = command
			.replace(/\S+\/(?=[\w-]+\.prom)/, "")
			.replace("-f fleet/ ", "")
			.split(/[\s\\]+/);
		expect((await world.run(words)).code).toBe(2);
		const before = read(world);
		const { ino } = statSync(join(world.folder, file));
		expect((await world.run(words, { env: { ORGSYNC_URL: "http://127.0.0.1:9" } })).code).toBe(1);
		expect(statSync(join(world.folder, file)).ino).not.toBe(ino);
		const [found, kept] = await parseMetrics(context, [before, read(world)]);
		const lasting = ["orgsync_oldest_drift", "orgsync_last_read"] as const;
		expect(kept?.series).toMatchObject({
			orgsync_run_exit_code: 1,
			"orgsync_run_errors{code=transport}": 1,
			"orgsync_organizations{state=unread}": 1,
			"orgsync_drifted_objects{kind=userTag}": 1,
			...only(found?.series ?? {}, ...lasting),
		});
		expect(Object.keys(only(kept?.series ?? {}, ...lasting))).toHaveLength(2);
		expect(Object.keys(only(kept?.series ?? {}, "orgsync_drifted"))).toHaveLength(1);

		world.write("orgsync.yaml", "organizationId: 7\n");
		expect((await world.run(words)).code).toBe(3);
		expect(read(world)).toContain('orgsync_run_errors{command="drift",code="document"} 1\n');
		expect(readdirSync(world.folder).sort()).toEqual(["drift.json", file, "orgsync.yaml"]);
	});

	test.each([
		["the document", ["--metrics", "orgsync.yaml"], "--metrics orgsync.yaml: that is the document"],
		["the result", ["--metrics", "out", "--output", "out"], "--metrics out: that is the file of --output"],
		["no file", ["--metrics", "no/where"], "--metrics: no/where cannot be written"],
		["a label of orgsync's", ["--metric-label", "state=x"], "state is a label of the metrics"],
		["a label without a name", ["--metric-label", "9=x"], "It must be a label such as fleet=payments."],
	])("refuses %s with exit 3 before any request", async (_what, words, why) => {
		const world = await makeWorld(signers);
		const { code, stderr } = await world.run(["apply", "--yes", ...words]);
		expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining(why) });
		expect(world.requests()).toEqual([]);
		expect(readFileSync(join(world.folder, "orgsync.yaml"), "utf8")).toBe(signers);
	});
});

test("docs/metrics.md lists every metric, label and state, each with what it means", () => {
	for (const row of Object.values<{ name: string; label?: string; command?: string; help: string }>(metricTable)) {
		const label = row.label === undefined ? "" : `\`${row.label}\``;
		const of = row.command === undefined ? "both" : `\`${row.command}\``;
		expect(page).toContain(`| \`${row.name}\` | ${label} | ${of} | ${row.help.replace(/\.$/, "")} |\n`);
		if (label !== "") expect(page).toMatch(new RegExp(`^\\| ${label} \\|`, "m"));
	}
	for (const state of Object.values(usualStates).flat()) expect(page).toContain(`\n| \`${state}\` |`);
});

test("Every name of a metric ends with its unit and begins with orgsync_", () => {
	for (const row of Object.values(metricTable)) {
		expect(row.name).toMatch("unit" in row ? /^orgsync_[a-z_]+_seconds$/ : /^orgsync_[a-z_]+$/);
		expect(row.help).toMatch(/^[A-Z][^\\"\n]*\.$/);
	}
});
