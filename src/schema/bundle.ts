/** The schemas as objects, by themselves or with all that they refer to. */
import { posix } from "node:path";
import { readSchemaText } from "./files.ts";

/** The JSON Schema in schemas/NAME as an object. Throws when there is no such file: a defect of the package. */
export function readSchema(name: string): Record<string, unknown> {
	return JSON.parse(readSchemaText(name)) as Record<string, unknown>;
}

/** schemas/NAME as one document: files that it refers to are under `$defs`. Throws when one is missing, a defect of the package. */
export function bundleSchema(name: string): Record<string, unknown> {
	const found = new Map<string, unknown>();
	const embed = (file: string): void => {
		if (file === name || found.has(file)) return;
		found.set(file, undefined);
		const { $schema: _version, ...schema } = readSchema(file);
		found.set(file, localizeReferences(schema, file, name, embed));
	};
	const schema = localizeReferences(readSchema(name), name, name, embed) as Record<string, unknown>;
	if (found.size === 0) return schema;
	return { ...schema, $defs: { ...(schema.$defs as object | undefined), ...Object.fromEntries(found) } };
}

/** The part of schemas/FILE with each `$ref` as a pointer into the bundle. `embed` gets each file that it refers to. */
function localizeReferences(part: unknown, file: string, root: string, embed: (file: string) => void): unknown {
	if (Array.isArray(part)) return part.map((one) => localizeReferences(one, file, root, embed));
	if (typeof part !== "object" || part === null) return part;
	return Object.fromEntries(
		Object.entries(part).map(([key, value]) => {
			if (key !== "$ref" || typeof value !== "string") return [key, localizeReferences(value, file, root, embed)];
			const [path = "", pointer = ""] = value.split("#");
			const target = path === "" ? file : posix.join(posix.dirname(file), path);
			embed(target);
			return [key, target === root ? `#${pointer}` : `#/$defs/${target}${pointer}`];
		}),
	);
}
