import { listCovers, quoteForShell, showText } from "../common/escape.ts";
import { commandLine, type Voice } from "../common/said.ts";
import type { Guard } from "../plan/guards/guards.ts";
import { isFor, type Override } from "../plan/guards/overrides.ts";
import { guardText, limitText } from "../say/guards.ts";
import { renderUnder, type Style } from "./style.ts";

export const overridesHeading = "Overrides used";

/** Returns the override in one line: as it was given, and what it overrides. Names are escaped. */
export function describeOverride(
	override: Override,
	guards: readonly Guard[] = [],
	voice: Voice = commandLine,
): string {
	const given = voice.override(override.flag);
	switch (override.flag) {
		case "allow": {
			const guard = guards.find((one) => isFor(override, one));
			const found = guard === undefined ? "" : `: ${showText(guardText(guard))} (allowed: ${limitText(guard)})`;
			return `${given} ${override.kind}=${override.number}${found}`;
		}
		case "abandon":
			return `${given} ${showText(quoteForShell(override.activity))}: this activity can still be approved, and apply ignores it`;
		case "retry-rejected": {
			const { steps, covers } = override;
			const what = covers.length === 0 ? "" : `: ${listCovers(covers)}`;
			return `${given}: ${steps} rejected ${steps === 1 ? "step" : "steps"} submitted again${what}`;
		}
		case "insecure":
			return `${given}: the certificate of the service is not verified`;
	}
}

/** Returns the overrides under their heading, and a blank line after them; no line where there is none. */
export function renderOverrides(
	overrides: readonly Override[] | undefined,
	style: Style,
	guards: readonly Guard[] = [],
): readonly string[] {
	const lines = (overrides ?? []).map((one) => describeOverride(one, guards, style.voice));
	return renderUnder(style.warn(`${overridesHeading}:`), lines);
}
