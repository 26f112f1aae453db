/**
 * Texts of orgsync with Pulumi's settings in place of the flags of the command line. Only words of orgsync change: names and
 * texts of others that look like a flag stay as they are.
 */
import { commandLine } from "../../common/said.ts";
import { pulumiVoice } from "./voice.ts";

/**
 * Returns what `render` makes of the data, in Pulumi's terms. Each text of the data is kept apart from the words of `render` by
 * characters that the data does not have. In Markdown no back quotes are added: they would end a code span.
 */
export function renderInPulumi<Data>(data: Data, render: (data: Data) => string, format: "text" | "markdown"): string {
	const texts: string[] = [];
	mapTexts(data, (text) => {
		if (text.search(likeOurs) !== -1) texts.push(text);
		return text;
	});
	if (texts.length === 0) return replaceFlags(render(data), format);
	const [dash, letter] = findMarks(data);
	if (dash === undefined || letter === undefined) return render(data);
	const marks = [
		[dash, "-"],
		[letter, "t"],
	] as const;
	// One character for another, so that long names are cut at the same place.
	const apart = mapTexts(data, (text) =>
		text.replaceAll(likeOurs, (found) => (found[0] === "-" ? dash : letter) + found.slice(1)),
	);
	return marks.reduce(
		(text, [mark, own]) => {
			const escaped = `\\u{${mark.charCodeAt(0).toString(16)}}`;
			return text.replaceAll(mark, own).replaceAll(escaped, own);
		},
		replaceFlags(render(apart), format),
	);
}

const likeOurs =
	/--(?:abandon|allow|retry-rejected|submitter|url|timeout|max-rps|journal)|the document as it was then/g;

/** The first two of the CJK characters that no text of the data has, escaped or not; fewer if it has the others. */
function findMarks(data: unknown): readonly string[] {
	const used = new Set<string>();
	mapTexts(data, (text) => {
		for (const [found, code] of text.matchAll(/[\u4e00-\u9fff]|\\u\{?([\da-f]{4})/gi))
			used.add(code === undefined ? found : String.fromCharCode(Number.parseInt(code, 16)));
		return text;
	});
	const candidates = Array.from({ length: 0x9fff - 0x4e00 }, (_, at) => String.fromCharCode(0x4e00 + at));
	return candidates.filter((one) => !used.has(one)).slice(0, 2);
}

/** Returns a copy of plain data with `change` applied to each text in it, keys included. What is shared stays shared. */
function mapTexts<Data>(data: Data, change: (text: string) => string): Data {
	const copies = new Map<object, unknown>();
	const entriesOf = (value: object) => Object.entries(value).map(([key, one]) => [change(key), copy(one)] as const);
	const copyObject = (value: object): unknown => {
		if (Array.isArray(value)) return value.map(copy);
		if (value instanceof Map) return new Map([...value].map(([key, one]) => [copy(key), copy(one)]));
		if (value instanceof Set) return new Set([...value].map(copy));
		return Object.fromEntries(entriesOf(value));
	};
	const copy = (value: unknown): unknown => {
		if (typeof value === "string") return change(value);
		if (typeof value !== "object" || value === null) return value;
		if (!copies.has(value)) copies.set(value, copyObject(value));
		return copies.get(value);
	};
	return copy(data) as Data;
}

function replaceFlags(text: string, format: "text" | "markdown"): string {
	const quote = format === "text" ? "`" : "";
	return (
		text
			.replaceAll(
				/(`?)(?:apply with )?--abandon ('[^'`\n]*'|[^\s'`]*[^\s'`:;,])/g,
				(_all, opened: string, name: string) =>
					`${opened || quote}pulumi config set orgsync:abandon ${name}${opened ? "" : quote}`,
			)
			// The key of a run is its submitter.
			.replaceAll("; for another user: `--submitter USER`", "")
			.replaceAll(/--allow (?=\w+=\d)/g, "orgsync:allow ")
			.replaceAll(/--retry-rejected\b/g, `${quote}ORGSYNC_RETRY_REJECTED=true${quote}`)
			.replaceAll(commandLine.earlierInput, pulumiVoice.earlierInput)
	);
}
