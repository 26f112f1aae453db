/** What each setting is, for the package schema. The comments of `ProviderArgs` and docs/pulumi.md say the same. */
import type { SettingName } from "./settings.ts";

interface SettingText {
	readonly description: string;
	/** Its type as an argument of a Provider. In the configuration and the environment, every setting is text. */
	readonly type: "text" | "number" | "boolean" | "list" | "Reads";
}

export const settingTexts: Readonly<Record<SettingName, SettingText>> = {
	organizationId: { type: "text", description: "The default organization of resources and functions, a UUID." },
	url: { type: "text", description: "The base address of the service." },
	apiPublicKey: {
		type: "text",
		description: "The public key of the API key, 66 hexadecimal characters. Optional: checked against the private key.",
	},
	apiPrivateKey: {
		type: "text",
		description: "The private key of the API key, 64 hexadecimal characters. Always a secret.",
	},
	keyFile: {
		type: "text",
		description: "A file that holds the private key, relative to the folder of `Pulumi.yaml`.",
	},
	stampCommand: {
		type: "text",
		description: "A command that gets the request body on standard input and prints the stamp header.",
	},
	reads: {
		type: "Reads",
		description:
			"`auto` (the default) also uses the extended reads. `documented` uses only the eight documented queries.",
	},
	maxRequestsPerSecond: { type: "number", description: "The maximum number of requests per second." },
	wait: {
		type: "number",
		description: "How many seconds orgsync polls an activity that the service works on. Defaults to 10.",
	},
	timeout: {
		type: "number",
		description: "The timeout of a request with all its attempts, in seconds. Defaults to 30.",
	},
	journal: {
		type: "text",
		description:
			"The journal file, relative to the folder of `Pulumi.yaml`. Defaults to `.orgsync/journal.sqlite` there.",
	},
	allow: {
		type: "list",
		description: "Guards to override, each with the number that it found, for example `memberRemovals=7`.",
	},
	abandon: { type: "list", description: "Activities to abandon, by id or fingerprint." },
	retryRejected: { type: "boolean", description: "Whether to submit rejected activities again." },
};
