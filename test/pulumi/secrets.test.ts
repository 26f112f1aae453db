/** Secret inputs of both adapters: wherever they flow, in any form, they are secrets of Pulumi, and nothing that is printed shows them. */
import { describe, expect, it } from "vitest";
import { namesOfSecrets, SecretValues, seal } from "../../src/pulumi/inputs/secrets.ts";
import { type Answer, shown } from "../engine/answer.ts";
import { bob } from "../world.ts";
import { type Adapter, adapters, dynamicResources } from "./in-process/adapters.ts";
import { playSecretInputs, playSecretOrganization, type Watch } from "./secret-story.ts";

const watchWith =
	(adapter: Adapter): Watch =>
	async (program) => {
		const { world, stack } = await adapter.makeWorld(program);
		const seen: { place: string; text: string }[] = [];
		const run = async (...words: readonly string[]): Promise<Answer> => {
			const answer = await stack.pulumi(words);
			seen.push({ place: `output of ${words.join(" ")}`, text: shown(answer) });
			// The state of each command, with its secrets encrypted as in a file.
			seen.push({ place: `state after ${words.join(" ")}`, text: stack.stateFile() });
			return answer;
		};
		const leaks = (values: readonly string[]): readonly string[] =>
			seen.flatMap(({ place, text }) =>
				values.filter((value) => text.includes(value)).map((value) => `${value} in ${place}`),
			);
		return { world, stack, run, write: (next) => adapter.write(stack, next), leaks };
	};

describe.each(adapters)("secret inputs of $title", (adapter) => {
	it("are never in plain text, also in ids: pending, drifted, blocked, misspelled, replaced or deleted", () =>
		playSecretInputs(watchWith(adapter), adapter.urnOf));

	it("for the organization are never in plain text, and an input that becomes secret leaves the state", () =>
		playSecretOrganization(watchWith(adapter), adapter === dynamicResources));
});

describe("what is printed", () => {
	it("hides a value in upper or lower case, escaped or cut, and does not change longer words", () => {
		const hidden = new SecretValues();
		expect(hidden.redact("nothing is secret")).toBe("nothing is secret");
		const long = "a name that is longer than what a message shows of it";
		hidden.add(["sign", "A0000000-0000-4000-8000-000000000002", 'a\u001b"b', long, "$&.*", "3"]);
		expect(hidden.redact("sign signers `Sign` userTag:sign, 33 of 3")).toBe(
			"[secret] signers `[secret]` userTag:[secret], 33 of [secret]",
		);
		expect(hidden.redact(bob)).toBe("[secret]");
		expect(hidden.redact('`a\\u{1b}"b` `a\\u001b"b` "a\\u001b\\"b"')).toBe('`[secret]` `[secret]` "[secret]"');
		expect(hidden.redact(`is \`${long.slice(0, 40)}…\` long`)).toBe("is `[secret]` long");
		expect(hidden.redact("costs $&.* and .*")).toBe("costs [secret] and .*");
	});

	it("is a secret in the state by name, by repetition and by value, and unknown values are not changed", () => {
		const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
		const marked = (value: unknown) => ({
			"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
			value,
		});
		const properties = { previously: ["old"], name: "old", members: unknown, managed: { exactly: [] }, resource: "it" };
		expect(seal({ ...properties, secretInputs: ["members", "previously"] })).toEqual({
			previously: marked(["old"]),
			name: marked("old"),
			members: unknown,
			managed: marked({ exactly: [] }),
			resource: "it",
			secretInputs: ["members", "previously"],
		});
		expect(seal(properties)).toEqual(properties);
		expect(namesOfSecrets({ secretInputs: "members" })).toEqual([]);
	});
});
