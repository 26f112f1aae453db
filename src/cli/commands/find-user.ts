import { ConfigurationError } from "../../common/errors.ts";
import { showText } from "../../common/escape.ts";
import { checkSchema } from "../../schema/schema.ts";
import { validators } from "../../schema/validators/requests.ts";
import type { Call } from "../output/output.ts";
import { type NamingFlags, readNamed } from "./selection.ts";

/** Returns the user id for an alias of the documents, or for an id. Throws ConfigurationError for any other text. */
export async function findUser(call: Call<NamingFlags & { readonly user: string }>): Promise<string> {
	const { user } = call.flags;
	if (
		checkSchema(validators, "operations/init_import_private_key.json#/$defs/parameters", { userId: user }).length === 0
	) {
		return user.toLowerCase();
	}
	const organizations = await readNamed(call);
	const found = organizations.map(({ users }) => users[user]).find((id) => id !== undefined);
	if (found !== undefined) return found;
	const aliases = organizations.flatMap(({ users }) => Object.keys(users)).map(showText);
	throw new ConfigurationError(`\`${showText(user)}\` is not a user id`, {
		hint:
			aliases.length === 0
				? "use a UUID, or an alias and its document: -f FILE"
				: `use a UUID, or an alias of the documents: ${aliases.join(", ")}`,
	});
}
