/**
 * A result in parts: one for each organization, as soon as it is known, and an end. A format that shows one organization
 * after the other keeps none of them; the others are made from the whole result.
 */
import type { Style } from "../style.ts";
import type { SuggestingOptions } from "./organizations.ts";
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
