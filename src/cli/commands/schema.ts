import { ConfigurationError, exitCodes } from "../../common/errors.ts";
import { showText } from "../../common/escape.ts";
import { resultHead, type SchemaResult } from "../../render/result/result.ts";
import { bundleSchema } from "../../schema/bundle.ts";
import { schemaNames } from "../../schema/files.ts";
import { didYouMean } from "../flags/suggest.ts";

/** Returns a schema, for example `operations/update_user_tag`. Throws ConfigurationError for an unknown name. */
export function schema(name: string): SchemaResult {
	const names = schemaNames().map((file) => file.replace(/\.json$/, ""));
	const wanted = name.replace(/\.json$/, "");
	if (!names.includes(wanted)) {
		const own = names.filter((file) => !file.includes("/")).join(", ");
		throw new ConfigurationError(`there is no schema ${showText(name)}${didYouMean(wanted, names)}`, {
			hint: `there are ${own}, and operations/NAME for every operation`,
		});
	}
	const head = resultHead("schema", exitCodes.inSync, null);
	return { ...head, name: wanted, schema: bundleSchema(`${wanted}.json`) };
}
