/** The sample of what a commit changed. */
import { describe, expect, it } from "vitest";
import { chooseChanged } from "./changed.ts";

const commit = "0000002abc";
const gitWith =
	(...files: string[]) =>
	(command: string) =>
		command === "diff" ? files.join("\n") : commit;

describe("The sample of a commit", () => {
	it("is of the room in which it changed most files", () => {
		const { room, sources } = chooseChanged(
			gitWith("src/plan/diff.ts", "src/policy/language/time.ts", "src/policy/language/lexer.ts"),
		);
		expect([room, sources]).toEqual(["policy", ["src/policy/language/time.ts", "src/policy/language/lexer.ts"]]);
	});

	it("is of files of sync and wire that have tests of their own, by these tests", () => {
		const { sources, rounds } = chooseChanged(gitWith("src/sync/verify.ts", "src/sync/journal/run-id.ts"));
		expect([sources, rounds[0]?.tests]).toEqual([["src/sync/verify.ts"], ["test/sync/verify.test.ts"]]);
	});

	it("is of a whole room where it changed none, and in a clone without its parent", () => {
		for (const git of [gitWith(), (command: string) => (command === "diff" ? null : commit)]) {
			const { room, sources, seed } = chooseChanged(git);
			expect([room, seed]).toEqual(["plan", 2]);
			expect(sources).toContain("src/plan/diff.ts");
		}
	});

	it("needs no repository", () => {
		expect(chooseChanged(() => null)).toMatchObject({ room: "policy", seed: 1 });
	});
});
