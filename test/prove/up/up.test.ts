/** A sample of `npm run prove -- up`. */
import { expect, it } from "vitest";
import { ensureEngine } from "../../engine/engine.ts";
import { prepareOrSkip } from "../../needs.ts";
import { prove } from "../proof.ts";
import { proof } from "./proof.ts";

prepareOrSkip(async () => void (await ensureEngine()));

it("an up that is killed is followed by one that ends with one object and one activity for each", async () => {
	const { cases, findings } = await prove(proof, { seed: 1, cases: 1, seconds: undefined });
	expect(findings).toEqual([]);
	expect(cases).toBe(1);
}, 480_000);
