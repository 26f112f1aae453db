/** Warnings of a plan: what the document or a policy says of objects that do not exist. What could not be read may exist. */
import type { Problem } from "../common/errors.ts";
import { listFirst, showAddress, showName } from "../common/escape.ts";
import { uuid } from "../common/uuid.ts";
import { type AccessState, mapKnown } from "../policy/access.ts";
import { findNamedTags } from "../policy/lint/named-tags.ts";
import { describeTime } from "./access-window.ts";
import { printAddress } from "./address.ts";
import { findUnlisted, selectsNamed } from "./kinds/found-objects.ts";
import { readOnlyKindOf } from "./kinds/index.ts";
import { userTagsOf } from "./kinds/user-tag.ts";
import { describeMissing } from "./missing-users.ts";
import { nearest } from "./nearest.ts";
import { addressOfObject } from "./objects.ts";
import {
	absentTagsOf,
	type DesiredOrganization,
	type Known,
	type LiveOrganization,
	liveKeyOf,
	type Named,
	type Position,
	policiesOf,
	removalsOf,
	tagsOf,
} from "./organization.ts";
import { addressOfRule, tagNamesOf } from "./rules/rules.ts";
import { compareText } from "./value.ts";

/**
 * Returns the warnings, sorted whatever the order of the documents is. `timeMs` is the service's time, by which `desired` has its
 * windows. `access`: left out where it was not read.
 */
export function findWarnings(
	desired: DesiredOrganization,
	live: LiveOrganization,
	timeMs: number,
	access?: AccessState,
): readonly Problem[] {
	const found = [
		...(access === undefined ? [] : [...namedTags(desired, live, access), ...statedTimes(desired, access)]),
		...missingUsers(desired, live, timeMs),
		...missingTags(desired, live),
		...missingPolicies(desired, live),
		...renamedOutside(desired, live),
		...misspelledAbsent(desired, live),
		...unlistedOnly(desired, live),
		...missingExpectations(desired, live),
	];
	return found.sort((left, right) => compareText(left.path, right.path) || compareText(left.message, right.message));
}

/** Users under `protect`, `never` and `absent`, and of access that begins later. A user who is to have a tag now is a problem. */
function missingUsers(desired: DesiredOrganization, { users }: LiveOrganization, timeMs: number): readonly Problem[] {
	if (!users.known) return [];
	const warn = (userId: string, path: string, so: string, at: Position | undefined): readonly Problem[] => {
		const place = desired.places?.users[userId] ?? at;
		if (Object.hasOwn(users.value, userId) || place === undefined) return [];
		const message = describeMissing(userId, desired, users.value, { so });
		return [{ ...place, path, code: "user-not-there", message }];
	};
	const ofTags = tagsOf(desired).flatMap(({ name, members, at }) => {
		const path = printAddress("userTag", name);
		const windows = new Map((members?.windows ?? []).map((window) => [window.userId, window]));
		return (members?.never ?? []).flatMap((userId) => {
			const window = windows.get(userId);
			if (window === undefined) return warn(userId, path, `\`never\` of \`${showName(name)}\` keeps no one out`, at);
			const { fromMs = timeMs } = window;
			if (fromMs <= timeMs) return [];
			const when = describeTime(new Date(fromMs).toISOString());
			return warn(userId, path, `the access to \`${showName(name)}\` cannot begin at ${when}`, window.at);
		});
	});
	const ofProtect = desired.protect.userIds.flatMap((userId) =>
		warn(userId, "protect.users", "`protect` protects no one by this id", undefined),
	);
	const owners = new Set(
		desired.objects.flatMap((one) => (one.kind === "oauthProvider" && one.userId !== null ? [one.userId] : [])),
	);
	const ofAbsent = [...owners].flatMap((userId) =>
		warn(userId, "absent.oauthProviders", "nothing is removed of this user under `absent`", undefined),
	);
	return [...ofTags, ...ofProtect, ...ofAbsent];
}

/** Names under `absent` that nothing has and that resemble one that is live: what was there and is absent already is no mistake. */
function misspelledAbsent(
	desired: DesiredOrganization,
	{ userTags, removables, lastApplied }: LiveOrganization,
): readonly Problem[] {
	const applied = [lastApplied.userTags, lastApplied.policies ?? {}].flatMap((one) => Object.values(one));
	const gone = new Set(applied.map(({ name }) => name));
	const warn = (name: string, known: readonly Named[], at: Position | undefined) => {
		const near = known.some((one) => one.name === name || one.id === name)
			? undefined
			: nearest(
					name,
					known.map((one) => one.name),
				);
		if (at === undefined || near === undefined || uuid.test(name) || gone.has(name)) return [];
		const message = `nothing is called \`${showName(name)}\`, so nothing is removed by this name; did you mean \`${showName(near)}\`?`;
		return [{ ...at, path: "absent", code: "not-there", message }];
	};
	const { policy } = removables;
	const named = removalsOf(desired, "policy").map(({ id }) => id);
	return [
		...(userTags.known ? absentTagsOf(desired).flatMap(({ name, at }) => warn(name, userTags.value, at)) : []),
		...(policy.known ? named.flatMap((name) => warn(name, policy.value, desired.places?.absentPolicies?.[name])) : []),
	];
}

/** Removals of a complete list that `--only` does not select, where it selects some; and names and patterns that select nothing. */
function unlistedOnly(desired: DesiredOrganization, live: LiveOrganization): readonly Problem[] {
	const place = firstLineOf(desired);
	const { policies = live.removables.policy, userTags } = live;
	const warn = (
		list: "policies" | "userTags",
		[what, many]: readonly [one: string, many: string],
		known: Known<readonly Named[]>,
	): readonly Problem[] => {
		const exceptions = desired.exactly?.[list];
		if (place === undefined || exceptions?.part === undefined || !known.known) return [];
		const path = `exactly.${list}`;
		const names = known.value.map(({ name }) => name);
		const { removed, left } = findUnlisted(known.value, [], exceptions);
		const others = left.map(({ name }) => `\`${showName(name)}\``);
		const isLeft = removed.length > 0 && left.length > 0;
		const message = `\`exactly\` removes ${left.length} more ${left.length === 1 ? what : many}, but not in this run: ${listFirst(others, 5)}`;
		const gone = exceptions.part.unlisted.filter((one) => !known.value.some((live) => selectsNamed(one, live)));
		return [
			...(isLeft ? [{ ...place, path, code: "removals-left", message }] : []),
			...gone.map(({ glob = "", label }) => ({
				...{ ...place, path, code: "not-there" },
				message:
					label === undefined
						? `no ${what} matches \`${showName(glob)}\`, so nothing is removed by this pattern`
						: `no ${what} is called \`${showName(label)}\`, so nothing is removed by this name${didYouMean(label, names)}`,
			})),
		];
	};
	return [
		...warn("policies", ["policy", "policies"], policies),
		...warn("userTags", ["user tag", "user tags"], mapKnown(userTags, userTagsOf)),
	];
}

/** Policies that ask for a user tag by its name. They are in no document: each is at the tag, or at the document's first line. */
function namedTags(
	desired: DesiredOrganization,
	{ userTags }: LiveOrganization,
	access: AccessState,
): readonly Problem[] {
	if (!userTags.known || !access.policies.known) return [];
	const names = new Map(access.policies.value.map(({ id, name }) => [id, name]));
	const tagNames = Object.fromEntries(userTags.value.map(({ id, name }) => [id, name]));
	return findNamedTags(access, tagNames).flatMap(({ policyId, name, tagIds }) => {
		const tag = tagsOf(desired).find((one) => one.name === name || one.previously.includes(name));
		const place = tag?.at ?? firstLineOf(desired);
		if (place === undefined) return [];
		const policy = showName(names.get(policyId) || policyId);
		const message = `policy \`${policy}\` asks for the user tag \`${showName(name)}\` by its name, which no user's tags have; did you mean its id ${tagIds.join(" or ")}?`;
		return [{ ...place, path: printAddress("policy", policyId), code: "tag-by-name", message }];
	});
}

/** Policies of which the service says otherwise than orgsync whether they are in force now. */
function statedTimes(desired: DesiredOrganization, { policies }: AccessState): readonly Problem[] {
	const place = firstLineOf(desired);
	if (!policies.known || place === undefined) return [];
	return policies.value.flatMap(({ id, name, stated }): Problem[] => {
		if (stated === undefined) return [];
		const word = stated.isActive ? "in force" : "not in force";
		const message = `the service says that policy \`${showName(name || id)}\` is ${word} now, and by its \`time\` orgsync finds otherwise: the service's word counts`;
		return [{ ...place, path: printAddress("policy", id), code: "time-disagrees", message }];
	});
}

function firstLineOf({ files: [file] }: DesiredOrganization): Position | undefined {
	return file === undefined ? undefined : { file, line: 1, column: 1 };
}

/** Names of tags under `protect` and in rules that neither a live tag nor one of the document has. */
function missingTags(desired: DesiredOrganization, { userTags }: LiveOrganization): readonly Problem[] {
	// What `--only` left out can give a tag the name.
	if (!userTags.known || desired.narrowed === true) return [];
	const live = userTags.value.filter(({ type }) => type === "TAG_TYPE_USER" || type === "").map(({ name }) => name);
	const known = new Set([...live, ...tagsOf(desired).map(({ name }) => name)]);
	const warn = (name: string, path: string, so: string, at: Position | undefined): readonly Problem[] => {
		if (known.has(name) || at === undefined) return [];
		const message = `no user tag is called \`${showName(name)}\`, so ${so}${didYouMean(name, live)}`;
		return [{ ...at, path, code: "tag-not-there", message }];
	};
	return [
		...desired.protect.userTags.flatMap((name) =>
			warn(name, "protect.userTags", "`protect` protects nothing by this name", desired.places?.protectedTags[name]),
		),
		...(desired.rules ?? []).flatMap((rule) =>
			tagNamesOf(rule).flatMap((name) => {
				const path = addressOfRule(rule);
				if (rule.rule === "onlyBy") return warn(name, path, "`onlyBy` allows no one by it", rule.at);
				if (rule.rule === "credentials") return warn(name, path, "`except` excepts no one by it", rule.at);
				// That it cannot be checked is among what could not be read.
				return didYouMean(name, live) === "" ? [] : warn(name, path, "the rule cannot be checked", rule.at);
			}),
		),
	];
}

/** Names and ids under `protect` that neither a live policy nor one of the document has. */
function missingPolicies(desired: DesiredOrganization, live: LiveOrganization): readonly Problem[] {
	const policies = live.policies ?? live.removables.policy;
	if (!policies.known || desired.narrowed === true) return [];
	const names = policies.value.map(({ name }) => name);
	const known = new Set([
		...names,
		...policies.value.map(({ id }) => id),
		...policiesOf(desired).map(({ name }) => name),
	]);
	return (desired.protect.policies ?? []).flatMap((name): readonly Problem[] => {
		const at = desired.places?.protectedPolicies?.[name];
		if (known.has(name) || at === undefined) return [];
		const message = `no policy is called \`${showName(name)}\`, so \`protect\` protects nothing by this name${didYouMean(name, names)}`;
		return [{ ...at, path: "protect.policies", code: "policy-not-there", message }];
	});
}

/** Objects of which someone renamed the one that was last applied: apply creates another one, unless a complete list removes the first. */
function renamedOutside(desired: DesiredOrganization, live: LiveOrganization): readonly Problem[] {
	const { exactly, objects } = desired;
	const { userTags, policies = {} } = live.lastApplied;
	const renamedIn = (
		kind: "policy" | "userTag",
		known: Known<readonly Named[]> = { known: false, because: { kind: "not-asked" } },
		applied: Readonly<Record<string, { readonly name: string }>>,
	): readonly Problem[] => {
		const wanted = kind === "policy" ? policiesOf({ objects }) : tagsOf({ objects });
		const created = kind === "policy" ? wanted : tagsOf({ objects }).filter(({ create }) => create === true);
		const claimed = new Set(wanted.flatMap(({ id, name, previously }) => [id, name, ...previously]));
		return created.flatMap(({ name, previously, at }) => {
			const others = known.known ? known.value : [];
			if (others.some((one) => one.name === name || previously.includes(one.name))) return [];
			const other = others.find((one) => applied[one.id]?.name === name);
			if (other === undefined || claimed.has(other.id) || claimed.has(other.name)) return [];
			const what = kind === "policy" ? "policy" : "user tag";
			const message = `the ${what} that was last applied as \`${showName(name)}\` is now called \`${showName(other.name)}\` (${other.id}), and apply creates another one; to rename it back, write that name under \`previously\``;
			return [{ ...at, path: printAddress(kind, name), code: "renamed-outside", message }];
		});
	};
	return [
		...(exactly?.userTags === undefined || exactly.userTags.part ? renamedIn("userTag", live.userTags, userTags) : []),
		...(exactly?.policies === undefined || exactly.policies.part ? renamedIn("policy", live.policies, policies) : []),
	];
}

/** Expected objects that are not found by their name while another has a similar one. That they are not found is drift already. */
function missingExpectations(desired: DesiredOrganization, live: LiveOrganization): readonly Problem[] {
	return desired.objects.flatMap((object): readonly Problem[] => {
		if (!("fields" in object)) return [];
		const records = live.records[object.kind]?.[liveKeyOf(object)];
		const { nameField, isIdentityId } = readOnlyKindOf(object.kind);
		const field = object.foundBy === "name" ? (nameField ?? "name") : object.foundBy;
		const isListed = records?.known === true && !isIdentityId(object.foundBy);
		const names = isListed ? records.value.map((record) => String(record[field])) : [];
		const meant = names.includes(object.key) ? "" : didYouMean(object.key, names);
		if (meant === "") return [];
		const path = addressOfObject(object, desired);
		return [{ ...object.at, path, code: "not-there", message: `${showAddress(path)} does not exist${meant}` }];
	});
}

function didYouMean(name: string, names: readonly string[]): string {
	const meant = nearest(name, names);
	return meant === undefined ? "" : `; did you mean \`${showName(meant)}\`?`;
}
