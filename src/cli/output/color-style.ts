/** The style of a terminal that shows colours. */
import { styleText } from "node:util";
import type { Style } from "../../render/style.ts";

// The output decides on colours for each stream; `styleText` would check standard output.
const colored =
	(format: "green" | "red" | "yellow" | "dim" | "bold") =>
	(text: string): string =>
		styleText(format, text, { validateStream: false });

export const colorStyle: Style = {
	add: colored("green"),
	remove: colored("red"),
	update: colored("yellow"),
	warn: colored("yellow"),
	faint: colored("dim"),
	strong: colored("bold"),
};
