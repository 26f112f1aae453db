/** A small organization and a document that states policies and tags for it, drawn from numbers. */
import { keys } from "../small-world.ts";

const id = (kind: string, number: number) => `${kind}0000000-0000-4000-8000-00000000000${number}`;
export const users = { alice: id("a", 1), bob: id("a", 2), carol: id("a", 3) } as const;

export type Kind = "policy" | "userTag";

/** What the document says of one object: its text with names in place of ids, or that there is to be none. */
export interface Wanted {
	readonly kind: Kind;
	readonly name: string;
	readonly earlier: string | null;
	/** Of a policy. Notes that are left out are not managed. */
	readonly text: Readonly<Record<"effect" | "consensus" | "condition", string>> & { readonly notes?: string };
	/** Of a tag; null: whatever they are. */
	readonly members: readonly string[] | null;
	readonly creates: boolean;
}

export interface World {
	/** As a seed of the emulator, without its id. */
	readonly seed: object;
	readonly document: object;
	readonly wanted: readonly Wanted[];
	readonly absent: readonly { readonly kind: Kind; readonly name: string }[];
	/** Whether other policies are to be removed. */
	readonly isWhole: boolean;
}

/** Policies that are not of the document, and may stay. */
const keptPolicy = "kept by others";
const keptTag = "kept tag";

const policyNames = ["pay", "refund", "ship"] as const;
const tagNames = ["payers", "makers"] as const;
const activityKinds = { pay: "SIGN_TRANSACTION", refund: "EXPORT_WALLET", ship: "CREATE_WALLET" } as const;

const submits = ["CREATE_POLICIES", "UPDATE_POLICY_V2", "DELETE_POLICIES", "CREATE_USER_TAG", "UPDATE_USER_TAG"];
const types = [...submits, "DELETE_USER_TAGS"].map((name) => `ACTIVITY_TYPE_${name}`);

export function drawWorld(random: () => number): World {
	const isTrue = (share: number): boolean => random() < share;
	const tags = tagNames.map((name, index) => drawTag(name, index, isTrue));
	const named = tags.filter(({ isStated }) => isStated).map(({ name }) => name);
	const policies = policyNames.map((name, index) => drawPolicy(name, index, named, isTrue));
	const isWhole = isTrue(0.2);
	const approved = types.filter(() => isTrue(0.4));
	const isOldLive = isTrue(0.4);
	const removed = policies.filter(({ isAbsent }) => isAbsent);
	const wanted = [...tags, ...policies].filter(({ isStated }) => isStated);
	return {
		seed: {
			organizationName: "Acme",
			users: Object.entries(users).map(([userName, userId]) => {
				return { userId, userName, apiKeys: [{ publicKey: keys[userName as keyof typeof keys].publicKey }] };
			}),
			userTags: [
				...tags.flatMap(({ live }) => live),
				...(isOldLive ? [{ tagId: id("7", 8), tagName: "old tag", userIds: [users.bob] }] : []),
				{ tagId: id("7", 9), tagName: keptTag },
			],
			policies: [
				...policies.flatMap(({ live }) => live),
				{ policyId: id("9", 9), policyName: keptPolicy, condition: "activity.kind == 'DELETE_USERS'" },
			],
			rootQuorum: { threshold: isTrue(0.85) ? 1 : 2, userIds: Object.values(users) },
			rules: {
				...(isTrue(0.5) ? { approvals: Object.fromEntries(approved.map((type) => [type, 2])) } : {}),
				// Without it, nothing is forecast, which takes time.
				...(isTrue(0.8) ? { denyReads: ["whoami"] } : {}),
			},
		},
		document: {
			users,
			userTags: tags.filter(({ isStated }) => isStated).map(({ entry }) => entry),
			policies: policies.filter(({ isStated }) => isStated).map(({ entry }) => entry),
			...(isWhole ? { exactly: { policies: { except: ["kept*"] } } } : {}),
			absent: {
				...(removed.length === 0 ? {} : { policies: removed.map(({ name }) => name) }),
				...(isOldLive ? { userTags: ["old tag"] } : {}),
			},
			limits: { memberRemovals: "100%", policies: 100, userTags: 100, takeovers: 100 },
		},
		wanted,
		absent: [
			...removed.map(({ name }) => ({ kind: "policy", name }) as const),
			...(isOldLive ? [{ kind: "userTag", name: "old tag" } as const] : []),
		],
		isWhole,
	};
}

type Luck = (share: number) => boolean;

function drawTag(name: string, index: number, isTrue: Luck) {
	const isStated = isTrue(0.8);
	const isLive = isTrue(0.4);
	const earlier = isStated && isTrue(0.2) ? `${name} before` : null;
	const creates = isTrue(0.85);
	const members = isTrue(0.6) ? Object.entries(users).filter(() => isTrue(0.5)) : null;
	const aliases = (members ?? []).map(([alias]) => alias);
	const tagName = earlier ?? name;
	return {
		...{ kind: "userTag" as const, name, earlier, isStated: isStated && (creates || isLive), isAbsent: false, creates },
		text: { effect: "", consensus: "", condition: "" },
		members: members?.map(([, userId]) => userId) ?? null,
		live: isLive ? [{ tagId: id("7", index + 1), tagName, userIds: isTrue(0.5) ? [users.carol] : [] }] : [],
		entry: {
			name,
			...(creates ? { create: true } : {}),
			...(members === null ? {} : { members: { exactly: aliases } }),
			...(earlier === null ? {} : { previously: [earlier] }),
		},
	};
}

function drawPolicy(name: (typeof policyNames)[number], index: number, tags: readonly string[], isTrue: Luck) {
	const isStated = isTrue(0.8);
	const isLive = isTrue(0.45);
	const earlier = isStated && isTrue(0.2) ? `${name} before` : null;
	const tag = tags[isTrue(0.5) ? 0 : 1];
	const approvers = "approvers.any(user, user.";
	const consensus =
		tag === undefined || isTrue(0.3)
			? `${approvers}id == '\${users.bob}')`
			: `${approvers}tags.contains('\${userTags.${tag}}'))`;
	const condition = `activity.kind == '${activityKinds[name]}'`;
	const notes = isTrue(0.3) ? undefined : "agreed";
	const policyName = earlier ?? name;
	const live = {
		policyId: id("9", index + 1),
		policyName,
		condition,
		consensus: "approvers.count() >= 2",
		notes: "old",
	};
	return {
		...{ kind: "policy" as const, name, earlier, isStated, isAbsent: !isStated && isTrue(0.5), creates: true },
		text: { effect: "EFFECT_ALLOW", consensus, condition, ...(notes === undefined ? {} : { notes }) },
		members: null,
		live: isLive ? [live] : [],
		entry: {
			...{ name, effect: "allow", consensus, condition },
			...(notes === undefined ? {} : { notes }),
			...(earlier === null ? {} : { previously: [earlier] }),
		},
	};
}
