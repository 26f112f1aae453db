/**
 * The eight queries as functions of a program, each plain (a promise) and as `…Output` (takes and gives outputs). They run
 * in the program itself, with the stack's configuration or with the Provider that is named in the options.
 *
 * Each rejects with what the service or the configuration has to say: no address, no key, a key that is not accepted, an
 * object that is not there.
 */
import * as pulumi from "@pulumi/pulumi";
import { AuthenticationError, ConfigurationError } from "../errors.ts";
import { type QueryName, queries } from "../wire/operations.ts";
import { programError, programSession } from "./configuration.ts";
import { explain } from "./failure.ts";
import { withoutUndefined } from "./inputs.ts";
import { askMocks, isMocked } from "./mocks.ts";
import { knownSettings, type Provider } from "./provider-resource.ts";
import type {
	BootProof,
	MfaPolicy,
	MfaStatus,
	PolicyEvaluationRecord,
	SessionProfile,
	SupportedAsset,
	UserTagRecord,
} from "./query-results.ts";
import { noOrganization } from "./resource.ts";
import { SecretValues } from "./secrets.ts";
import type { GivenSettings } from "./settings.ts";

/** The organization to ask; left out, the configured one. */
export interface QueriedOrganization {
	/** A UUID. */
	readonly organizationId?: string;
}

export interface FunctionOptions {
	/** Whose address, key and organization are used; left out, the stack's configuration. */
	readonly provider?: Provider;
}

/** The same arguments, each of them perhaps an output. */
export type Outputs<Args> = { readonly [Name in keyof Args]: pulumi.Input<NonNullable<Args[Name]>> };

async function ask<Answer>(name: QueryName, args: object, given: GivenSettings | undefined): Promise<Answer> {
	if (isMocked()) return mockedAnswer(name, args);
	const session = programSession(given);
	const { organizationId = session.settings.organizationId, ...fields } = args as QueriedOrganization;
	try {
		if (organizationId === undefined) throw new ConfigurationError(noOrganization.reason);
		const operation = queries[name];
		const answer = await session.readerFor(name).query(operation, { organizationId, ...withoutUndefined(fields) });
		return (answer.value[operation.answerKey] ?? []) as Answer;
	} catch (error) {
		const reason = explain(error);
		// What is wrong with address or key is wrong for every query, and said once for all of them.
		const isAboutAll = error instanceof ConfigurationError || error instanceof AuthenticationError;
		throw programError(isAboutAll || reason.startsWith(`${name}: `) ? reason : `${name}: ${reason}`);
	}
}

/** The functions that answer with one object; the others answer with a list. */
const answersWithOne: readonly QueryName[] = ["get_session_profile", "get_mfa_policy", "get_latest_boot_proof"];

/** What the mocks answer: the answer of the service, whose one member is what the function gives. */
async function mockedAnswer<Answer>(name: QueryName, args: object): Promise<Answer> {
	const { answerKey } = queries[name];
	const token = name.replaceAll(/_(\w)/g, (_all, letter: string) => letter.toUpperCase());
	const answer = (await askMocks(token, withoutUndefined(args)))[answerKey];
	if (answer !== undefined) return answer as Answer;
	if (!answersWithOne.includes(name)) return [] as Answer;
	throw programError(`${name}: the mocks do not answer it; return { ${answerKey}: … } for orgsync:index:${token}`);
}

/** The arguments may be left out where none of them is needed. */
type Parameters<Args extends object> =
	Record<never, never> extends Args
		? [args?: Args, options?: FunctionOptions]
		: [args: Args, options?: FunctionOptions];

/** The query as a function of plain values. Rejects when what the Provider was given is not known yet, as in a preview. */
function plainly<Args extends object, Answer>(name: QueryName) {
	return async (...[args = {} as Args, options]: Parameters<Args>): Promise<Answer> => {
		const provider = isMocked() ? undefined : options?.provider;
		if (provider === undefined) return ask(name, args, undefined);
		const settings = await knownSettings(provider);
		if (settings !== undefined) return ask(name, args, settings);
		throw programError(`${name}: the Provider's arguments are not known yet; ask with the …Output function`);
	};
}

/** The query as a function of outputs: unknown as long as one of them is. */
function asOutput<Args extends object, Answer>(name: QueryName) {
	return (...[args = {} as Outputs<Args>, options]: Parameters<Outputs<Args>>): pulumi.Output<Answer> =>
		pulumi
			// The key among the settings is a secret; the service's answer is none because of it.
			.all([pulumi.output(args), pulumi.unsecret(pulumi.output(options?.provider?.settings))])
			.apply(([known, settings]) =>
				askHidden(args, () => ask<Answer>(name, known as object, settings), known as object),
			) as pulumi.Output<Answer>;
}

/** What `work` gives; where the arguments are a secret, its error shows none of their values. */
async function askHidden<Answer>(args: object, work: () => Promise<Answer>, known: object): Promise<Answer> {
	try {
		return await work();
	} catch (error) {
		if (!pulumi.RunError.isInstance(error) || !(await pulumi.isSecret(pulumi.output(args)))) throw error;
		const hidden = new SecretValues();
		hidden.add(Object.values(known).map(String));
		throw programError(hidden.redact(error.message));
	}
}

type Of<Fields> = QueriedOrganization & Readonly<Fields>;

type SessionProfileArgs = Of<{ sessionProfileId: string }>;
/** One session profile (docs/service.md#queries, `get_session_profile`). */
export const getSessionProfile = plainly<SessionProfileArgs, SessionProfile>("get_session_profile");
/** The same of outputs. */
export const getSessionProfileOutput = asOutput<SessionProfileArgs, SessionProfile>("get_session_profile");

type MfaPolicyArgs = Of<{ userId: string; mfaPolicyId: string }>;
/** One MFA policy of a user (docs/service.md#queries, `get_mfa_policy`). */
export const getMfaPolicy = plainly<MfaPolicyArgs, MfaPolicy>("get_mfa_policy");
/** The same of outputs. */
export const getMfaPolicyOutput = asOutput<MfaPolicyArgs, MfaPolicy>("get_mfa_policy");

type MfaPoliciesArgs = Of<{ userId: string }>;
/** All MFA policies of a user (docs/service.md#queries, `get_mfa_policies`). */
export const getMfaPolicies = plainly<MfaPoliciesArgs, readonly MfaPolicy[]>("get_mfa_policies");
/** The same of outputs. */
export const getMfaPoliciesOutput = asOutput<MfaPoliciesArgs, readonly MfaPolicy[]>("get_mfa_policies");

type MfaStatusArgs = Of<{ activityId: string; userId?: string }>;
/** One entry a policy and voting user of an activity (docs/service.md#queries, `get_mfa_status`); `userId` limits it to one. */
export const getMfaStatus = plainly<MfaStatusArgs, readonly MfaStatus[]>("get_mfa_status");
/** The same of outputs. */
export const getMfaStatusOutput = asOutput<MfaStatusArgs, readonly MfaStatus[]>("get_mfa_status");

type BootProofArgs = Of<{ appName: string }>;
/** The latest boot proof of an enclave app; `appName` is its id, a UUID (docs/service.md#queries, `get_latest_boot_proof`). */
export const getLatestBootProof = plainly<BootProofArgs, BootProof>("get_latest_boot_proof");
/** The same of outputs. */
export const getLatestBootProofOutput = asOutput<BootProofArgs, BootProof>("get_latest_boot_proof");

type PolicyEvaluationsArgs = Of<{ activityId: string }>;
/** How policies judged the votes of an activity (docs/service.md#queries, `get_policy_evaluations`). */
export const getPolicyEvaluations = plainly<PolicyEvaluationsArgs, readonly PolicyEvaluationRecord[]>(
	"get_policy_evaluations",
);
/** The same of outputs. */
export const getPolicyEvaluationsOutput = asOutput<PolicyEvaluationsArgs, readonly PolicyEvaluationRecord[]>(
	"get_policy_evaluations",
);

/** All user tags of the organization (docs/service.md#queries, `list_user_tags`). */
export const listUserTags = plainly<QueriedOrganization, readonly UserTagRecord[]>("list_user_tags");
/** The same of outputs. */
export const listUserTagsOutput = asOutput<QueriedOrganization, readonly UserTagRecord[]>("list_user_tags");

type SupportedAssetsArgs = Of<{ caip2: string }>;
/** Assets of a network that the service supports; `caip2` by docs/service.md#networks (`list_supported_assets`). */
export const listSupportedAssets = plainly<SupportedAssetsArgs, readonly SupportedAsset[]>("list_supported_assets");
/** The same of outputs. */
export const listSupportedAssetsOutput = asOutput<SupportedAssetsArgs, readonly SupportedAsset[]>(
	"list_supported_assets",
);
