/**
 * A result in parts: one for each organization, as soon as it is known, and an end. A format that shows one organization
 * after the other keeps none of them; the others are made from the whole result.
 */
import type { CommandContext } from "../../plan/suggested-command.ts";
import type { Style } from "../style.ts";
import { assessFound, type OrganizationResult, type SuggestingOptions } from "./organizations.ts";
import type { OrganizationPart } from "./published.ts";
import type { ResumableRun } from "./result.ts";

export type { OrganizationPart };

export interface StreamOptions extends SuggestingOptions {
	readonly command: string;
	/** How many organizations the result is about. One is shown in full, without a summary. */
	readonly size: number;
	readonly style: Style;
	/** Whether steps that completed were not shown while they did. */
	readonly quiet?: boolean;
	/** Which run it is, where it can be resumed. */
	readonly resumable?: ResumableRun | undefined;
}

/** Returns the organization as every format shows it; null where it could not be read. */
export function assessPart(
	command: string,
	part: OrganizationPart,
	commands?: CommandContext,
): OrganizationResult | null {
	return assessFound(command, part, commands);
}
