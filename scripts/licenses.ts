/** The licences that packages may have. Another one fails the tests and the release until it is added here, with a reason. */
import type { Component } from "./sbom.ts";

/** Of packages that users get: licences that ask for a notice, which THIRD-PARTY-NOTICES.txt holds. */
const ofUsers: ReadonlySet<string> = new Set([
	"0BSD",
	"Apache-2.0",
	"BSD-2-Clause",
	"BSD-3-Clause",
	"(BSD-3-Clause AND Apache-2.0)",
	"ISC",
	"MIT",
]);

/** Of tools too: nothing of them is published. */
const ofTools: ReadonlySet<string> = new Set([
	"BlueOak-1.0.0",
	"CC-BY-3.0",
	"CC-BY-4.0",
	"CC0-1.0",
	"MIT OR Apache-2.0",
	"MPL-2.0",
	"Python-2.0",
]);

/** Packages without an identifier, and the licence that their files have. */
const byName: Readonly<Record<string, string>> = { "@logdna/tail-file": "MIT" };

/** Returns `NAME VERSION: LICENCE` of each package whose licence is not on the list. */
export function findUnknownLicenses(components: readonly Component[]): readonly string[] {
	return components.flatMap((one) => {
		const license = licenseOf(one);
		const isKnown = ofUsers.has(license) || (one.scope === "excluded" && ofTools.has(license));
		return isKnown ? [] : [`${one.name} ${one.version}: ${license}`];
	});
}

function licenseOf({ name, licenses = [] }: Component): string {
	const known = Object.hasOwn(byName, name) ? byName[name] : undefined;
	if (known !== undefined) return known;
	const texts = licenses.map((one) => ("expression" in one ? one.expression : (one.license.id ?? one.license.name)));
	return texts.join(" AND ") || "none";
}
