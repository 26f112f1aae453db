/** Warnings of a plan: objects that the document names and that do not exist. */
import { describe, expect, it } from "vitest";
import { parseDocuments } from "../../src/document/read/parse.ts";
import { narrow, type Selection } from "../../src/plan/only.ts";
import {
	type DesiredOrganization,
	type DesiredRule,
	emptyLastApplied,
	type LiveOrganization,
} from "../../src/plan/organization.ts";
import { makePlan } from "../../src/plan/plan.ts";
import { accessOf, anyOf, policyOf } from "./support-access.ts";
import { context, desiredOf, id, known, liveOf, liveTag, unknown, wantTag } from "./support-organizations.ts";

const [alice, bob, gone] = [id("user", 1), id("user", 2), id("user", 0xabcdef9)];
const at = (line: number) => ({ file: "acme.yaml", line, column: 5 });
const places = {
	users: { [alice]: at(1), [gone]: at(2) },
	protectedTags: { "root-quorm": at(3), signers: at(4), vault: at(5) },
};
const live: LiveOrganization = {
	...liveOf({
		userTags: known([
			liveTag(1, "signers", { members: known([alice, bob]) }),
			liveTag(2, "root-quorum"),
			liveTag(3, "vault", { type: "TAG_TYPE_PRIVATE_KEY" }),
		]),
	}),
	users: known({ [alice]: "alice", [bob]: "bob" }),
};

function warningsOf(parts: Parameters<typeof desiredOf>[0], of: LiveOrganization = live): readonly string[] {
	const desired: DesiredOrganization = { ...desiredOf(parts), places };
	const { warnings = [], problems } = makePlan(desired, of, context);
	expect(problems).toEqual([]);
	return warnings.map(({ line, code, message }) => `${line} ${code}: ${message}`);
}

describe("protect", () => {
	const protect = { userIds: [alice, gone], userTags: ["root-quorm", "signers", "vault"] };

	it("warns of users and user tags that do not exist, at their place and with the nearest name", () => {
		expect(warningsOf({ protect, users: { bobb: gone } })).toEqual([
			"3 tag-not-there: no user tag is called `root-quorm`, so `protect` protects nothing by this name; did you mean `root-quorum`?",
			"5 tag-not-there: no user tag is called `vault`, so `protect` protects nothing by this name",
			`2 user-not-there: the organization has no user ${gone} (\`bobb\`), so \`protect\` protects no one by this id; did you mean \`bob\`, whose id is ${bob}?`,
		]);
	});

	it("does not warn of a name that the document gives to a tag, nor of what could not be read", () => {
		const userTags = [wantTag("root-quorm", { id: id("tag", 2) })];
		expect(warningsOf({ userTags, protect: { userIds: [], userTags: ["root-quorm"] } })).toEqual([]);
		expect(warningsOf({ protect }, { ...live, userTags: unknown, users: unknown })).toEqual([]);
	});
});

describe("rules", () => {
	it.each<[string, DesiredRule, string]>([
		["members", { rule: "members", tag: "signer", min: 1, at: at(7) }, "the rule cannot be checked"],
		["exclusive", { rule: "exclusive", tags: ["signer", "signers"], at: at(7) }, "the rule cannot be checked"],
		["onlyBy", { rule: "onlyBy", power: "sign", tags: ["signer"], at: at(7) }, "`onlyBy` allows no one by it"],
	])("warn of a tag that does not exist: %s", (_name, rule, so) => {
		expect(warningsOf({ rules: [rule] })).toEqual([
			`7 tag-not-there: no user tag is called \`signer\`, so ${so}; did you mean \`signers\`?`,
		]);
	});
});

describe("members", () => {
	it("warn of a user who does not exist under `never`, and where the access begins later", () => {
		const windows = [{ userId: gone, fromMs: context.readAtMs + 3_600_000, from: "later", at: at(9) }];
		const members = (parts: object) => [
			wantTag("signers", { members: { mode: "atLeast", atLeast: [alice], never: [gone], ...parts } }),
		];
		expect(warningsOf({ userTags: members({}) })).toEqual([
			`2 user-not-there: the organization has no user ${gone}, so \`never\` of \`signers\` keeps no one out`,
		]);
		expect(warningsOf({ userTags: members({ windows }) })).toEqual([
			`2 user-not-there: the organization has no user ${gone}, so the access to \`signers\` cannot begin at 2026-01-01 01:00 UTC`,
		]);
		const ended = [{ userId: gone, untilMs: context.readAtMs - 1, until: "before", at: at(9) }];
		expect(warningsOf({ userTags: members({ windows: ended }) })).toEqual([]);
	});
});

describe("absent", () => {
	it("warns of a user who does not exist: the providers of the one who is meant stay, without a word", () => {
		const oauthProviders = [
			{ userId: alice, providerIds: [id("provider", 1)] },
			{ userId: gone, providerIds: [id("provider", 2), id("provider", 3)] },
		];
		const absent = { policyIds: [], tvcAppIds: [], oauthProviders };
		expect(warningsOf({ absent, users: { bobb: gone } })).toEqual([
			`2 user-not-there: the organization has no user ${gone} (\`bobb\`), so nothing is removed of this user under \`absent\`; did you mean \`bob\`, whose id is ${bob}?`,
		]);
		expect(warningsOf({ absent }, { ...live, users: unknown })).toEqual([]);
	});
});

describe("expect", () => {
	it("warns of an object that is found by its name, where another has a similar one", () => {
		const expected = (symbol: string) => ({
			sessionProfiles: [],
			mfaPolicies: [{ userId: alice, name: "passkey", fields: { order: 1 }, at: at(11) }],
			bootProofs: [],
			supportedAssets: [{ caip2: "eip155:1", symbol, fields: { decimals: 6 }, at: at(12) }],
		});
		const records = liveOf({
			mfaPolicies: { [alice]: known([{ mfaPolicyName: "passkeys", mfaPolicyId: id("other", 1), order: 1 }]) },
			supportedAssets: { "eip155:1": known([{ symbol: "USDC", decimals: 6 }]) },
		}).records;
		expect(warningsOf({ expect: expected("USCD") }, { ...live, records })).toEqual([
			`11 not-there: mfaPolicy:${alice}/passkey does not exist; did you mean \`passkeys\`?`,
			"12 not-there: supportedAsset:eip155:1/USCD does not exist; did you mean `USDC`?",
		]);
		expect(warningsOf({ expect: expected("ETH") }, { ...live, records })).toHaveLength(1);
	});
});

describe("policies", () => {
	const policies = [
		policyOf(1, { consensus: "approvers.any(u, u.tags.contains('signers') || 'root-quorum' in u.tags)" }),
		policyOf(2, { consensus: anyOf(id("tag", 1)) }),
		policyOf(3, { consensus: "approvers.any(u, u.tags.contains('nothing') || u.alias == 'signers')" }),
		policyOf(4, { consensus: "approvers.any(u, u.tags.contains('signers'" }),
	];
	const warned = (parts: Parameters<typeof desiredOf>[0], of: LiveOrganization = live) =>
		(makePlan(desiredOf({ ...parts }), of, { ...context, access: accessOf({}, policies) }).warnings ?? []).map(
			({ file, line, path, code, message }) => [`${file}:${line}`, path, `${code}: ${message}`],
		);
	const ofTag = (name: string, number: number): string =>
		`tag-by-name: policy \`policy 1\` asks for the user tag \`${name}\` by its name, which no user's tags have; did you mean its id ${id("tag", number)}?`;

	it("that ask for a user tag by its name are warned of, with the id, at the tag in the document or at the first line", () => {
		const [file] = desiredOf({}).files;
		const path = `policy:${id("policy", 1)}`;
		expect(warned({ userTags: [wantTag("signers", { at: at(7) })] })).toEqual([
			[`${file}:1`, path, ofTag("root-quorum", 2)],
			["acme.yaml:7", path, ofTag("signers", 1)],
		]);
	});

	it("are not warned of where user tags could not be read, or have no such name", () => {
		expect(warned({}, { ...live, userTags: unknown })).toEqual([]);
		expect(warned({}, { ...live, userTags: known([liveTag(1, "others")]) })).toEqual([]);
	});

	it("are not warned of without a document, which is where a warning is", () => {
		expect(warned({ files: [] })).toEqual([]);
	});
});

describe("a warning", () => {
	const policies = (...all: readonly (readonly [number, string])[]) => ({
		...live,
		policies: known(
			all.map(([number, name]) => {
				return { ...policyOf(number), name, effect: "EFFECT_DENY", notes: "" };
			}),
		),
	});
	const codes = (parts: Parameters<typeof desiredOf>[0], of: LiveOrganization = live) =>
		warningsOf(parts, of).map((text) => text.split(":")[0]);

	it("is not given of names where a part of the document was left out", () => {
		const protect = { userIds: [], userTags: ["root-quorm"], policies: ["pay"] };
		const rules: readonly DesiredRule[] = [{ rule: "members", tag: "signer", min: 1, at: at(7) }];
		expect(codes({ protect, rules })).toEqual(["3 tag-not-there", "7 tag-not-there"]);
		expect(codes({ protect, rules, narrowed: true })).toEqual([]);
	});

	it("is given under `protect` of policies that neither live state nor the document has, by name or id", () => {
		const names = ["pay", "paid", id("policy", 1), "nothing"];
		const withPlaces = (of: LiveOrganization, more: object = {}) => {
			const desired = {
				...desiredOf({ protect: { userIds: [], userTags: [], policies: names }, ...more }),
				places: {
					...places,
					protectedPolicies: Object.fromEntries(names.slice(0, 3).map((name, index) => [name, at(index + 20)])),
				},
			};
			return (makePlan(desired, of, context).warnings ?? []).map(({ line, code }) => `${line} ${code}`);
		};
		expect(withPlaces(policies([1, "pay"]))).toEqual(["21 policy-not-there"]);
		expect(withPlaces(liveOf({ policies: known([{ id: id("policy", 1), name: "paid" }]) }))).toEqual([
			"20 policy-not-there",
		]);
		expect(withPlaces(liveOf({ policies: unknown }))).toEqual([]);
		expect(withPlaces(policies([1, "pay"]), { narrowed: true })).toEqual([]);
	});

	it("is given of a policy of which the service says otherwise whether it is in force", () => {
		const stated = [
			policyOf(1, { stated: { isActive: true, atMs: 0 } }),
			policyOf(2, { name: "", stated: { isActive: false, atMs: 0 } }),
			policyOf(3),
		];
		const access = accessOf({}, stated);
		const words = (of: typeof access, parts: object = {}) =>
			(makePlan(desiredOf(parts), live, { ...context, access: of }).warnings ?? []).map(({ path, code, message }) => [
				path,
				code,
				message.split(" now,")[0],
			]);
		expect(words(access)).toEqual([
			[`policy:${id("policy", 1)}`, "time-disagrees", "the service says that policy `policy 1` is in force"],
			[
				`policy:${id("policy", 2)}`,
				"time-disagrees",
				`the service says that policy \`${id("policy", 2)}\` is not in force`,
			],
		]);
		expect(words(access, { files: [] })).toEqual([]);
		expect(words({ ...access, policies: unknown })).toEqual([]);
	});

	it("is given under `absent` of a name that is like a live one and is none, of tags and of policies", () => {
		const absent = (name: string) => ({ kind: "userTag", absent: true, name, at: at(30) }) as const;
		const found = (names: readonly string[], of: LiveOrganization = live) => {
			const desired = { ...desiredOf(), objects: names.map(absent) };
			return (makePlan(desired, of, context).warnings ?? []).map(
				({ line, path, code, message }) => `${line} ${path} ${code} ${message.split("?")[0]}`,
			);
		};
		expect(found(["signrs", "root-quorum", id("tag", 1), "far away", "20000001-7a3f-4c9e-9d40-000000000009"])).toEqual([
			"30 absent not-there nothing is called `signrs`, so nothing is removed by this name; did you mean `signers`",
		]);
		expect(found(["signrs"], { ...live, userTags: unknown })).toEqual([]);
		const applied = { name: "signrs", appliedAt: "", present: [], gone: [], updatedAt: "" };
		expect(found(["signrs"], { ...live, lastApplied: { ...emptyLastApplied, userTags: { x: applied } } })).toEqual([]);
	});

	it("is sorted by what it is about, then by its words", () => {
		const rules: readonly DesiredRule[] = ["signerz", "signer"].map((tag) => ({
			rule: "onlyBy",
			power: "sign",
			tags: [tag],
			at: at(7),
		}));
		expect(warningsOf({ rules }).map((text) => /`(signer.?)`/.exec(text)?.[1])).toEqual(["signer", "signerz"]);
		const except = { userIds: [], userTags: ["signer"] };
		const credentials: DesiredRule = { rule: "credentials", check: "keysExpire", except, at: at(8) };
		expect(warningsOf({ rules: [credentials] })).toEqual([
			"8 tag-not-there: no user tag is called `signer`, so `except` excepts no one by it; did you mean `signers`?",
		]);
		const far: DesiredRule = { rule: "members", tag: "far away", min: 1, at: at(7) };
		expect(warningsOf({ rules: [far] })).toEqual([]);
		expect(codes({ rules: [{ ...far, rule: "onlyBy", power: "sign", tags: ["far away"] } as never] })).toEqual([
			"7 tag-not-there",
		]);
	});
});

describe("a policy or a created tag that someone renamed", () => {
	const text = (more = ""): string => `organizationId: ${desiredOf({}).organizationId}
userTags: [{ name: payers, create: true }]
policies:
  - { name: pay, effect: deny, consensus: "", condition: "false"${more} }
`;
	const policy = { effect: "EFFECT_DENY", consensus: "", condition: "false", time: "", notes: "" };
	const livePolicy = { ...policy, id: id("policy", 1), name: "paid" };
	const appliedAt = "2026-01-01T00:00:00.000Z";
	const renamed: LiveOrganization = {
		...liveOf({
			userTags: known([liveTag(1, "paying")]),
			lastApplied: {
				userTags: { [id("tag", 1)]: { name: "payers", appliedAt, present: [], gone: [], updatedAt: "" } },
				removed: {},
				policies: { [livePolicy.id]: { name: "pay", appliedAt } },
			},
		}),
		policies: known([livePolicy]),
	};
	const codesOf = (
		content: string,
		of: LiveOrganization = renamed,
		only: readonly Selection[] = [],
	): readonly string[] => {
		const { organizations, problems } = parseDocuments([{ file: "d.yaml", content }], {});
		expect(problems).toEqual([]);
		const desired = organizations[0] ?? expect.unreachable();
		const { warnings = [] } = makePlan(only.length > 0 ? narrow(desired, only) : desired, of, context);
		return warnings.map(({ line, path, code, message }) => `${line} ${path} ${code}: ${message}`);
	};
	const ofPolicy = `4 policy:pay renamed-outside: the policy that was last applied as \`pay\` is now called \`paid\` (${livePolicy.id}), and apply creates another one; to rename it back, write that name under \`previously\``;
	const ofTag = `2 userTag:payers renamed-outside: the user tag that was last applied as \`payers\` is now called \`paying\` (${id("tag", 1)}), and apply creates another one; to rename it back, write that name under \`previously\``;

	it("is named, with its new name and its id", () => {
		expect(codesOf(text())).toEqual([ofPolicy, ofTag]);
	});

	it("is not named where nothing is created: a problem says so", () => {
		expect(codesOf(text().replace(", create: true", ""))).toEqual([ofPolicy]);
	});

	it("is not named where the document finds it, or a complete list removes it", () => {
		expect(codesOf(text(", previously: [paid]"))).toEqual([ofTag]);
		const complete = `${text()}exactly: { policies: {}, userTags: {} }\n`;
		expect(codesOf(complete)).toEqual([]);
		// With `--only`, it stays.
		const selected = [{ kind: "policy", glob: "pay" } as const, { kind: "userTag", glob: "payers" } as const];
		expect(codesOf(complete, renamed, selected)).toEqual([ofPolicy, ofTag]);
		expect(codesOf(`${text()}  - { name: paid, effect: deny, consensus: "", condition: "false" }\n`)).toEqual([ofTag]);
	});

	it("is not named where it was removed, or where another has its name", () => {
		expect(codesOf(text(), { ...renamed, policies: known([]), userTags: unknown })).toEqual([]);
		const other = { ...livePolicy, id: id("policy", 2), name: "pay" };
		expect(codesOf(text(), { ...renamed, policies: known([livePolicy, other]) })).toEqual([ofTag]);
	});

	it("is no misspelling under `absent` where it was there and is gone, nor a name of one letter", () => {
		const absent = (name: string): string =>
			`organizationId: ${desiredOf({}).organizationId}\nabsent: { policies: [${name}] }\n`;
		const live = (name: string): LiveOrganization => ({
			...liveOf({ policies: known([{ id: id("policy", 2), name }]), lastApplied: renamed.lastApplied }),
		});
		expect(codesOf(absent("pat"), live("pax"))).toHaveLength(1);
		expect(codesOf(absent("pay"), live("pax"))).toEqual([]);
		expect(codesOf(absent("x"), live("y"))).toEqual([]);
	});

	it("is named under `protect` where no policy has the name, with the nearest one", () => {
		const ofProtect = (name: string): string =>
			`5 protect.policies policy-not-there: no policy is called \`${name}\`, so \`protect\` protects nothing by this name`;
		const live = { ...renamed, lastApplied: emptyLastApplied };
		expect(codesOf(`${text()}protect: { policies: [paidd, pay, ${livePolicy.id}, other] }\n`, live)).toEqual(
			[`${ofProtect("paidd")}; did you mean \`paid\`?`, ofProtect("other")].sort(),
		);
	});
});
