/** Globs over names. */
import { showName } from "../common/escape.ts";

/** Which labels of a kind are meant: those that match `glob`, or the one that is `label`, as it is or as plans show it. Without both: all. */
export interface LabelSelection {
	readonly glob?: string;
	readonly label?: string;
}

export function selectsLabel({ glob, label }: LabelSelection, text: string): boolean {
	return (
		(glob === undefined || matchesGlob(glob, text)) &&
		(label === undefined || label === text || label === showName(text))
	);
}

/** Whether the text is as the glob says: `*` is any text, `?` any character. */
export function matchesGlob(glob: string, label: string): boolean {
	const pattern = [...glob]
		.map((character) =>
			character === "*" ? ".*" : character === "?" ? "." : character.replace(/[\\^$.|+()[\]{}]/, "\\$&"),
		)
		.join("");
	return new RegExp(`^${pattern}$`, "su").test(label);
}
