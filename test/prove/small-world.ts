/**
 * A small organization and a document for it, drawn from numbers, with every single change that the document asks for. What
 * counts as a change is written down here, apart from `src/`: activities are compared with it as the emulator lists them.
 */
import { apiKeyStamp, makeKey, type TestKey } from "../keys.ts";

const id = (kind: string, number: number) => `${kind}0000000-0000-4000-8000-00000000000${number}`;
export const organizationId = id("0", 1);
/** Alice submits; Bob and Carol approve. */
export const users = { alice: id("a", 1), bob: id("a", 2), carol: id("a", 3) } as const;
const members = [id("b", 1), id("b", 2), id("b", 3), id("b", 4)];
const tagNames = ["signers", "oncall", "auditors"] as const;
const tagIds = tagNames.map((_, index) => id("7", index + 1));
const policies = [id("9", 1), id("9", 2), id("9", 3)];
/** Stays, so that no plan locks everyone out. */
const keptPolicy = id("9", 4);
/** The policy that a document changes, and the tag that it removes, where it writes such objects. */
const changedPolicy = id("9", 5);
const removedTag = id("7", 9);
const providers = [id("8", 1), id("8", 2), id("8", 3), id("8", 4)];
const apps = [id("c", 1), id("c", 2)];

/** Keys of the users, made once for each run of a proof. They decide nothing that a seed has to repeat. */
export const keys = { alice: makeKey(), bob: makeKey(), carol: makeKey() };

/** One effect of an activity: the smallest thing that a document asks for. */
export type Change = string;

export interface SmallWorld {
	/** The organization as a seed of the emulator. */
	readonly seed: object & { readonly organizationId: string };
	/** The document. */
	readonly document: string;
	/** What the document asks for and the organization has not. */
	readonly changes: ReadonlySet<Change>;
	/** What the document asks for, done or not: what runs submit that cannot read members. */
	readonly asked: ReadonlySet<Change>;
	/** Renames on the way: a tag has a temporary name while two exchange theirs. */
	readonly detours: ReadonlySet<Change>;
	/** The users whom the document asks for in each tag of which it lists all members. */
	readonly exactly: ReadonlyMap<string, readonly string[]>;
}

export interface WorldOptions {
	/** How many users must approve each activity. */
	readonly approvals?: number;
	/** How long each activity is processed, in milliseconds. */
	readonly pendingMs?: number;
	/** The limits of the document. */
	readonly limits?: string;
	/** Whether the document states policies, creates a tag for them and removes another. */
	readonly writes?: boolean;
}

const activityTypes = [
	"UPDATE_USER_TAG",
	"DELETE_POLICIES",
	"DELETE_OAUTH_PROVIDERS",
	"DELETE_TVC_APP_AND_DEPLOYMENTS",
	"CREATE_USER_TAG",
	"CREATE_POLICIES",
	"UPDATE_POLICY_V2",
	"DELETE_USER_TAGS",
].map((name) => `ACTIVITY_TYPE_${name}`);

/** Returns a world that follows from the numbers. It has at least one change. */
export function drawWorld(
	random: () => number,
	{ approvals = 1, pendingMs = 0, limits = "memberRemovals: 100%", writes = false }: WorldOptions = {},
): SmallWorld {
	const some = <T>(list: readonly T[], share = 0.5): readonly T[] => list.filter(() => random() < share);
	const held = tagIds.map(() => some(members));
	const changes = new Set<Change>();
	const asked = new Set<Change>();
	const exactly = new Map<string, readonly string[]>();
	const detours = new Set<Change>();
	const names = drawNames(random);
	const tags = tagIds.map((tagId, index) => {
		const name = names[index] ?? "";
		const before = tagNames[index] ?? "";
		if (name !== before) {
			changes.add(`name ${tagId} ${name}`);
			detours.add(`name ${tagId} orgsync-temporary-${tagId.slice(0, 8)}`);
		}
		const entry = drawMembers(random, held[index] ?? []);
		for (const user of entry.added) changes.add(`add ${tagId} ${user}`);
		for (const user of entry.removed) changes.add(`remove ${tagId} ${user}`);
		for (const user of entry.wanted) asked.add(`add ${tagId} ${user}`);
		if (entry.isExact) exactly.set(tagId, entry.wanted);
		for (const user of entry.unwanted) asked.add(`remove ${tagId} ${user}`);
		return `  - { id: ${tagId}, name: ${name}${entry.text} }`;
	});
	const absent = { policies: some(policies), providers: some(providers), apps: some(apps, 0.3) };
	if (changes.size + absent.policies.length + absent.providers.length + absent.apps.length === 0)
		absent.policies = policies.slice(0, 1);
	for (const one of absent.policies) changes.add(`no policy ${one}`);
	for (const one of absent.providers) changes.add(`no provider ${one}`);
	for (const one of absent.apps) changes.add(`no app ${one}`);
	const written = writes ? drawWritten(random) : nothingWritten;
	for (const change of written.changes) changes.add(change);
	for (const [name] of written.policies) for (const verb of ["text", "create policy"]) asked.add(`${verb} ${name}`);
	return {
		seed: seedOf(held, approvals, pendingMs, written),
		document: [
			`organizationId: ${organizationId}`,
			"userTags:",
			...tags,
			...written.tagLines,
			...(written.policies.length === 0 ? [] : ["policies:", ...written.policies.map(policyLine)]),
			...absentLines(absent, written.removesTag),
			`limits: { ${limits}${writes ? ", takeovers: 9, userTags: 9" : ""} }`,
			"",
		].join("\n"),
		changes,
		asked: new Set([...asked, ...changes]),
		detours,
		exactly,
	};
}

const activityKinds = { pay: "SIGN_TRANSACTION", ship: "CREATE_WALLET", refund: "EXPORT_WALLET" } as const;
type PolicyName = keyof typeof activityKinds;

/** What a document writes besides: the lines of created tags, and each policy with its consensus. */
interface Written {
	readonly tagLines: readonly string[];
	readonly policies: readonly (readonly [name: PolicyName, consensus: string])[];
	readonly removesTag: boolean;
	readonly changes: readonly Change[];
}

const nothingWritten: Written = { tagLines: [], policies: [], removesTag: false, changes: [] };

/** Members of the tag that is created, whoever creates it. */
export const payers = [members[0], members[2]] as const;

/** Returns at least one policy. One of three is live, with another text. */
function drawWritten(random: () => number): Written {
	const names = (Object.keys(activityKinds) as PolicyName[]).filter(() => random() < 0.6);
	const byId = `approvers.any(user, user.id == '${users.bob}')`;
	const byTag = "approvers.any(user, user.tags.contains('${userTags.payers}'))";
	const policies = (names.length === 0 ? (["pay"] as const) : names).map((name) => {
		return [name, name !== "refund" && random() < 0.7 ? byTag : byId] as const;
	});
	const removesTag = random() < 0.4;
	return {
		tagLines: [`  - { name: payers, create: true, members: { exactly: [${payers.join(", ")}] } }`],
		policies,
		removesTag,
		changes: [
			"create tag payers",
			...policies.map(([name]) => {
				return name === "refund" ? `text refund ${changedPolicy} ${textOf("refund", byId)}` : `create policy ${name}`;
			}),
			...(removesTag ? [`no tag ${removedTag}`] : []),
		],
	};
}

function policyLine([name, consensus]: Written["policies"][number]): string {
	const condition = `activity.kind == '${activityKinds[name]}'`;
	return `  - { name: ${name}, effect: allow, consensus: "${consensus}", condition: "${condition}", notes: agreed }`;
}

/** Returns the text of a policy as one word. */
function textOf(name: PolicyName, consensus: string): string {
	return inOneWord("EFFECT_ALLOW", consensus, `activity.kind == '${activityKinds[name]}'`, "agreed");
}

function inOneWord(...parts: readonly unknown[]): string {
	return encodeURIComponent(JSON.stringify(parts));
}

/** Returns the names of the tags: as they are, exchanged, in a circle, or with a new one among them. */
function drawNames(random: () => number): readonly string[] {
	const [first, second, third] = tagNames;
	const kind = random();
	if (kind < 0.5) return tagNames;
	if (kind < 0.65) return [second, first, third];
	if (kind < 0.75) return [second, third, first];
	return kind < 0.9 ? ["approvers", second, third] : ["approvers", first, second];
}

function drawMembers(random: () => number, held: readonly string[]) {
	const wanted = members.filter(() => random() < 0.5);
	const others = members.filter((user) => !wanted.includes(user));
	const kind = random();
	const added = wanted.filter((user) => !held.includes(user));
	if (kind < 0.25) return { text: "", added: [], removed: [], wanted: [], unwanted: [], isExact: false };
	if (kind < 0.7) {
		const removed = held.filter((user) => !wanted.includes(user));
		return {
			text: `, members: { exactly: [${wanted.join(", ")}] }`,
			added,
			removed,
			wanted,
			unwanted: others,
			isExact: true,
		};
	}
	const removed = others.filter((user) => held.includes(user));
	const text = `, members: { atLeast: [${wanted.join(", ")}], never: [${others.join(", ")}] }`;
	return { text, added, removed, wanted, unwanted: others, isExact: false };
}

interface Absent {
	readonly policies: readonly string[];
	readonly providers: readonly string[];
	readonly apps: readonly string[];
}

/** The user who has a provider: two users have two each. */
function ownerOf(provider: string): string {
	return members[providers.indexOf(provider) < 2 ? 0 : 1] ?? "";
}

function absentLines(
	{ policies: gone, providers: removed, apps: retired }: Absent,
	removesTag: boolean,
): readonly string[] {
	const byUser = members.flatMap((user) => {
		const own = removed.filter((one) => ownerOf(one) === user);
		return own.length === 0 ? [] : [`${user}: [${own.join(", ")}]`];
	});
	const lines = [
		...(gone.length === 0 ? [] : [`  policies: [${gone.join(", ")}]`]),
		...(byUser.length === 0 ? [] : [`  oauthProviders: { ${byUser.join(", ")} }`]),
		...(retired.length === 0 ? [] : [`  tvcApps: [${retired.join(", ")}]`]),
		...(removesTag ? [`  userTags: [${removedTag}]`] : []),
	];
	return lines.length === 0 ? [] : ["absent:", ...lines];
}

function seedOf(
	held: readonly (readonly string[])[],
	approvals: number,
	pendingMs: number,
	{ removesTag, policies: written }: Written,
) {
	const provider = (providerId: string) => ({
		...{ providerId, providerName: providerId, issuer: "https://login.test", audience: "acme", subject: providerId },
	});
	return {
		organizationId,
		organizationName: "Acme",
		users: [
			...Object.entries(users).map(([userName, userId]) => ({
				...{ userId, userName, apiKeys: [{ publicKey: keys[userName as keyof typeof keys].publicKey }] },
			})),
			...members.map((userId, index) => ({
				...{ userId, userName: `member ${index}` },
				oauthProviders: providers.filter((one) => ownerOf(one) === userId).map(provider),
			})),
		],
		userTags: [
			...tagIds.map((tagId, index) => ({ tagId, tagName: tagNames[index], userIds: held[index] })),
			...(removesTag ? [{ tagId: removedTag, tagName: "contractors", userIds: [members[1]] }] : []),
		],
		policies: [
			...[...policies, keptPolicy].map((policyId, index) => ({ policyId, policyName: `policy ${index}` })),
			...written
				.filter(([name]) => name === "refund")
				.map(([policyName]) => ({ policyId: changedPolicy, policyName, condition: "false", notes: "old" })),
		],
		tvcApps: apps.map((appId, index) => ({ id: appId, name: `app ${index}` })),
		rules: {
			...(approvals === 1 ? {} : { approvals: Object.fromEntries(activityTypes.map((type) => [type, approvals])) }),
			...(pendingMs === 0 ? {} : { pendingMs: Object.fromEntries(activityTypes.map((type) => [type, pendingMs])) }),
		},
	};
}

/** An activity as the emulator lists it. */
export interface ListedActivity {
	readonly id: string;
	readonly type: string;
	readonly status: string;
	readonly fingerprint: string;
	readonly intent: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
	/** The first one is the submitter's: its message is the body of the request. */
	readonly votes: readonly { readonly userId: string; readonly selection: string; readonly message: string }[];
	readonly createdAt: { readonly seconds: string };
}

export function isVote({ type }: ListedActivity): boolean {
	return type === "ACTIVITY_TYPE_APPROVE_ACTIVITY" || type === "ACTIVITY_TYPE_REJECT_ACTIVITY";
}

/** Returns every change that an activity makes, in the words of `SmallWorld.changes`. */
export function changesOf({ type, intent }: Pick<ListedActivity, "type" | "intent">): readonly Change[] {
	const [parameters = {}] = Object.values(intent);
	const texts = (name: string): readonly string[] => (parameters[name] ?? []) as readonly string[];
	switch (type) {
		case "ACTIVITY_TYPE_UPDATE_USER_TAG": {
			const { userTagId, newUserTagName } = parameters;
			return [
				...(typeof newUserTagName === "string" ? [`name ${userTagId} ${newUserTagName}`] : []),
				...texts("addUserIds").map((user) => `add ${userTagId} ${user}`),
				...texts("removeUserIds").map((user) => `remove ${userTagId} ${user}`),
			];
		}
		case "ACTIVITY_TYPE_DELETE_POLICIES":
			return texts("policyIds").map((one) => `no policy ${one}`);
		case "ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS":
			return texts("providerIds").map((one) => `no provider ${one}`);
		case "ACTIVITY_TYPE_DELETE_TVC_APP_AND_DEPLOYMENTS":
			return [`no app ${String(parameters.appId)}`];
		case "ACTIVITY_TYPE_CREATE_USER_TAG":
			return [`create tag ${parameters.userTagName}`];
		case "ACTIVITY_TYPE_CREATE_POLICIES":
			return (parameters.policies as readonly SeenPolicy[]).map(({ policyName }) => `create policy ${policyName}`);
		case "ACTIVITY_TYPE_UPDATE_POLICY_V2": {
			const { policyId, policyName, policyEffect, policyConsensus, policyCondition, policyNotes } = parameters;
			const text = inOneWord(policyEffect, policyConsensus, policyCondition, policyNotes);
			return [`text ${policyName} ${policyId} ${text}`];
		}
		case "ACTIVITY_TYPE_DELETE_USER_TAGS":
			return texts("userTagIds").map((one) => `no tag ${one}`);
		default:
			return [`an activity of type ${type}`];
	}
}

/** Whether the document of the world asks for this change, one of `these`: of a policy, whatever its id. */
export function asksFor({ asked, detours }: SmallWorld, change: Change, these = asked): boolean {
	return (
		these.has(change) || detours.has(change) || (/^text |^create policy /.test(change) && asked.has(nameIn(change)))
	);
}

/** Returns a change of a policy without its id and text. */
function nameIn(change: Change): Change {
	return change.startsWith("text ") ? change.split(" ").slice(0, 2).join(" ") : change;
}

/** Returns a request about an object of these worlds, whatever the document asks for. */
export function drawParameters(random: () => number) {
	const one = (list: readonly string[]): string => list[Math.floor(random() * list.length)] ?? "";
	const some = (list: readonly string[]): readonly string[] => list.filter(() => random() < 0.5);
	const kind = random();
	if (kind < 0.3) return drawWrite(random);
	if (kind < 0.7) {
		const name = random() < 0.3 ? { newUserTagName: one([...tagNames, "root"]) } : {};
		const parameters = { userTagId: one(tagIds), ...name, addUserIds: some(members), removeUserIds: some(members) };
		return { operation: "update_user_tag", parameters } as const;
	}
	if (kind < 0.8)
		return { operation: "delete_policies", parameters: { policyIds: [keptPolicy, ...some(policies)] } } as const;
	if (kind < 0.9) {
		const providerId = one(providers);
		return {
			operation: "delete_oauth_providers",
			parameters: { userId: ownerOf(providerId), providerIds: [providerId] },
		} as const;
	}
	return { operation: "delete_tvc_app_and_deployments", parameters: { appId: one(apps) } } as const;
}

/** Returns a request that writes a policy or a tag, with a name or an id that the document may state otherwise. */
function drawWrite(random: () => number) {
	const isOther = random() < 0.5;
	const name = isOther ? "root" : (["pay", "ship", "refund"][Math.floor(random() * 3)] ?? "pay");
	const text = { condition: "", consensus: isOther ? "true" : "false", notes: "" };
	const kind = random();
	if (kind < 0.4) {
		const parameters = { policies: [{ policyName: name, effect: "EFFECT_ALLOW", ...text }] };
		return { operation: "create_policies", parameters } as const;
	}
	if (kind < 0.7) {
		const { condition: policyCondition, consensus: policyConsensus, notes: policyNotes } = text;
		const written = { policyName: name, policyEffect: "EFFECT_ALLOW", policyCondition, policyConsensus, policyNotes };
		return {
			operation: "update_policy",
			parameters: { policyId: isOther ? keptPolicy : changedPolicy, ...written },
		} as const;
	}
	if (kind < 0.85)
		return {
			operation: "create_user_tag",
			parameters: { userTagName: isOther ? "root" : "payers", userIds: isOther ? members : payers },
		} as const;
	return { operation: "delete_user_tags", parameters: { userTagIds: [isOther ? tagIds[0] : removedTag] } } as const;
}

/** Returns the changes that the world asks for and the organization has not. */
export function missingFrom(world: SmallWorld, organization: object): readonly Change[] {
	return [...world.changes].filter((change) => !hasChange(organization, change));
}

/** Whether the organization, as the emulator shows it, is as after this change. */
export function hasChange(organization: object, change: Change): boolean {
	const { userTags, policies: left, tvcApps, users: people } = organization as SeenOrganization;
	const [verb = "", first = "", second = "", text] = change.split(" ");
	if (verb === "text") return text === undefined || left?.some((one) => hasText(one, first, text)) === true;
	if (verb === "create" && first === "tag") return userTags?.some(({ tagName }) => tagName === second) === true;
	if (verb === "create") return left?.some(({ policyName }) => policyName === second) === true;
	if (first === "tag") return userTags?.some(({ tagId }) => tagId === second) !== true;
	const tag = userTags?.find(({ tagId }) => tagId === first);
	if (verb === "name") return tag?.tagName === second;
	if (verb === "add") return tag?.userIds?.includes(second) === true;
	if (verb === "remove") return tag?.userIds?.includes(second) !== true;
	if (first === "policy") return left?.some(({ policyId }) => policyId === second) !== true;
	if (first === "app") return tvcApps?.some(({ id: appId }) => appId === second) !== true;
	return people?.some((user) => user.oauthProviders?.some(({ providerId }) => providerId === second)) !== true;
}

function hasText({ policyName, effect, consensus, condition, notes }: SeenPolicy, name: string, text: string): boolean {
	return policyName === name && inOneWord(effect, consensus, condition, notes) === text;
}

interface SeenPolicy {
	readonly policyId: string;
	readonly policyName: string;
	readonly effect: string;
	readonly consensus?: string;
	readonly condition?: string;
	readonly notes?: string;
}

interface SeenOrganization {
	readonly userTags?: readonly {
		readonly tagId: string;
		readonly tagName: string;
		readonly userIds?: readonly string[];
	}[];
	readonly policies?: readonly SeenPolicy[];
	readonly tvcApps?: readonly { readonly id: string }[];
	readonly users?: readonly { readonly oauthProviders?: readonly { readonly providerId: string }[] }[];
}

/** Returns the fields of an update that gives a policy this text. */
function writtenIn(change: Change) {
	const [policyEffect, policyConsensus, policyCondition, policyNotes] = JSON.parse(
		decodeURIComponent(change.split(" ")[3] ?? "[]"),
	);
	return { policyEffect, policyConsensus, policyCondition, policyNotes };
}

/** Returns the bytes of a submit or a vote. */
export function bodyOf(name: string, parameters: object, timeMs: number): string {
	const type = `ACTIVITY_TYPE_${name === "update_policy" ? "UPDATE_POLICY_V2" : name.toUpperCase()}`;
	return JSON.stringify({ type, timestampMs: String(timeMs), organizationId, parameters });
}

/** Sends a submit or a vote of this user straight to the service, as a person with another tool does. */
export async function submitAs(
	url: string,
	key: TestKey,
	name: string,
	parameters: object,
	nowMs: number,
): Promise<void> {
	const body = bodyOf(name, parameters, nowMs);
	const init = { method: "POST", body, headers: apiKeyStamp(body, key) };
	const response = await fetch(`${url}/public/v1/submit/${name}`, init);
	if (response.status !== 200)
		throw new Error(`the proof's own ${name} was answered ${response.status}: ${await response.text()}`);
}

/** Returns the operation and the parameters of a request that makes this change alone. The organization is in the form of a seed. */
export function requestOf(change: Change, organization: object): readonly [string, object] {
	const { users: all } = organization as {
		readonly users: readonly { readonly userId: string; readonly oauthProviders?: readonly object[] }[];
	};
	const [verb = "", first = "", second = ""] = change.split(" ");
	if (verb === "add") return ["update_user_tag", { userTagId: first, addUserIds: [second], removeUserIds: [] }];
	if (verb === "remove") return ["update_user_tag", { userTagId: first, addUserIds: [], removeUserIds: [second] }];
	if (verb === "text") return ["update_policy", { policyId: second, policyName: first, ...writtenIn(change) }];
	if (verb === "create" && first === "tag") return ["create_user_tag", { userTagName: second, userIds: payers }];
	if (verb === "create") {
		const text = { effect: "EFFECT_ALLOW", condition: "false", consensus: "", notes: "by others" };
		return ["create_policies", { policies: [{ policyName: second, ...text }] }];
	}
	if (first === "tag") return ["delete_user_tags", { userTagIds: [second] }];
	if (first === "policy") return ["delete_policies", { policyIds: [second] }];
	if (first === "app") return ["delete_tvc_app_and_deployments", { appId: second }];
	const owner = all.find(({ oauthProviders = [] }) => JSON.stringify(oauthProviders).includes(second));
	return ["delete_oauth_providers", { userId: owner?.userId, providerIds: [second] }];
}
