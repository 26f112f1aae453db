/**
 * The elements of a page, read with a grammar that is narrower than HTML: a name that was more than text would break it. The
 * tests in the browser compare them with those that a browser reads.
 */

export interface PageElement {
	/** The tag and the names of its attributes. */
	readonly shape: string;
	/** Its shape and its class, behind those of the elements around it. */
	readonly path: string;
}

/** A tag, its attributes in double quotes, unquoted or without a value; or text, in which each special character is escaped. */
const part = /<(\/?)([a-z][a-z0-9]*)((?: [a-z-]+(?:="(?:[^"<>&]|&#\d+;)*"|=[a-z]+)?)*)>|(?:[^<&]|&#\d+;)+/y;

/** Text of orgsync's own, with no name in it: the doctype, the style and the script. */
const own = /^<!doctype html>|(?<=<(style|script)>).*?(?=<\/\1>)/gs;

const withoutEnd = /^(?:meta|br|input)$/;

/** A cell ends where the next one begins, or its row ends. */
const cell = /^t[dh]$/;
const endsCell = /^t[dhr]$/;

/** Returns the elements of a page of orgsync, in its order. Throws where something is neither such a tag nor text. */
export function readElements(page: string): readonly PageElement[] {
	const text = page.replace(own, "");
	const found: PageElement[] = [];
	const around: { readonly tag: string; readonly path: string }[] = [];
	part.lastIndex = 0;
	for (let at = 0; at < text.length; at = part.lastIndex) {
		const match = part.exec(text);
		if (match === null) throw new Error(`neither a tag nor text: ${text.slice(at, at + 100)}`);
		const [, end, tag, attributes = ""] = match;
		if (tag === undefined) continue;
		if (endsCell.test(tag) && cell.test(around.at(-1)?.tag ?? "") && !(end && cell.test(tag))) around.pop();
		if (end) {
			if (around.pop()?.tag !== tag) throw new Error(`ends what has not begun: ${text.slice(at, at + 100)}`);
			continue;
		}
		const { shape, classes } = readTag(tag, attributes);
		const path = `${around.at(-1)?.path ?? ""}> ${shape} .${classes} `;
		found.push({ shape, path });
		if (!withoutEnd.test(tag)) around.push({ tag, path });
	}
	if (around.length > 0) throw new Error(`has no end: ${around.at(-1)?.path}`);
	return found;
}

const tags = new Map<string, { readonly shape: string; readonly classes: string }>();

/** Pages repeat most of their tags. */
function readTag(tag: string, attributes: string): { readonly shape: string; readonly classes: string } {
	const key = tag + attributes;
	const known = tags.get(key);
	if (known !== undefined) return known;
	const names = [...attributes.matchAll(/ ([a-z-]+)(?:="[^"]*"|=[a-z]+)?/g)].map(([, name = ""]) => name);
	const [, classes = ""] = / class="?([^">]*)/.exec(attributes) ?? [];
	const read = { shape: [tag, ...names].join(" "), classes };
	tags.set(key, read);
	return read;
}
