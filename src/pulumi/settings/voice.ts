/** The flags of the command line as Pulumi takes them: settings of the provider, and commands that set them. */
import type { Voice } from "../../common/said.ts";

const settings = {
	allow: "orgsync:allow",
	insecure: "NODE_TLS_REJECT_UNAUTHORIZED=0",
	journal: "orgsync:journal",
	"max-rps": "orgsync:maxRequestsPerSecond",
	// The user of the key submits.
	submitter: "orgsync:apiPrivateKey",
	timeout: "orgsync:timeout",
	url: "orgsync:url",
	"retry-rejected": "ORGSYNC_RETRY_REJECTED=true",
} as const;

export const pulumiVoice: Voice = {
	flag: (name, value) => {
		if (name === "abandon") return `pulumi config set orgsync:abandon ${value ?? "ACTIVITY"}`;
		// A file or a user of the reader's choice needs no word for it.
		return value === null || name === "journal" || name === "submitter" ? settings[name] : `${settings[name]} ${value}`;
	},
	isCommand: (name) => name === "abandon" || name === "retry-rejected",
	override: (name) =>
		name === "abandon" ? "orgsync:abandon" : name === "retry-rejected" ? "ORGSYNC_RETRY_REJECTED" : settings[name],
	earlierInput: "the program as it was then, run within the hour,",
};
