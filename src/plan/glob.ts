/** Globs over names. */

/** Whether the text is as the glob says: `*` is any text, `?` any character. */
export function matchesGlob(glob: string, label: string): boolean {
	const pattern = [...glob]
		.map((character) =>
			character === "*" ? ".*" : character === "?" ? "." : character.replace(/[\\^$.|+()[\]{}]/, "\\$&"),
		)
		.join("");
	return new RegExp(`^${pattern}$`, "su").test(label);
}
