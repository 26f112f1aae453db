/** The places that can be traced, once cli/output/traces.ts listens. Listeners never get a key, a stamp or a body. */
import { channel, tracingChannel } from "node:diagnostics_channel";

interface OrganizationTrace {
	readonly organizationId: string;
	readonly work: "read" | "apply";
}

interface RequestTrace {
	readonly operation: string;
	readonly family: "query" | "submit";
	readonly organizationId: string;
	/** Base URL of the service, without a password. */
	readonly url: string;
}

export interface RequestOutcome {
	readonly requests: number;
	readonly answer: { readonly kind: string; readonly httpStatus?: number | undefined };
}

/** One attempt of a request, when it ended: a message of `attemptChannel`. */
export interface AttemptTrace {
	readonly attempt: number;
	/** The HTTP status, or the reason for having none. */
	readonly result: number | string;
	readonly durationMs: number;
}

interface StepTrace {
	readonly organizationId: string;
	readonly step: {
		readonly id: string;
		readonly operation: string;
		readonly covers: readonly { readonly address: string }[];
	};
}

export interface StepOutcome {
	readonly result: {
		readonly outcome: string;
		readonly activityId: string | null;
		readonly fingerprint: string | null;
		readonly requests: number;
	};
}

export const organizationChannel = tracingChannel<unknown, OrganizationTrace>("orgsync:organization");
export const requestChannel = tracingChannel<unknown, RequestTrace>("orgsync:request");
export const stepChannel = tracingChannel<unknown, StepTrace>("orgsync:step");
export const attemptChannel = channel("orgsync:attempt");
