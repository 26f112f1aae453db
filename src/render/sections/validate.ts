/** What `validate` read: hooks run it often, so nothing here loads what makes plans. */
import { showOrganization } from "../../plan/organization-name.ts";
import { identifier, listOf, reason } from "../../say/phrase.ts";
import { listed, type Section } from "../../say/section.ts";
import type { ValidateResult } from "../result/result.ts";

export function validateSection({ organizations }: ValidateResult): Section {
	return listed("valid", organizations, (one) => [
		...listOf(one.files, (file) => identifier(file)),
		": valid, organization ",
		reason(showOrganization(one)),
	]);
}
