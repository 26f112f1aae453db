/** The organizations that a summary names, because their news is bad: one line each, failures first. */

import { showText } from "../../common/escape.ts";
import { verdictText } from "../print/text.ts";
import type { FailedOrganization } from "./found.ts";
import { type NamedOrganization, showOrganization } from "./organization-name.ts";
import { type OrganizationResult, type State, states } from "./organizations.ts";
import { stateOfUnplanned } from "./summary.ts";

export class BadNews {
	readonly #lines: { readonly state: State; readonly line: string }[] = [];

	add({ plan, state, tone, verdict }: OrganizationResult): void {
		if (tone === "bad") this.#push(state, plan, verdictText(verdict));
	}

	/** Adds an organization without a plan. */
	addUnplanned(failed: FailedOrganization): void {
		const { error } = failed;
		this.#push(stateOfUnplanned(error), failed, `could not be read: ${showText(error.message)}`);
	}

	#push(state: State, organization: NamedOrganization, news: string): void {
		this.#lines.push({ state, line: `Organization ${showOrganization(organization)}: ${news}\n` });
	}

	/** Returns the lines; empty where there is no bad news. */
	render(): string {
		const order = Object.keys(states);
		const sorted = this.#lines.toSorted((left, right) => order.indexOf(left.state) - order.indexOf(right.state));
		return sorted.map(({ line }) => line).join("");
	}
}
