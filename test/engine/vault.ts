/**
 * A server that answers Pulumi as HashiCorp's Vault does, in this process: it keeps the keys of stacks. A passphrase costs every command
 * of the engine a fifth of a second, in which Pulumi derives the key.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

/** What `pulumi stack init` takes as the provider of secrets. */
export const secretsProvider = "hashivault://orgsync";

/** What an encrypted key begins with; here, the key follows. */
const prefix = "vault:v1:";

/** Starts it, and returns the environment in which the engine finds it. It ends with this process. */
export async function startVault(): Promise<Readonly<Record<string, string>>> {
	const server = createServer(async (request, response) => {
		const { plaintext, ciphertext } = (await json(request)) as Readonly<Record<string, string | undefined>>;
		const data =
			plaintext === undefined ? { plaintext: ciphertext?.slice(prefix.length) } : { ciphertext: prefix + plaintext };
		response.setHeader("content-type", "application/json").end(JSON.stringify({ data }));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	server.unref();
	const { port } = server.address() as AddressInfo;
	return { VAULT_SERVER_URL: `http://127.0.0.1:${port}`, VAULT_SERVER_TOKEN: "test" };
}

/** The key that a stack's settings have. */
export function keyOf(encrypted: string): Buffer {
	return Buffer.from(Buffer.from(encrypted, "base64").toString().slice(prefix.length), "base64");
}
