import { describe, expect, it } from "vitest";
import { findBannedWords } from "../scripts/banned-words.ts";

const found = (text: string, isForUsers = true): readonly string[] =>
	findBannedWords(text, isForUsers).map(({ words }) => words);

describe("the list of banned words", () => {
	it.each([
		["Mistakes in the document are all told at once", "told"],
		["it stands in the way", "stands"],
		["nobody checked that whoever applies keeps a way in", "whoever nobody"],
		["the document speaks\n\tof no user tags", "speaks of"],
		["Nothing that is already so is submitted", "already so"],
		["orgsync gave up on it", "gave up"],
		["What moved since it was planned", "What moved"],
		["when this is meant: --allow policies=1", "when this is meant"],
	])("finds %j", (text, words) => {
		expect(found(text).toSorted()).toEqual(words === "whoever nobody" ? ["nobody", "whoever"] : [words]);
	});

	it.each([
		"Reports all errors at once, each with file, line and column",
		"a plan cannot tell the two of them apart",
		"a hyphen stands for standard input",
		"tags moved to another file",
		"in memory",
		"ALTER TABLE sent RENAME COLUMN wish TO request_digest",
	])("accepts %j", (text) => expect(found(text)).toEqual([]));

	it("is shorter for comments and test names", () => {
		expect(found("activities that wait", false)).toEqual([]);
		expect(found("activities that wait")).toEqual(["that wait"]);
	});
});
