/** Which name a word is probably a typing error of. */
import { expect, it } from "vitest";
import { nearest } from "../../src/plan/nearest.ts";

it.each<[word: string, candidates: readonly string[], found: string | undefined]>([
	["signers", ["signer", "singers"], "signer"],
	["singers", ["signer", "signers"], "signers"],
	["SIGNERS", ["signers"], "signers"],
	["signers", ["SIGNERS"], "SIGNERS"],
	["treasury", ["treasury-approvers", "trees"], "treasury-approvers"],
	["treasury-approvers", ["treasury"], "treasury"],
	["ops", ["devops"], "devops"],
	["op", ["devops"], undefined],
	["devops", ["op"], undefined],
	["a", ["A", "b"], "A"],
	["a", ["b"], undefined],
	["Ops", ["pso", "oPS"], "oPS"],
	["ab", ["abc", "ax"], "abc"],
	["abc", ["abx", "axx"], "abx"],
	["abc", ["xyc"], undefined],
	["abcd", ["abxy"], "abxy"],
	["abcd", ["axyz"], undefined],
	["abcdefghi", ["abcdefxyz"], "abcdefxyz"],
	["abcdefgh", ["abcdexyz"], undefined],
	["abcdef", ["abcxyf", "abcxef"], "abcxef"],
	["", ["a"], undefined],
	["x", [], undefined],
	["a".repeat(60), ["a".repeat(59)], "a".repeat(59)],
	["a".repeat(61), ["a".repeat(59)], undefined],
	["signer", ["signers", ...Array.from({ length: 199 }, (_, at) => `${at}`)], "signers"],
	["signer", ["signers", ...Array.from({ length: 200 }, (_, at) => `${at}`)], undefined],
])("of %j, where there are %j, is %j", (word, candidates, found) => {
	expect(nearest(word, candidates)).toBe(found);
});
