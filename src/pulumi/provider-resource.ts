/**
 * The Pulumi provider as a resource, for programs that speak to more than one service or with more than one key.
 */
import * as pulumi from "@pulumi/pulumi";
import { configuredSettings, refusePlainKey } from "./configuration.ts";
import { isMocked } from "./mocks.ts";
import {
	configurationNamespace,
	type GivenSettings,
	type SettingName,
	secretSettings,
	settingNames,
} from "./settings.ts";

/** What is left out is taken from the stack's configuration `orgsync:NAME`, else from the variable `ORGSYNC_NAME`. */
export interface ProviderArgs {
	/** The organization of resources that name none, a UUID. */
	readonly organizationId?: pulumi.Input<string>;
	/** Base address of the service. */
	readonly url?: pulumi.Input<string>;
	/** The API key's public half, 66 hexadecimal characters; it is derived when it is left out. */
	readonly apiPublicKey?: pulumi.Input<string>;
	/** The API key's private half, 64 hexadecimal characters; kept as a secret whether or not it is given as one. */
	readonly apiPrivateKey?: pulumi.Input<string>;
	/** A file that holds the private key. */
	readonly keyFile?: pulumi.Input<string>;
	/** A command that gets the body on standard input and prints the stamp header. */
	readonly stampCommand?: pulumi.Input<string>;
	/** `auto` (the default) asks the extended reads too, `documented` only the eight queries of the interface. */
	readonly reads?: pulumi.Input<"auto" | "documented">;
	/** No more requests a second than this. */
	readonly maxRequestsPerSecond?: pulumi.Input<number>;
	/** Seconds that an activity is asked for again while the service works on it; 10 when left out. */
	readonly wait?: pulumi.Input<number>;
	/** Seconds for one request with all its attempts; 30 when left out. */
	readonly timeout?: pulumi.Input<number>;
	/** File of the journal; `.orgsync/journal.sqlite` in the folder of Pulumi.yaml when left out. */
	readonly journal?: pulumi.Input<string>;
	/** Guards to acknowledge, each by what it found: `["memberRemovals=7"]`. */
	readonly allow?: pulumi.Input<pulumi.Input<string>[]>;
	/** Activities to give up, by id or fingerprint. */
	readonly abandon?: pulumi.Input<pulumi.Input<string>[]>;
	/** Submit again what was rejected before. */
	readonly retryRejected?: pulumi.Input<boolean>;
}

/** What each argument is sent as: text, a list as words. */
type SentSettings = { readonly [Name in SettingName]?: pulumi.Output<string> };

/** Where and with which key resources and functions work. Its process is its own, so its settings are too. */
export class Provider extends pulumi.ProviderResource {
	/** @internal What functions need of it. */
	readonly settings: pulumi.Output<GivenSettings>;
	/** @internal The arguments that are secret, without the private key, which is shown nowhere. */
	readonly secretSettings: Promise<readonly SettingName[]>;

	constructor(name: string, args: ProviderArgs = {}, options?: pulumi.ResourceOptions) {
		refusePlainKey();
		const sent = sendSettings(args);
		const secrets = findSecrets(sent);
		const words = secrets.then((names) => (names.length === 0 ? undefined : names.join(" ")));
		const prefixed = Object.entries<unknown>({ ...sent, ...(isMocked() ? {} : { [secretSettings]: words }) }).map(
			([setting, value]) => [`${configurationNamespace}:${setting}`, value],
		);
		super("pulumi-nodejs", name, Object.fromEntries(prefixed), options);
		this.secretSettings = secrets;
		this.settings = pulumi.output(sent) as pulumi.Output<GivenSettings>;
	}
}

/** What the Provider was given, or undefined while that is not known, as in a preview. */
export async function knownSettings({ settings }: Provider): Promise<GivenSettings | undefined> {
	// The SDK has `isKnown`, and does not type it.
	const { isKnown } = settings as unknown as { readonly isKnown: Promise<boolean> };
	return (await isKnown) ? new Promise((resolve) => settings.apply((given) => resolve(given))) : undefined;
}

/** What was given; where nothing was, the stack's configuration stands in. */
function sendSettings(args: ProviderArgs): SentSettings {
	const configured = standIns(args);
	return Object.fromEntries(
		settingNames.flatMap((setting) => {
			const value: pulumi.Input<unknown> = args[setting] ?? configured[setting];
			if (value === undefined) return [];
			const text = pulumi.output(value).apply((given) => (Array.isArray(given) ? given.join(" ") : String(given)));
			return [[setting, setting === "apiPrivateKey" ? pulumi.secret(text) : text]];
		}),
	);
}

async function findSecrets(sent: SentSettings): Promise<readonly SettingName[]> {
	const names = settingNames.filter((name) => name !== "apiPrivateKey" && sent[name] !== undefined);
	const are = await Promise.all(names.map((name) => pulumi.isSecret(sent[name] as pulumi.Output<string>)));
	return names.filter((_name, index) => are[index] === true);
}

const credentialNames: readonly SettingName[] = ["apiPublicKey", "apiPrivateKey", "keyFile", "stampCommand"];

/** The stack's configuration; without its key when a key of any kind is given, because two could not both be meant. */
function standIns(args: ProviderArgs): GivenSettings {
	const configured = configuredSettings();
	if (credentialNames.every((name) => args[name] === undefined)) return configured;
	return Object.fromEntries(
		Object.entries(configured).filter(([name]) => !credentialNames.includes(name as SettingName)),
	);
}
