/**
 * All 13 operations and the extensions through the vendor's published client: the emulator serves clients it has never met.
 */
import { TurnkeyRequestError } from "@turnkey/http";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Emulator, startEmulator } from "../../src/emulator/server.ts";
import * as world from "./world.ts";

const { organizationId, alice, bob, signers } = world;
let emulator: Emulator;
let client: ReturnType<typeof world.vendorClient>;
let second: ReturnType<typeof world.vendorClient>;

beforeEach(async () => {
	emulator = await startEmulator({ seed: world.makeSeed() });
	client = world.vendorClient(emulator.url, world.keys.alice);
	second = world.vendorClient(emulator.url, world.keys.bob);
});

afterEach(() => emulator.close());

const timestampMs = () => String(Date.now());

function updateTag(name: string, by = client) {
	return by.updateUserTag({
		type: "ACTIVITY_TYPE_UPDATE_USER_TAG",
		timestampMs: timestampMs(),
		organizationId,
		parameters: { userTagId: signers, newUserTagName: name, addUserIds: [bob], removeUserIds: [alice] },
	});
}

async function errorOf(promise: Promise<unknown>): Promise<TurnkeyRequestError> {
	const error = await promise.then(
		() => undefined,
		(reason: unknown) => reason,
	);
	expect(error).toBeInstanceOf(TurnkeyRequestError);
	return error as TurnkeyRequestError;
}

test("list_user_tags shows names and times, and no members", async () => {
	const { userTags } = await client.listUserTags({ organizationId });
	expect(userTags.map((tag) => tag.tagName)).toEqual(["signers", "auditors"]);
	expect(Object.keys(userTags[0] ?? {})).toEqual(["tagId", "tagName", "tagType", "createdAt", "updatedAt"]);
});

test("get_session_profile answers one profile", async () => {
	const { sessionProfile } = await client.getSessionProfile({ organizationId, sessionProfileId: world.profile });
	expect(sessionProfile).toMatchObject({ sessionProfileName: "short", expirationSeconds: "900", scope: "" });
});

test("get_mfa_policies and get_mfa_policy answer a user's policies", async () => {
	const { mfaPolicies } = await client.getMfaPolicies({ organizationId, userId: alice });
	const { mfaPolicy } = await client.getMfaPolicy({ organizationId, userId: alice, mfaPolicyId: world.mfaPolicy });
	expect(mfaPolicies).toEqual([mfaPolicy]);
	expect(mfaPolicy).toMatchObject({ mfaPolicyName: "passkey first", order: 1, condition: "", notes: "" });
});

test("get_latest_boot_proof answers all fields of the interface", async () => {
	const { bootProof } = await client.getLatestBootProof({ organizationId, appName: world.app });
	expect(bootProof).toMatchObject({ owner: "Acme", cloudAttestationDocB64: "AAAA", qosManifestVersion: "" });
});

test("list_supported_assets reads an alias as its network", async () => {
	// The vendor's types know the canonical names only.
	type Network = Parameters<typeof client.listSupportedAssets>[0]["caip2"];
	const byAlias = await client.listSupportedAssets({ organizationId, caip2: "solana:mainnet" as string as Network });
	const byName = await client.listSupportedAssets({
		organizationId,
		caip2: "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
	});
	const devnet = await client.listSupportedAssets({ organizationId, caip2: "solana:devnet" as string as Network });
	expect(byAlias).toEqual({ assets: [{ symbol: "SOL", decimals: 9 }] });
	expect(byName).toEqual(byAlias);
	expect(devnet).toEqual({ assets: [] });
});

test("update_user_tag renames, adds and removes in one completed activity", async () => {
	const { activity } = await updateTag("keepers");
	expect(activity).toMatchObject({
		status: "ACTIVITY_STATUS_COMPLETED",
		type: "ACTIVITY_TYPE_UPDATE_USER_TAG",
		organizationId,
		canApprove: false,
		canReject: true,
		failure: null,
		intent: { updateUserTagIntent: { userTagId: signers, newUserTagName: "keepers" } },
		result: { updateUserTagResult: { userTagId: signers } },
	});
	expect(activity.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
	expect(activity.votes).toHaveLength(1);
	expect(activity.votes[0]).toMatchObject({
		userId: alice,
		selection: "VOTE_SELECTION_APPROVED",
		activityId: activity.id,
	});
	const { users } = await client.getUsers({ organizationId });
	expect(users.filter((user) => user.userTags.includes(signers)).map((user) => user.userId)).toEqual([bob]);
	const { userTags } = await client.listUserTags({ organizationId });
	expect(userTags[0]?.tagName).toBe("keepers");
});

test("delete_oauth_providers removes the named providers of one user", async () => {
	const { activity } = await client.deleteOauthProviders({
		type: "ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS",
		timestampMs: timestampMs(),
		organizationId,
		parameters: { userId: alice, providerIds: [world.providers[0]] },
	});
	expect(activity.result.deleteOauthProvidersResult).toEqual({ providerIds: [world.providers[0]] });
	const { users } = await client.getUsers({ organizationId });
	expect(users[0]?.oauthProviders.map((provider) => provider.providerId)).toEqual([world.providers[1]]);
});

test("delete_policies removes the named policies", async () => {
	const { activity } = await client.deletePolicies({
		type: "ACTIVITY_TYPE_DELETE_POLICIES",
		timestampMs: timestampMs(),
		organizationId,
		parameters: { policyIds: [world.policies[1]] },
	});
	expect(activity.result.deletePoliciesResult).toEqual({ policyIds: [world.policies[1]] });
	const left = await client.getPolicies({ organizationId });
	expect(left.policies.map((policy) => policy.policyName)).toEqual(["first"]);
});

test("create_policies answers the ids in the order of its policies, which update_policy changes in place", async () => {
	const draft = { effect: "EFFECT_DENY", consensus: "false", notes: "" } as const;
	const { activity } = await client.createPolicies({
		type: "ACTIVITY_TYPE_CREATE_POLICIES",
		timestampMs: timestampMs(),
		organizationId,
		parameters: {
			policies: [
				{ ...draft, policyName: "third", condition: "true" },
				{ ...draft, policyName: "fourth", time: "time.now > Timestamp('2026-01-01T00:00:00Z')" },
			],
		},
	});
	const [third = "", fourth = ""] = activity.result.createPoliciesResult?.policyIds ?? [];
	const { activity: update } = await client.updatePolicy({
		type: "ACTIVITY_TYPE_UPDATE_POLICY_V2",
		timestampMs: timestampMs(),
		organizationId,
		parameters: { policyId: third, policyName: "renamed", policyNotes: "why", time: "" },
	});
	expect(update.intent.updatePolicyIntentV2).toMatchObject({ policyId: third, policyName: "renamed" });
	expect(update.result.updatePolicyResultV2).toEqual({ policyId: third });
	const { policies } = await client.getPolicies({ organizationId });
	expect(policies.map(({ policyId, policyName }) => [policyId, policyName]).slice(2)).toEqual([
		[third, "renamed"],
		[fourth, "fourth"],
	]);
	expect(policies[2]).toMatchObject({ ...draft, condition: "true", notes: "why" });
	expect(policies[3]).toMatchObject({ ...draft, condition: "", time: "time.now > Timestamp('2026-01-01T00:00:00Z')" });
	const error = await errorOf(
		client.createPolicy({
			type: "ACTIVITY_TYPE_CREATE_POLICY_V3",
			timestampMs: timestampMs(),
			organizationId,
			parameters: { ...draft, policyName: "renamed" },
		}),
	);
	expect([error.code, error.message]).toEqual([3, expect.stringContaining("policy label must be unique")]);
});

test("create_policy answers the id of its policy", async () => {
	const { activity } = await client.createPolicy({
		type: "ACTIVITY_TYPE_CREATE_POLICY_V3",
		timestampMs: timestampMs(),
		organizationId,
		parameters: { policyName: "third", effect: "EFFECT_ALLOW", notes: "" },
	});
	expect(activity.intent.createPolicyIntentV3).toMatchObject({ policyName: "third" });
	const { policyId = "" } = activity.result.createPolicyResult ?? {};
	expect((await client.getPolicies({ organizationId })).policies[2]).toMatchObject({ policyId, policyName: "third" });
});

test("create_user_tag makes a tag with members, and delete_user_tags takes it from them", async () => {
	const { activity } = await client.createUserTag({
		type: "ACTIVITY_TYPE_CREATE_USER_TAG",
		timestampMs: timestampMs(),
		organizationId,
		parameters: { userTagName: "keepers", userIds: [bob] },
	});
	const { userTagId = "", userIds } = activity.result.createUserTagResult ?? {};
	expect(userIds).toEqual([bob]);
	const tagsOfBob = async () => (await client.getUsers({ organizationId })).users[1]?.userTags;
	expect(await tagsOfBob()).toEqual([userTagId]);
	const { activity: removal } = await client.deleteUserTags({
		type: "ACTIVITY_TYPE_DELETE_USER_TAGS",
		timestampMs: timestampMs(),
		organizationId,
		parameters: { userTagIds: [userTagId] },
	});
	expect(removal.result.deleteUserTagsResult).toEqual({ userTagIds: [userTagId], userIds: [bob] });
	expect(await tagsOfBob()).toEqual([]);
});

test("create_oauth_providers adds the named providers to one user", async () => {
	const { activity } = await client.createOauthProviders({
		type: "ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2",
		timestampMs: timestampMs(),
		organizationId,
		parameters: {
			userId: bob,
			oauthProviders: [{ providerName: "login", oidcClaims: { iss: "https://login.test", sub: "s", aud: "a" } }],
		},
	});
	const [providerId] = activity.result.createOauthProvidersResultV2?.providerIds ?? [];
	const { users } = await client.getUsers({ organizationId });
	expect(users[1]?.oauthProviders).toMatchObject([{ providerId, issuer: "https://login.test", subject: "s" }]);
});

test("delete_tvc_app_and_deployments removes the app and its boot proof", async () => {
	const { activity } = await client.deleteTvcAppAndDeployments({
		type: "ACTIVITY_TYPE_DELETE_TVC_APP_AND_DEPLOYMENTS",
		timestampMs: timestampMs(),
		organizationId,
		parameters: { appId: world.app },
	});
	expect(activity.result.deleteTvcAppAndDeploymentsResult).toEqual({ appId: world.app });
	expect((await client.getTvcApps({ organizationId })).tvcApps).toEqual([]);
	const error = await errorOf(client.getLatestBootProof({ organizationId, appName: world.app }));
	expect(error.code).toBe(5);
});

test("init_import_private_key answers a bundle with a new public key each time", async () => {
	const bundleOf = async () => {
		const { activity } = await client.initImportPrivateKey({
			type: "ACTIVITY_TYPE_INIT_IMPORT_PRIVATE_KEY",
			timestampMs: timestampMs(),
			organizationId,
			parameters: { userId: alice },
		});
		return JSON.parse(activity.result.initImportPrivateKeyResult?.importBundle ?? "") as Record<string, string>;
	};
	const [one, other] = [await bundleOf(), await bundleOf()];
	expect(Object.keys(one)).toEqual(["version", "data", "dataSignature", "enclaveQuorumPublic"]);
	expect(one.data).not.toBe(other.data);
	expect(one.enclaveQuorumPublic).toBe(other.enclaveQuorumPublic);
});

test("an activity that needs two approvals completes when a second user approves it", async () => {
	await emulator.setRules(organizationId, { approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2 } });
	const { activity: waiting } = await updateTag("keepers");
	expect(waiting).toMatchObject({ status: "ACTIVITY_STATUS_CONSENSUS_NEEDED", canApprove: false, canReject: true });
	expect(waiting.result).toBeUndefined();
	const evaluations = await client.getPolicyEvaluations({ organizationId, activityId: waiting.id });
	expect(evaluations.policyEvaluations[0]?.policyEvaluations[0]?.outcome).toBe("OUTCOME_REQUIRES_CONSENSUS");
	const { activity: approval } = await second.approveActivity({
		type: "ACTIVITY_TYPE_APPROVE_ACTIVITY",
		timestampMs: timestampMs(),
		organizationId,
		parameters: { fingerprint: waiting.fingerprint },
	});
	expect(approval).toMatchObject({ status: "ACTIVITY_STATUS_COMPLETED", type: "ACTIVITY_TYPE_APPROVE_ACTIVITY" });
	const { userTags } = await client.listUserTags({ organizationId });
	expect(userTags[0]?.tagName).toBe("keepers");
	const after = await client.getPolicyEvaluations({ organizationId, activityId: waiting.id });
	expect(after.policyEvaluations.map((record) => record.policyEvaluations[0]?.outcome)).toEqual([
		"OUTCOME_REQUIRES_CONSENSUS",
		"OUTCOME_ALLOW",
	]);
	const ids = after.policyEvaluations.map((record) => record.policyEvaluations[0]?.policyId);
	expect(ids[0]).toBe(ids[1]);
});

test("one rejection makes a pending activity rejected, without effect", async () => {
	await emulator.setRules(organizationId, { approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2 } });
	const { activity: waiting } = await updateTag("keepers");
	await second.rejectActivity({
		type: "ACTIVITY_TYPE_REJECT_ACTIVITY",
		timestampMs: timestampMs(),
		organizationId,
		parameters: { fingerprint: waiting.fingerprint },
	});
	const { activities } = emulator.state(organizationId);
	expect(activities.map((activity) => activity.status)).toEqual([
		"ACTIVITY_STATUS_REJECTED",
		"ACTIVITY_STATUS_COMPLETED",
	]);
	const { userTags } = await client.listUserTags({ organizationId });
	expect(userTags[0]?.tagName).toBe("signers");
});

test("get_mfa_status answers for the users who voted", async () => {
	const { activity } = await updateTag("keepers");
	const { mfaStatuses } = await client.getMfaStatus({ organizationId, activityId: activity.id });
	expect(mfaStatuses).toEqual([
		{
			mfaPolicyId: world.mfaPolicy,
			userId: alice,
			satisfied: false,
			satisfiedMethods: [{ type: "AUTHENTICATION_TYPE_API_KEY" }],
			requiredMethods: [{ any: [{ type: "AUTHENTICATION_TYPE_PASSKEY" }] }],
		},
	]);
	const ofBob = await client.getMfaStatus({ organizationId, activityId: activity.id, userId: bob });
	expect(ofBob.mfaStatuses).toEqual([]);
});

test("the same signed body posted twice is one activity with one effect", async () => {
	const signed = await client.stampUpdateUserTag({
		type: "ACTIVITY_TYPE_UPDATE_USER_TAG",
		timestampMs: timestampMs(),
		organizationId,
		parameters: { userTagId: signers, addUserIds: [bob], removeUserIds: [] },
	});
	const headers = { [signed.stamp.stampHeaderName]: signed.stamp.stampHeaderValue };
	const path = new URL(signed.url).pathname;
	const one = await world.postRaw(emulator.url, path, signed.body, headers);
	const updatedAt = emulator.state(organizationId).organization.userTags?.[0]?.updatedAt;
	const other = await world.postRaw(emulator.url, path, signed.body, headers);
	expect(one.status).toBe(200);
	expect(other.body).toEqual(one.body);
	expect(emulator.state(organizationId).activities).toHaveLength(1);
	expect(emulator.state(organizationId).organization.userTags?.[0]?.updatedAt).toEqual(updatedAt);
	expect(emulator.requests().map((entry) => entry.replayed)).toEqual([false, true]);
});

test("a duplicate tag name is refused with 400 and gRPC 3", async () => {
	const error = await errorOf(updateTag("auditors"));
	expect(error.code).toBe(3);
	expect(error.message).toContain("a tag with that name already exists");
	expect(emulator.state(organizationId).activities).toEqual([]);
});

test("a denied activity is refused with gRPC 7 and the policy that denied it", async () => {
	await emulator.setRules(organizationId, { deny: [{ type: "ACTIVITY_TYPE_UPDATE_USER_TAG", userId: alice }] });
	const error = await errorOf(updateTag("keepers"));
	expect(error.code).toBe(7);
	expect(error.details?.[0]).toMatchObject({ policyEvaluations: [{ outcome: "OUTCOME_DENY_EXPLICIT" }] });
	expect(emulator.requests().at(-1)?.status).toBe(403);
	await updateTag("keepers", second);
});

test("a key of another organization is refused with gRPC 16, an unknown organization with gRPC 5", async () => {
	const stranger = world.vendorClient(emulator.url, world.keys.stranger);
	expect((await errorOf(stranger.listUserTags({ organizationId }))).code).toBe(16);
	expect((await errorOf(client.listUserTags({ organizationId: world.id(99) }))).code).toBe(5);
	expect(emulator.requests().map((entry) => entry.status)).toEqual([401, 404]);
});
