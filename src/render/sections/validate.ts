/** What `validate` read: hooks run it often, so nothing here loads what makes plans. */
import { showOrganization } from "../../plan/organization-name.ts";
import { identifier, listOf, reason } from "../../say/phrase.ts";
import { type Section, section } from "../../say/section.ts";
import type { ValidateResult } from "../result/result.ts";

export function validateSection({ organizations }: ValidateResult): Section {
	return section(
		"valid",
		organizations.map((one) => ({
			said: [...listOf(one.files, (file) => identifier(file)), ": valid, organization ", reason(showOrganization(one))],
		})),
	);
}
