/**
 * Random organizations with policies, a root quorum, a document that changes them, and a submitter. What they are made of says
 * where a prediction may be unknown: a policy that orgsync does not claim to understand, or a read that is denied.
 */
import fc from "fast-check";
import type { SeedOrganization } from "../../src/emulator/server.ts";
import type { DesiredOrganization } from "../../src/plan/organization.ts";
import { makeKey } from "../keys.ts";
import { desiredOf, id, nothingAbsent, wantTag } from "../plan/support-organizations.ts";

export const people = [0, 1, 2, 3, 4].map((number) => ({
	userId: id("user", number + 1),
	userName: `user ${number}`,
	userEmail: `user${number}@acme.test`,
	key: makeKey(),
	passkey: makeKey(),
	credentialId: Buffer.from(`passkey ${number}`).toString("base64url"),
}));
export type Person = (typeof people)[number];

const tagIds = [0, 1, 2].map((number) => id("tag", number + 1));
const policyIds = [0, 1, 2, 3, 4].map((number) => id("policy", number + 1));
const providerIds = [0, 1].map((number) => id("provider", number + 1));
const appIds = [0, 1].map((number) => id("app", number + 1));

/** A text of the policy language. `isMurky`: orgsync cannot know what it gives. */
interface Text {
	readonly text: string;
	readonly isMurky: boolean;
}

const clear = (text: string): Text => ({ text, isMurky: false });
const murky = (text: string): Text => ({ text, isMurky: true });
const userId = fc.constantFrom(...people.map((person) => person.userId));
const tagId = fc.constantFrom(...tagIds);
const small = fc.integer({ min: 1, max: 3 });
const operator = fc.constantFrom(">=", ">=", ">=", "==", "<", ">", "!=");
const credentialType = fc.constantFrom("CREDENTIAL_TYPE_API_KEY_P256", "CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR");

/** Joins texts with `&&`, `||`, `!` and parentheses. */
function combine(atom: fc.Arbitrary<Text>, leftOut: fc.Arbitrary<Text>): fc.Arbitrary<Text> {
	const join = (one: Text, other: Text, how: string): Text => {
		const text = {
			and: `${one.text} && ${other.text}`,
			or: `${one.text} || ${other.text}`,
			nested: `(${one.text} || ${other.text}) && ${one.text}`,
			not: `!(${one.text}) || ${other.text}`,
		}[how];
		return { text: text ?? "", isMurky: one.isMurky || other.isMurky };
	};
	const both = fc.tuple(atom, atom, fc.constantFrom("and", "and", "or", "or", "nested", "not"));
	return fc.oneof(
		{ weight: 2, arbitrary: leftOut },
		{ weight: 5, arbitrary: atom },
		{ weight: 4, arbitrary: both.map(([one, other, how]) => join(one, other, how)) },
	);
}

const consensusAtom: fc.Arbitrary<Text> = fc.oneof(
	{ weight: 4, arbitrary: userId.map((one) => clear(`approvers.any(user, user.id == '${one}')`)) },
	{ weight: 4, arbitrary: tagId.map((one) => clear(`approvers.any(user, user.tags.contains('${one}'))`)) },
	{
		weight: 4,
		arbitrary: fc
			.tuple(tagId, operator, small)
			.map(([tag, how, count]) => clear(`approvers.filter(u, u.tags.contains('${tag}')).count() ${how} ${count}`)),
	},
	{ weight: 3, arbitrary: fc.tuple(operator, small).map(([how, count]) => clear(`approvers.count() ${how} ${count}`)) },
	{
		weight: 2,
		arbitrary: fc.tuple(userId, userId).map(([a, b]) => clear(`approvers.any(user, user.id in ['${a}', '${b}'])`)),
	},
	{ weight: 2, arbitrary: tagId.map((one) => clear(`approvers.all(user, '${one}' in user.tags)`)) },
	{
		weight: 2,
		arbitrary: fc
			.tuple(tagId, tagId)
			.map(([a, b]) => clear(`approvers.filter(u, u.tags.contains('${a}') || u.tags.contains('${b}')).count() >= 2`)),
	},
	{
		weight: 1,
		arbitrary: fc.constantFrom(...people).map((one) => clear(`approvers.any(u, u.email == '${one.userEmail}')`)),
	},
	{ weight: 1, arbitrary: credentialType.map((type) => clear(`credentials.any(c, c.type == '${type}')`)) },
	{ weight: 1, arbitrary: userId.map((one) => clear(`credentials.any(c, c.user_id == '${one}')`)) },
	{ weight: 1, arbitrary: fc.constantFrom(clear("true"), clear("false")) },
	{
		weight: 1,
		arbitrary: fc.constantFrom(
			murky("approvers.any(user, user.alias == 'user 1')"),
			murky("approvers.count == 1"),
			murky("approvers.any(user, user.id == 1)"),
			murky("approvers.any("),
			murky("activity.action == 'UPDATE'"),
		),
	},
);

const conditionAtom: fc.Arbitrary<Text> = fc.oneof(
	{
		weight: 5,
		arbitrary: fc
			.constantFrom("USER", "POLICY", "CREDENTIAL", "TVC_APP")
			.map((one) => clear(`activity.resource == '${one}'`)),
	},
	{ weight: 3, arbitrary: fc.constantFrom("UPDATE", "DELETE").map((one) => clear(`activity.action == '${one}'`)) },
	{
		weight: 2,
		arbitrary: fc
			.constantFrom("UPDATE_USER_TAG", "DELETE_POLICIES", "DELETE_OAUTH_PROVIDERS", "CREATE_API_KEYS")
			.map((one) => clear(`activity.kind == '${one}'`)),
	},
	{ weight: 1, arbitrary: fc.constant(clear("activity.type != 'ACTIVITY_TYPE_UPDATE_USER_TAG'")) },
	{ weight: 1, arbitrary: fc.constant(clear("activity.kind in ['UPDATE_USER_TAG', 'SIGN_TRANSACTION']")) },
	// A field that none of these activities has: such a policy errs, and takes no part.
	{ weight: 1, arbitrary: fc.constantFrom(clear("wallet.id == 'x'"), clear("eth.tx.to == '0x1'")) },
	{
		weight: 1,
		arbitrary: fc.constantFrom(
			murky("activity.action = 'UPDATE'"),
			murky("approvers.count() >= 1"),
			murky('activity.action == "UPDATE"'),
		),
	},
);

const none = fc.constant(clear(""));
const consensus = combine(consensusAtom, none);
const condition = combine(conditionAtom, fc.constant(clear("")));

/** Minutes from now, which a time is written from once the clock is known. */
const time = fc.oneof(
	{ weight: 6, arbitrary: fc.constant(() => "") },
	{
		weight: 2,
		arbitrary: fc.tuple(fc.constantFrom("<", ">=", ">"), fc.integer({ min: -300, max: 300 })).map(([how, minutes]) => {
			return (nowMs: number) => `time.now ${how} Timestamp('${new Date(nowMs + minutes * 60_000).toISOString()}')`;
		}),
	},
	{
		weight: 1,
		arbitrary: fc
			.tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 1, max: 12 }), fc.constantFrom("UTC", "Asia/Kolkata"))
			.map(
				([hour, hours, zone]) =>
					() =>
						`!CronSpan('30 ${hour} * * *', '${hours}h', '${zone}')`,
			),
	},
);

const policy = fc.record({
	effect: fc.constantFrom("EFFECT_ALLOW", "EFFECT_ALLOW", "EFFECT_ALLOW", "EFFECT_DENY"),
	consensus,
	condition,
	time,
});

const bits = (count: number) => fc.integer({ min: 0, max: 2 ** count - 1 });
const chosen = <Item>(items: readonly Item[], mask: number): readonly Item[] =>
	items.filter((_item, index) => (mask >> index) & 1);

export const cases = fc
	.record({
		userCount: fc.integer({ min: 2, max: people.length }),
		passkeys: bits(people.length),
		policies: fc.array(policy, { minLength: 1, maxLength: policyIds.length }),
		quorum: fc.tuple(bits(people.length), fc.integer({ min: 1, max: 3 })),
		tags: fc.array(fc.record({ before: bits(people.length), after: fc.option(bits(people.length)) }), { maxLength: 3 }),
		goes: fc.record({ policies: bits(5), providers: bits(2), apps: bits(2) }),
		owner: fc.nat(4),
		submitter: fc.nat(4),
		concurrency: fc.integer({ min: 1, max: 4 }),
		denied: fc.constantFrom(null, null, null, null, null, null, "get_organization_configs", "whoami"),
	})
	.map((shape) => ({ ...shape, users: people.slice(0, shape.userCount) }));

export type Case = typeof cases extends fc.Arbitrary<infer Shape> ? Shape : never;

export const submitterOf = ({ users, submitter }: Case): Person => users[submitter % users.length] as Person;
const ownerOf = ({ users, owner }: Case): Person => users[owner % users.length] as Person;
export const hasPasskey = ({ passkeys }: Case, person: Person): boolean =>
	((passkeys >> people.indexOf(person)) & 1) === 1;

/** Whether a prediction may be unknown whatever the steps are. */
export const isMurky = ({ policies, denied }: Case): boolean =>
	denied !== null || policies.some((one) => one.consensus.isMurky || one.condition.isMurky);

export function seedOfCase(shape: Case, organizationId: string, nowMs: number): SeedOrganization {
	const { users, quorum, tags, denied } = shape;
	const [mask, most] = quorum;
	const some = chosen(users, mask);
	const quorumIds = (some.length === 0 ? users : some).map((person) => person.userId);
	return {
		organizationId,
		users: users.map((person) => ({
			userId: person.userId,
			userName: person.userName,
			userEmail: person.userEmail,
			apiKeys: [{ publicKey: person.key.publicKey }],
			authenticators: hasPasskey(shape, person)
				? [{ credentialId: person.credentialId, publicKey: person.passkey.publicKey }]
				: [],
			oauthProviders:
				person === ownerOf(shape) ? providerIds.map((providerId) => ({ providerId, providerName: providerId })) : [],
		})),
		userTags: tagIds.map((one, index) => ({
			tagId: one,
			tagName: `tag ${index}`,
			userIds: chosen(users, tags[index]?.before ?? 0).map((person) => person.userId),
		})),
		policies: shape.policies.map((one, index) => ({
			policyId: policyIds[index] ?? "",
			policyName: `policy ${index}`,
			effect: one.effect,
			consensus: one.consensus.text,
			condition: one.condition.text,
			time: one.time(nowMs),
		})),
		tvcApps: appIds.map((one) => ({ id: one, name: one })),
		rootQuorum: { threshold: Math.min(most, quorumIds.length), userIds: quorumIds },
		...(denied === null ? {} : { rules: { denyReads: [denied] } }),
	};
}

export function desiredOfCase(shape: Case, organizationId: string): DesiredOrganization {
	const { users, tags, goes, policies } = shape;
	const removed = chosen(providerIds, goes.providers);
	return {
		...desiredOf({
			userTags: tags.flatMap(({ after }, index) => {
				if (after === null) return [];
				const exactly = chosen(users, after).map((person) => person.userId);
				return [wantTag(`tag ${index}`, { members: { mode: "exactly", exactly: [...exactly].sort() } })];
			}),
			absent: {
				...nothingAbsent,
				policyIds: chosen(policyIds.slice(0, policies.length), goes.policies),
				oauthProviders: removed.length === 0 ? [] : [{ userId: ownerOf(shape).userId, providerIds: removed }],
				tvcAppIds: chosen(appIds, goes.apps),
			},
		}),
		organizationId,
	};
}
