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
import type {
	BootProof,
	MfaPolicy,
	MfaStatus,
	PolicyEvaluationRecord,
	SessionProfile,
	SupportedAsset,
	UserTagRecord,
} from "./answers.ts";
import { programError, programSession } from "./configuration.ts";
import { explain } from "./failure.ts";
import { withoutUndefined } from "./inputs.ts";
import type { Provider } from "./provider-resource.ts";
import type { GivenSettings } from "./settings.ts";
import { noOrganization } from "./user-tag.ts";

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

/** The arguments may be left out where none of them is needed. */
type Parameters<Args extends object> =
	Record<never, never> extends Args
		? [args?: Args, options?: FunctionOptions]
		: [args: Args, options?: FunctionOptions];

/** The query as a function of plain values. Rejects when what the Provider was given is not known yet, as in a preview. */
function plainly<Args extends object, Answer>(name: QueryName) {
	return async (...[args = {} as Args, options]: Parameters<Args>): Promise<Answer> => {
		const settings = options?.provider?.settings;
		if (settings === undefined) return ask(name, args, undefined);
		if (await isKnown(settings)) return ask(name, args, await new Promise((resolve) => settings.apply(resolve)));
		throw programError(`${name}: the Provider's arguments are not known yet; ask with the …Output function`);
	};
}

/** Whether the value is there; the SDK has it, and does not type it. */
function isKnown(output: pulumi.Output<unknown>): Promise<boolean> {
	return (output as unknown as { readonly isKnown: Promise<boolean> }).isKnown;
}

/** The query as a function of outputs: unknown as long as one of them is. */
function asOutput<Args extends object, Answer>(name: QueryName) {
	return (...[args = {} as Outputs<Args>, options]: Parameters<Outputs<Args>>): pulumi.Output<Answer> =>
		pulumi
			// The key among the settings is a secret; the service's answer is none because of it.
			.all([pulumi.output(args), pulumi.unsecret(pulumi.output(options?.provider?.settings))])
			.apply(([known, settings]) => ask<Answer>(name, known as object, settings)) as pulumi.Output<Answer>;
}

type Of<Fields> = QueriedOrganization & Readonly<Fields>;

type SessionProfileArgs = Of<{ sessionProfileId: string }>;
/** One session profile (interface.md 4.2, `get_session_profile`). */
export const getSessionProfile = plainly<SessionProfileArgs, SessionProfile>("get_session_profile");
/** The same of outputs. */
export const getSessionProfileOutput = asOutput<SessionProfileArgs, SessionProfile>("get_session_profile");

type MfaPolicyArgs = Of<{ userId: string; mfaPolicyId: string }>;
/** One MFA policy of a user (interface.md 4.2, `get_mfa_policy`). */
export const getMfaPolicy = plainly<MfaPolicyArgs, MfaPolicy>("get_mfa_policy");
/** The same of outputs. */
export const getMfaPolicyOutput = asOutput<MfaPolicyArgs, MfaPolicy>("get_mfa_policy");

type MfaPoliciesArgs = Of<{ userId: string }>;
/** All MFA policies of a user (interface.md 4.2, `get_mfa_policies`). */
export const getMfaPolicies = plainly<MfaPoliciesArgs, readonly MfaPolicy[]>("get_mfa_policies");
/** The same of outputs. */
export const getMfaPoliciesOutput = asOutput<MfaPoliciesArgs, readonly MfaPolicy[]>("get_mfa_policies");

type MfaStatusArgs = Of<{ activityId: string; userId?: string }>;
/** One entry a policy and voting user of an activity (interface.md 4.2, `get_mfa_status`); `userId` limits it to one. */
export const getMfaStatus = plainly<MfaStatusArgs, readonly MfaStatus[]>("get_mfa_status");
/** The same of outputs. */
export const getMfaStatusOutput = asOutput<MfaStatusArgs, readonly MfaStatus[]>("get_mfa_status");

type BootProofArgs = Of<{ appName: string }>;
/** The latest boot proof of an enclave app; `appName` is its id, a UUID (interface.md 4.2, `get_latest_boot_proof`). */
export const getLatestBootProof = plainly<BootProofArgs, BootProof>("get_latest_boot_proof");
/** The same of outputs. */
export const getLatestBootProofOutput = asOutput<BootProofArgs, BootProof>("get_latest_boot_proof");

type PolicyEvaluationsArgs = Of<{ activityId: string }>;
/** How policies judged the votes of an activity (interface.md 4.2, `get_policy_evaluations`). */
export const getPolicyEvaluations = plainly<PolicyEvaluationsArgs, readonly PolicyEvaluationRecord[]>(
	"get_policy_evaluations",
);
/** The same of outputs. */
export const getPolicyEvaluationsOutput = asOutput<PolicyEvaluationsArgs, readonly PolicyEvaluationRecord[]>(
	"get_policy_evaluations",
);

/** All user tags of the organization (interface.md 4.2, `list_user_tags`). */
export const listUserTags = plainly<QueriedOrganization, readonly UserTagRecord[]>("list_user_tags");
/** The same of outputs. */
export const listUserTagsOutput = asOutput<QueriedOrganization, readonly UserTagRecord[]>("list_user_tags");

type SupportedAssetsArgs = Of<{ caip2: string }>;
/** Assets of a network that the service supports; `caip2` by interface.md 4.3 (`list_supported_assets`). */
export const listSupportedAssets = plainly<SupportedAssetsArgs, readonly SupportedAsset[]>("list_supported_assets");
/** The same of outputs. */
export const listSupportedAssetsOutput = asOutput<SupportedAssetsArgs, readonly SupportedAsset[]>(
	"list_supported_assets",
);
