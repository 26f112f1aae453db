/** The connection of a session to the service: client, stamper, and reads that all resources share. */
import { defined } from "../../common/defined.ts";
import { ConfigurationError } from "../../common/errors.ts";
import { type Client, createClient } from "../../wire/client.ts";
import { type Environment, findStamper } from "../../wire/credentials.ts";
import { readProxies } from "../../wire/proxy.ts";
import { refuseWeakTls } from "../../wire/tls.ts";
import { type Clocks, type SharedReads, shareReads } from "../session/shared-reads.ts";
import { environmentName, type SettingName, type Settings } from "./settings.ts";

export interface Connection {
	readonly client: Client;
	readonly reads: SharedReads;
}

interface ConnectContext extends Clocks {
	readonly environment: Environment;
	/** The project's folder, from which paths are resolved. */
	readonly directory: string;
	readonly warn?: (line: string) => void;
}

/** Connects with these settings. Throws ConfigurationError if the address or the key is missing. */
export function connect(settings: Settings, context: ConnectContext): Connection {
	const { environment, directory, warn } = context;
	const { url, credentials, timeoutMs, maxRequestsPerSecond } = settings;
	if (url === undefined) {
		throw new ConfigurationError("the address of the service is missing", { hint: howToSet("url") });
	}
	// No setting overrides this: the runs of a stack are often unattended.
	refuseWeakTls(environment);
	// Paths are relative to the folder of Pulumi.yaml, wherever below it the program runs.
	const given = { ...credentials, keyFileSource: "orgsync:keyFile", directory };
	const stamper = findStamper(given, environment, warn);
	if (stamper === undefined) {
		throw new ConfigurationError("the API key is missing", {
			hint: `run \`pulumi config set --secret orgsync:apiPrivateKey\`, pass it to a Provider, or set ${environmentName("apiPrivateKey")}, ${environmentName("keyFile")} or ${environmentName("stampCommand")}`,
		});
	}
	const client = createClient({
		url,
		stamper,
		timeoutMs,
		proxy: readProxies(environment),
		...defined({ maxRequestsPerSecond }),
	});
	return { client, reads: shareReads(client.reader, context) };
}

function howToSet(name: SettingName): string {
	return `run \`pulumi config set orgsync:${name} VALUE\`, pass it to a Provider, or set ${environmentName(name)}`;
}
