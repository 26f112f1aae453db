/** What the organization has and the document does not mention. */
import { showName } from "../../common/escape.ts";
import { labelOf } from "../../plan/address.ts";
import type { Plan } from "../../plan/plan.ts";
import { identifier } from "../../say/phrase.ts";
import { type Section, section } from "../../say/section.ts";

export function unmanagedSection({ unmanaged }: Pick<Plan, "unmanaged">): Section {
	return section(
		"unmanaged",
		"Unmanaged user tags, which apply does not touch",
		["unmanaged user tag", "unmanaged user tags"],
		{
			rows: unmanaged.map(({ address }) => ({ said: [identifier(showName(labelOf(address)))] })),
			shorten: "first",
			isFolded: true,
		},
	);
}
