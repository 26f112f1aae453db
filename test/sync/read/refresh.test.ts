/** What `apply` does with a plan that was made long before its first submit. */
import { describe, expect, it } from "vitest";

import type { ComparedOrganization } from "../../../src/cli/commands/comparing.ts";
import { TransportError } from "../../../src/common/errors.ts";
import { refresh } from "../../../src/sync/converge.ts";

const readAtMs = Date.parse("2026-11-01T00:00:00.000Z");
const minuteMs = 60_000;

/** An organization with one step to submit, and what reading it again gives. */
function organization(
	again: () => unknown,
	steps: readonly object[] = [{ id: "step-1", earlierActivity: null, dependsOn: [] }],
) {
	const plan = { readAt: new Date(readAtMs).toISOString(), steps, guards: [], overrides: [{ kind: "policies" }] };
	let reads = 0;
	const compareAgain = async () => {
		reads += 1;
		return again();
	};
	const one = { comparison: { plan }, compareAgain } as unknown as ComparedOrganization;
	const fresh = (change: object) => ({ plan: { ...plan, overrides: undefined, readAt: "later", ...change } });
	return { one, plan, fresh, reads: () => reads };
}

const minutesLater = (minutes: number) => () => readAtMs + minutes * minuteMs;

describe("an organization whose turn to be applied comes", () => {
	it("is not read again within five minutes, or if nothing is submitted to it", async () => {
		const soon = organization(() => expect.unreachable());
		expect(await refresh(soon.one, minutesLater(5))).toBe(soon.one);
		const idle = organization(() => expect.unreachable(), []);
		expect(await refresh(idle.one, minutesLater(60))).toBe(idle.one);
	});

	it("is read again after a longer pause, and keeps the overrides of a plan that is the same", async () => {
		const { one, plan, fresh, reads } = organization(() => fresh({}));
		const { overrides } = plan;
		expect(await refresh(one, minutesLater(6))).toMatchObject({ comparison: { plan: { readAt: "later", overrides } } });
		expect(reads()).toBe(1);
	});

	it("fails if its plan differs by then, or if it cannot be read", async () => {
		const changed = organization(() => changed.fresh({ guards: [{ kind: "lockout" }] }));
		const error = { code: "live-problem", message: expect.stringContaining("nothing was submitted") };
		expect(await refresh(changed.one, minutesLater(6))).toMatchObject({ error });
		const broken = organization(() => {
			throw new TransportError("no answer", "no");
		});
		expect(await refresh(broken.one, minutesLater(6))).toMatchObject({ error: { code: "transport" } });
	});
});
