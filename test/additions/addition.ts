/** What a copy of the sources gets, as a person who adds it does. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";

export interface Addition {
	/** New files. */
	readonly created: Readonly<Record<string, string>>;
	/** What is written into other files, behind a text that they have. */
	readonly changed: Readonly<Record<string, readonly (readonly [behind: string, added: string])[]>>;
	/** What a schema gets, by the path of the object that it is added to. */
	readonly schemas?: Readonly<Record<string, readonly [path: readonly string[], added: object]>>;
}

/** Returns the files that are new or changed. */
export function filesOf({ created, changed, schemas = {} }: Addition): readonly string[] {
	return [created, changed, schemas].flatMap(Object.keys).toSorted();
}

export function addTo(copy: string, { created, changed, schemas = {} }: Addition): void {
	for (const [file, text] of Object.entries(created)) writeFileSync(join(copy, file), text);
	for (const [file, additions] of Object.entries(changed)) {
		let text = readFileSync(join(copy, file), "utf8");
		for (const [behind, added] of additions) {
			expect(text, file).toContain(behind);
			text = text.replace(behind, () => behind + added);
		}
		writeFileSync(join(copy, file), text);
	}
	for (const [file, [path, added]] of Object.entries(schemas)) {
		const schema = JSON.parse(readFileSync(join(copy, file), "utf8"));
		const at = path.reduce((part, name) => part[name], schema);
		Object.assign(at, added);
		writeFileSync(join(copy, file), JSON.stringify(schema));
	}
}
