import type { Reads } from "../../plan/plan.ts";
import type { Format } from "./formats.ts";

/** Every flag by its name, with the value that the commands get. A command takes those that its row has (command-table.ts). */
export interface GivenFlags {
	/** Files, folders and `-`; the default document when empty. */
	readonly file: readonly string[];
	/** Variables that the documents may use beside `ORGSYNC_VAR_*` and `ORGSYNC_ORGANIZATION_ID`. */
	readonly env: readonly string[];
	/** `KIND`, `KIND/GLOB` or an address. */
	readonly only: readonly string[];
	/** `I/N`: only the organizations of this share. */
	readonly shard?: string;
	/** The id of an organization. */
	readonly organization?: string;
	readonly local?: boolean;
	readonly url?: string;
	readonly reads: Reads;
	readonly concurrency: number;
	/** Seconds. */
	readonly timeout: number;
	/** Max requests per second; by default the rate limit of the service. */
	readonly maxRps?: number;
	/** Skips certificate verification, and allows weakened TLS. */
	readonly insecure?: boolean;
	readonly keyFile?: string;
	readonly stampCommand?: string;
	readonly passkey?: boolean;
	readonly passkeyPort?: number;
	/** See `journalFile`. */
	readonly journal?: string;
	/** Activity ids or fingerprints. */
	readonly abandon: readonly string[];
	/** `KIND=N` of guards; one kind may have several. */
	readonly allow: readonly string[];
	readonly retryRejected?: boolean;
	/** Who will submit the plan: an alias or an id. */
	readonly submitter?: string;
	readonly yes?: boolean;
	readonly verify: boolean;
	/** Seconds. */
	readonly wait: number;
	/** Max milliseconds to wait for pending activities to end; without it, they are an outcome. */
	readonly waitForApproval?: number;
	/** The id of an earlier run. */
	readonly resume?: string;
	/** The file of a saved plan, or `-`. */
	readonly plan?: string;
	/** The digest that the saved plan has to have. */
	readonly digest?: string;
	/** Max milliseconds since the saved plan was made. */
	readonly maxAge?: number;
	readonly base?: string;
	readonly baseFile?: string;
	/** An earlier report. */
	readonly since?: string;
	/** Addresses, or patterns of them. */
	readonly accept: readonly string[];
	/** How far ahead plans show access that ends or begins, milliseconds; left out, 14 days. */
	readonly horizon?: number;
	readonly detailedExitcode?: boolean;
	/** Milliseconds. */
	readonly for?: number;
	/** A time as documents write it. */
	readonly until?: string;
	readonly reason: string;
	/** Milliseconds since 1970; left out: now, by the service's clock. */
	readonly at?: number;
	readonly group?: string;
	/** An alias, an id or a live name. */
	readonly user?: string;
	readonly tag?: string;
	readonly why?: boolean;
	/** The file of a request, or `-`. */
	readonly activity?: string;
	readonly because?: boolean;
	readonly live?: boolean;
	readonly after?: boolean;
	/** The file of a seed. */
	readonly offline?: string;
	/** Whether to look for policies that no case is about. */
	readonly coverage?: boolean;
	/** A new file, for cases that hold now. */
	readonly write?: string;
	/** Names of cases, with `*` for any text. */
	readonly case: readonly string[];
	readonly personal?: boolean;
	readonly json?: string;
	readonly as: "document" | "seed";
	/** Whether the file is replaced, whatever is lost. */
	readonly force?: boolean;
	/** Name or id of a user tag. */
	readonly fenceCredentials?: string;
	/** Name of a new passkey. */
	readonly name: string;
	/** The file of the saved plan, or of the bundle. */
	readonly out?: string;
	readonly output?: string;
	readonly format?: Format;
	readonly commentKey?: string;
	readonly fullAt?: string;
	readonly color?: boolean;
	readonly quiet?: boolean;
	readonly verbose?: boolean;
	readonly metrics?: string;
	readonly metricLabel?: readonly (readonly [name: string, value: string])[];
}

/** The flags of these names. */
export type Flags<Name extends keyof GivenFlags> = Pick<GivenFlags, Name>;
