/**
 * `show`: a saved plan as its reviewer needs it. It asks no service and reads no document.
 */
import { exitCodes } from "../../errors.ts";
import { statedFactsOf } from "../../plan/saved.ts";
import { overridesHeading } from "../../render/overrides-text.ts";
import { droppedOf, tellRunOverrides, tellSavedPlan } from "../../render/result.ts";
import { renderDropped } from "../../render/three-way-text.ts";
import type { Result, Terminal } from "../output.ts";
import { readSavedPlan } from "../saved-plan-file.ts";
import { renderingOf, renderPlans } from "./showing.ts";

/** The plans in this file, or in standard input for `-`. Throws ConfigurationError when it is no saved plan. */
export async function show(file: string, terminal: Terminal): Promise<Result> {
	const saved = await readSavedPlan(file, terminal);
	const { plans, threeWay, unread = [] } = saved;
	const savedPlan = statedFactsOf(saved);
	const base = threeWay === undefined ? {} : { threeWay };
	const made = tellRunOverrides({ savedPlan }).map((line) => `\n  ${line}`);
	const told = made.length === 0 ? "" : `\n${overridesHeading}:${made.join("")}`;
	const head = `${tellSavedPlan({ command: "show", plans, savedPlan, ...base })}${told}`;
	return {
		exitCode: exitCodes.converged,
		text: (style) => {
			const missing = unread.map((id) => `Organization ${id}: could not be read when the plan was made.\n`).join("");
			const dropped = droppedOf({ command: "show", threeWay: threeWay ?? [] });
			const gone = dropped.length === 0 ? "" : `\n${renderDropped(dropped, style)}`;
			return `${head}\n\n${renderPlans(plans, style, renderingOf(threeWay))}${missing}${gone}`;
		},
		json: { plans, savedPlan, ...base },
	};
}
