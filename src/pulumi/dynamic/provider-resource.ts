/** The Pulumi provider as a resource, for programs that use more than one service or more than one key. */
import * as pulumi from "@pulumi/pulumi";
import {
	configurationNamespace,
	type GivenSettings,
	type SettingName,
	secretSettings,
	settingNames,
} from "../settings/settings.ts";
import { configuredSettings, isMocked, refusePlainKey } from "./configuration.ts";

/** Each argument defaults to the stack configuration `orgsync:NAME`, else to the environment variable `ORGSYNC_NAME`. */
export interface ProviderArgs {
	/** The default organization of resources and functions, a UUID. */
	readonly organizationId?: pulumi.Input<string>;
	/** The base address of the service. */
	readonly url?: pulumi.Input<string>;
	/** The public key of the API key, 66 hexadecimal characters. Optional: checked against the private key. */
	readonly apiPublicKey?: pulumi.Input<string>;
	/** The private key of the API key, 64 hexadecimal characters. Always a secret. */
	readonly apiPrivateKey?: pulumi.Input<string>;
	/** A file that holds the private key, relative to the folder of `Pulumi.yaml`. */
	readonly keyFile?: pulumi.Input<string>;
	/** A command that gets the request body on standard input and prints the stamp header. */
	readonly stampCommand?: pulumi.Input<string>;
	/** `auto` (the default) also uses the extended reads. `documented` uses only the eight documented queries. */
	readonly reads?: pulumi.Input<"auto" | "documented">;
	/** The maximum number of requests per second. */
	readonly maxRequestsPerSecond?: pulumi.Input<number>;
	/** How many seconds orgsync polls an activity that the service works on. Defaults to 10. */
	readonly wait?: pulumi.Input<number>;
	/** The timeout of a request with all its attempts, in seconds. Defaults to 30. */
	readonly timeout?: pulumi.Input<number>;
	/** The journal file, relative to the folder of `Pulumi.yaml`. Defaults to `.orgsync/journal.sqlite` there. */
	readonly journal?: pulumi.Input<string>;
	/** Guards to override, each with the number that it found, for example `memberRemovals=7`. */
	readonly allow?: pulumi.Input<pulumi.Input<string>[]>;
	/** Activities to abandon, by id or fingerprint. */
	readonly abandon?: pulumi.Input<pulumi.Input<string>[]>;
	/** Whether to submit rejected activities again. */
	readonly retryRejected?: pulumi.Input<boolean>;
}

/** The arguments as they are sent: text, lists separated by spaces. */
type SentSettings = { readonly [Name in SettingName]?: pulumi.Output<string> };

/** The service, the organization and the key of resources and functions. Each Provider has its own process. */
export class Provider extends pulumi.ProviderResource {
	/** @internal For functions. */
	readonly settings: pulumi.Output<GivenSettings>;
	/** @internal The names of the secret arguments, without the private key. */
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

/** The Provider's settings, or undefined while they are unknown, as in a preview. */
export async function knownSettings({ settings }: Provider): Promise<GivenSettings | undefined> {
	// The SDK has `isKnown` without a type.
	const { isKnown } = settings as unknown as { readonly isKnown: Promise<boolean> };
	return (await isKnown) ? new Promise((resolve) => settings.apply((given) => resolve(given))) : undefined;
}

function sendSettings(args: ProviderArgs): SentSettings {
	const configured = defaultsFor(args);
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

/** The defaults from the stack configuration; without its key if the arguments have a key of any kind. */
function defaultsFor(args: ProviderArgs): GivenSettings {
	const configured = configuredSettings();
	if (credentialNames.every((name) => args[name] === undefined)) return configured;
	return Object.fromEntries(
		Object.entries(configured).filter(([name]) => !credentialNames.includes(name as SettingName)),
	);
}
