/**
 * `pulumi up` of new policies and of the new user tags that they name, from YAML, against a plugin that does nothing; and `plan` of
 * policies, against the same document without them. `node test/bench/policies.ts` runs it alone.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { commandFile } from "../../scripts/manifest.ts";
import { id, privateKey, publicKey, startManyTags } from "./many-tags.ts";
import { makeIdlePlugin, plugin, times } from "./plugin.ts";
import { type Measured, median, printTable } from "./run.ts";
import { serve } from "./serve.ts";

const rounds = 3;
const each = 200;
const organizations = 5;

export async function benchPolicies(): Promise<Measured> {
	const place = mkdtempSync(join(tmpdir(), "orgsync-bench-"));
	const service = await startManyTags();
	try {
		const idlePlugin = await makeIdlePlugin(place);
		const took = { ours: [] as number[], idle: [] as number[] };
		let requests = 0;
		for (let round = 0; round < rounds; round += 1) {
			for (const [name, path] of [["idle", idlePlugin] as const, ["ours", plugin] as const]) {
				const stack = await service.addStack(makeProject(path, round));
				took[name].push(await stack.run("up", "--yes", "--skip-preview", "--suppress-progress"));
				requests = Object.values(await service.countRequests()).reduce((sum, asked) => sum + asked, 0);
			}
		}
		return {
			what: `pulumi up of ${each} new policies and the ${each} new tags that they name, against a plugin that does nothing`,
			measured: `${times(median(took.ours), median(took.idle), "s")}; ${requests} requests for ${2 * each} activities`,
			aim: "at most 1.15 times",
		};
	} finally {
		service.close();
		rmSync(place, { recursive: true, force: true });
	}
}

/** Each round has organizations of its own, without policies; the service allows one of them 100 tags, of which 50 are there. */
function makeProject(path: string, round: number): Readonly<Record<string, string>> {
	const resources = Array.from({ length: each }, (_, number) => {
		const organizationId = id("e", round * organizations + (number % organizations));
		const tag = { organizationId, name: `new ${number}`, create: true, members: { exactly: [] } };
		const policy = {
			...{ organizationId, name: `policy ${number}`, effect: "allow" },
			consensus: "approvers.any(user, user.tags.contains('$${userTags.tag}'))",
			condition: `activity.kind == 'SIGN_TRANSACTION' && eth.tx.nonce == ${number}`,
			references: { tag: `\${tag-${number}.tagId}` },
		};
		return [
			[`tag-${number}`, { type: "orgsync:index:UserTag", properties: tag }],
			[`policy-${number}`, { type: "orgsync:index:Policy", properties: policy }],
		] as const;
	});
	const program = {
		...{ name: "bench", runtime: "yaml", plugins: { providers: [{ name: "orgsync", path }] } },
		resources: Object.fromEntries(resources.flat()),
	};
	return { "Pulumi.yaml": JSON.stringify(program) };
}

/** The CPU time of a hundred users, tags and policies, of which the policies are new, with all threads of V8. */
export async function benchPlan(): Promise<Measured> {
	const place = mkdtempSync(join(tmpdir(), "orgsync-bench-"));
	const numbers = Array.from({ length: 100 }, (_, number) => number);
	const userIds = numbers.map((number) => id("b", number));
	const tags = numbers.map((number) => ({
		...{ tagId: id("d", number), tagName: `tag${number}` },
		userIds: [0, 1, 2, 3, 4].map((step) => id("b", (number * 7 + step * 31) % 100)),
	}));
	const organization = {
		...{ organizationId: id("e", 0), organizationName: "bench", userTags: tags },
		rootQuorum: { threshold: 2, userIds: userIds.slice(0, 2) },
		users: userIds.map((userId, number) => ({
			...{ userId, userName: `user ${number}` },
			apiKeys: number === 0 ? [{ publicKey }] : [],
		})),
	};
	const head = {
		organizationId: organization.organizationId,
		users: Object.fromEntries(userIds.map((userId, number) => [`u${number}`, userId])),
		userTags: tags.map((tag) => ({
			name: tag.tagName,
			members: { exactly: tag.userIds.map((userId) => `u${userIds.indexOf(userId)}`) },
		})),
	};
	const policies = numbers.map((number) => ({
		...{ name: `policy ${number}`, effect: "allow" },
		consensus: `approvers.filter(user, user.tags.contains('\${userTags.tag${number}}')).count() >= 2`,
		condition: `activity.kind == 'SIGN_TRANSACTION' && eth.tx.nonce == ${number}`,
	}));
	writeFileSync(join(place, "seed.json"), JSON.stringify({ organizations: [organization] }));
	writeFileSync(join(place, "without.yaml"), JSON.stringify(head));
	writeFileSync(join(place, "with.yaml"), JSON.stringify({ ...head, policies }));
	const { child, url } = await serve([commandFile, "emulator", "--seed", join(place, "seed.json")]);
	try {
		const env = { ...process.env, ORGSYNC_URL: url, ORGSYNC_API_PRIVATE_KEY: privateKey };
		const timeOf = (file: string): number => {
			const timed = `TIMEFORMAT='%U %S'; time "$@" >plan.txt`;
			const words = ["-c", timed, "bash", process.execPath, commandFile, "plan", "-f", file];
			const { status, stderr } = spawnSync("bash", words, { cwd: place, env, encoding: "utf8" });
			if (status !== 0) throw new Error(stderr);
			const [user = 0, system = 0] = stderr.trim().split(/\s+/).map(Number);
			return 1000 * (user + system);
		};
		const took = Array.from({ length: 7 }, () => [timeOf("without.yaml"), timeOf("with.yaml")] as const);
		const [without, all] = [median(took.map(([one]) => one)), median(took.map(([, other]) => other))];
		return {
			what: "CPU of plan of 100 new policies in an organization of 100 users and 100 tags, against the same without policies",
			measured: times(all, without, "ms"),
			aim: "at most 2 times",
		};
	} finally {
		child.kill();
		rmSync(place, { recursive: true, force: true });
	}
}

if (process.argv[1] === fileURLToPath(import.meta.url)) printTable([await benchPlan(), await benchPolicies()]);
