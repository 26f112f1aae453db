/** `drift --accept`: writes live values into the documents, in place: all files or none. */

import { ConfigurationError, LiveProblemError } from "../../common/errors.ts";
import { showAddress, showText } from "../../common/escape.ts";
import type { AcceptedPlace } from "../../document/edit/accept.ts";
import type { Expiry } from "../../plan/access-window.ts";
import type { Plan } from "../../plan/plan.ts";
import { refuseChanged, replaceDocuments } from "../files/replace-documents.ts";
import { type DocumentFlags, findListsOf, readSources } from "../files/sources.ts";
import type { Flags } from "../flags/given-flags.ts";
import type { OrganizationError } from "../output/failure.ts";
import type { Call } from "../output/output.ts";
import type { ComparedOrganization } from "./comparing.ts";

export type AcceptFlags = DocumentFlags & Flags<"accept">;

/** The organizations in the order of the documents: what was compared, or why nothing was. */
export type AllCompared = readonly (ComparedOrganization | OrganizationError)[];

/** Returns what `compare` finds without the values of `--accept`, which it writes, and where it wrote them. Throws ConfigurationError, and writes nothing. */
export async function acceptFound(
	compare: () => Promise<AllCompared>,
	{ flags, terminal, output }: Call<AcceptFlags>,
): Promise<{ readonly all: AllCompared; readonly accepted: readonly AcceptedPlace[] }> {
	const { acceptLive, addressMistake } = await import("../../document/edit/accept.ts");
	for (const pattern of flags.accept) {
		const hint = addressMistake(pattern);
		if (hint !== undefined) throw new ConfigurationError(`--accept ${pattern}: it is not an address`, { hint });
	}
	if (flags.file.includes("-")) {
		throw new ConfigurationError("--accept changes documents in place, but standard input is not a file", {
			hint: "name the file with -f",
		});
	}
	const sources = await readSources(flags.file, terminal, flags);
	const all = await compare();
	const comparisons = all.flatMap((one) => ("error" in one ? [] : one.comparison));
	const uncertain = comparisons.flatMap(({ plan }) => plan.problems).find(({ code }) => code === "time-not-certain");
	if (uncertain !== undefined) throw new LiveProblemError(`--accept depends on the time: ${uncertain.message}`);
	await refuseChanged(sources, flags.file, terminal);
	const options = {
		environment: terminal.environment,
		env: flags.env,
		findList: findListsOf(sources, terminal.directory),
	};
	const acceptance = acceptLive(sources, comparisons, flags.accept, options);
	if ("refusals" in acceptance) {
		throw new ConfigurationError(acceptance.refusals.map(showText).join("\n"), {
			hint: "nothing was written to any document",
		});
	}
	replaceDocuments(acceptance.contents, sources, "--accept");
	for (const { address, file, line } of acceptance.accepted) {
		output.note(`accepted ${showAddress(address)}: ${showText(file)}:${line}`);
	}
	for (const { address, because } of acceptance.skipped) {
		output.note(`skipped ${showAddress(address)}: ${showText(because)}`);
	}
	const { makePlan } = await import("../../plan/plan.ts");
	const now = new Map(acceptance.organizations.map((desired) => [desired.organizationId, desired]));
	const again = all.map((one) => {
		if ("error" in one) return one;
		const { comparison, ...others } = one;
		const { live, context } = comparison;
		const desired = now.get(comparison.desired.organizationId) ?? comparison.desired;
		const plan = keepExpired(makePlan(desired, live, context), comparison.plan);
		return { comparison: { ...comparison, desired, plan }, ...others };
	});
	return { all: again, accepted: acceptance.accepted };
}

/** Returns the plan with the expired access that it still ends: else the result would suggest to make it permanent. */
function keepExpired(plan: Plan, { expiries: earlier = [], serviceTime }: Plan): Plan {
	const { changes, expiries = [] } = plan;
	const isRemoved = ({ address, userId }: Expiry): boolean =>
		changes.some((one) => one.kind === "userTag" && one.address === address && one.removeUserIds.includes(userId));
	const isKnown = (one: Expiry): boolean =>
		expiries.some(({ address, userId }) => address === one.address && userId === one.userId);
	const kept = earlier.filter((one) => one.state === "expired" && isRemoved(one) && !isKnown(one));
	if (kept.length === 0 || serviceTime === undefined) return plan;
	return { ...plan, serviceTime, expiries: [...kept, ...expiries] };
}
