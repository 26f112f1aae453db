/** Annotations with hostile names, in every result: they are no commands of their own. */
import { describe, expect, it } from "vitest";
import type { CommandResult } from "../../src/render/result/result.ts";
import { commandsOf } from "./github-log.ts";
import { hostileNamings, resultsOf } from "./support.ts";

const results = Object.entries(resultsOf());
const hostileResults = hostileNamings.map((naming) => resultsOf(naming));

describe("hostile names in annotations", () => {
	it.each(results)("make no other command of %s, and no other property", (name, result) => {
		const shapeOf = (one: CommandResult) =>
			commandsOf(one).map(({ command, properties }) => ({
				command,
				properties: Object.keys(properties),
				title: properties.title,
				line: properties.line,
			}));
		const peaceful = shapeOf(result);
		for (const hostile of hostileResults) expect(shapeOf(hostile[name] as CommandResult)).toEqual(peaceful);
	});
});
