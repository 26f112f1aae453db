/** Written policies in a plan: what is created, and each text that changes, line by line. */
import { showRename, showText } from "../../common/escape.ts";
import type { PolicyChange } from "../../plan/change.ts";
import { address, code, identifier, title } from "../../say/phrase.ts";
import { type Note, notesOf, type Row } from "../../say/section.ts";
import { type DifferenceLine, differenceOf } from "../../say/text-difference.ts";

/** Returns the row of a policy; its rows are the texts that differ. */
export function policyRow(change: PolicyChange, marks: readonly Note[]): Row {
	const { before, after, address: at, id, takesOver, unchecked } = change;
	return {
		sign: before === null ? "+" : "~",
		said: [address(at)],
		...(before === null ? {} : { aside: [identifier(showText(id))] }),
		marks,
		rows: [
			...(before === null || before.name === after.name ? [] : [renameRow(before.name, after.name)]),
			...(before?.effect === after.effect ? [] : [effectRow(before, after)]),
			...textRows(change),
		],
		notes: notesOf(
			"attention",
			takesOver ? ["takes over a live policy: its text was never applied from here"] : null,
			unchecked === true ? [code("unchecked"), ": what it means is unknown"] : null,
		),
		about: [at],
	};
}

function effectRow(before: PolicyChange["before"], { effect }: PolicyChange["after"]): Row {
	const word = (text: string): string => showText(effectWord(text));
	if (before === null) return { said: [`effect: ${word(effect)}`] };
	return comparedRow("effect", { live: word(before.effect), document: word(effect) });
}

/** Returns a row with both sides by their names, not by an arrow: which way it points depends on who reads it. */
export function comparedRow(field: string, sides: Readonly<Record<string, string>>): Row {
	return {
		said: [field],
		sides: Object.entries(sides).map(([word, text]) => ({ word, said: [identifier(text)] })),
	};
}

/** Returns an effect as documents write it. */
export const effectWord = (effect: string): string => effect.replace(/^EFFECT_/, "").toLowerCase();

/** What a policy without such a text means. */
const emptyWords = { consensus: "any approvers", condition: "every activity", notes: "", time: "always" } as const;

/** Returns the texts that differ, line by line; those that a new policy has, and that it is about every activity. */
function textRows({ before, after, written, writtenBefore }: PolicyChange): readonly Row[] {
	const [now, was] = [{ ...after, ...written }, before && { ...before, ...writtenBefore }];
	return (["consensus", "condition", "notes", "time"] as const).flatMap((field): readonly Row[] => {
		const [left, right] = [was?.[field], now[field]];
		if (left === right || (left === undefined && right === "" && field !== "condition")) return [];
		const empty = (sign: "-" | "+", text: string | undefined): readonly DifferenceLine[] =>
			text === "" && emptyWords[field] !== "" ? [{ sign, said: [`(${emptyWords[field]})`] }] : [];
		const difference = [...empty("-", left), ...differenceOf(left ?? "", right), ...empty("+", right)];
		return [{ said: [field], difference }];
	});
}

/** Returns a row with both names. */
export function renameRow(from: string, to: string): Row {
	const [shownFrom, shownTo] = showRename(from, to);
	return { said: ["name: ", title(shownFrom), " -> ", title(shownTo)] };
}
