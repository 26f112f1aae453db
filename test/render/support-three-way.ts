/**
 * Three-way plans with something of everything, under names that the caller chooses.
 */

import { makeDropped, makeThreeWay } from "../../src/plan/base/three-way.ts";
import { emptyLastApplied } from "../../src/plan/organization.ts";
import { makePlan } from "../../src/plan/plan.ts";
import type { CommandResult } from "../../src/render/result/result.ts";
import {
	context,
	desiredOf,
	id,
	known,
	liveOf,
	liveTag,
	nothingExpected,
	wantTag,
} from "../plan/support-organizations.ts";
import { completeAll } from "./complete.ts";

const [alice, bob, carol] = [id("user", 1), id("user", 2), id("user", 3)];
const exactly = (...users: string[]) => ({ members: { mode: "exactly", exactly: users } }) as const;
const atLeast = (wanted: string[], never: string[]) =>
	({ members: { mode: "atLeast", atLeast: wanted, never } }) as const;

function documentsOf(name: (name: string) => string) {
	const at = (line: number) => ({ at: { file: name("orgsync.yaml"), line, column: 5 } });
	const users = { [name("alice")]: alice, [name("bob")]: bob };
	const profile = (fields: object) => [{ id: id("other", 1), fields: { ...fields }, ...at(20) }];
	const base = desiredOf({
		users,
		userTags: [
			wantTag(name("auditors"), { id: id("tag", 1), ...exactly(alice, bob), ...at(7) }),
			wantTag(name("guests"), { id: id("tag", 3), ...at(9) }),
			wantTag(name("oncall"), { id: id("tag", 2), ...exactly(alice), ...at(9) }),
			wantTag(name("signers"), { id: id("tag", 4), ...exactly(alice, bob), ...at(11) }),
			wantTag(name("singers"), at(13)),
			wantTag(name("unseen"), { id: id("tag", 5), ...exactly(bob), ...at(15) }),
		],
		absent: {
			policyIds: [id("policy", 1), id("policy", 2)],
			oauthProviders: [{ userId: alice, providerIds: [id("provider", 1)] }],
			tvcAppIds: [id("app", 1)],
		},
		expect: { ...nothingExpected, sessionProfiles: profile({ name: name("short"), notes: name("n") }) },
		protect: { userIds: [carol], userTags: [name("root")] },
		limits: { policies: 1, memberRemovals: { percent: 25 } },
		digest: `sha256:${"b".repeat(64)}`,
	});
	const head = desiredOf({
		users,
		userTags: [
			wantTag(name("auditors"), { id: id("tag", 1), ...exactly(alice, bob), ...at(7) }),
			wantTag(name("newcomers"), { id: id("tag", 6), ...exactly(carol), ...at(8) }),
			wantTag(name("oncall"), { id: id("tag", 2), ...atLeast([bob], [carol]), ...at(9) }),
			wantTag(name("signatories"), { id: id("tag", 4), ...exactly(alice), ...at(11) }),
			wantTag(name("unseen"), { id: id("tag", 5), ...exactly(bob), ...at(15) }),
		],
		absent: {
			policyIds: [id("policy", 1), id("policy", 3)],
			oauthProviders: [{ userId: alice, providerIds: [id("provider", 1)] }],
			tvcAppIds: [],
		},
		expect: {
			...nothingExpected,
			sessionProfiles: profile({ name: name("short"), notes: name("other") }),
			bootProofs: [{ appId: id("app", 2), fields: { deploymentLabel: name("prod-42") }, ...at(22) }],
		},
		protect: { userIds: [alice], userTags: [] },
		limits: { policies: 7 },
		digest: `sha256:${"a".repeat(64)}`,
	});
	return { base, head };
}

function liveUnder(name: (name: string) => string) {
	return liveOf({
		userTags: known([
			liveTag(1, name("auditors"), { members: known([alice, carol]) }),
			liveTag(2, name("on-call"), { members: known([alice, bob]) }),
			liveTag(3, name("visitors"), { members: known([]) }),
			liveTag(4, name("approvers"), { members: known([alice, bob]) }),
			liveTag(5, name("unseen"), { members: { known: false, because: { kind: "stated", text: name("HTTP 404") } } }),
			liveTag(6, name("newcomers"), { members: known([carol]) }),
		]),
		policies: known([
			{ id: id("policy", 1), name: name("old rule") },
			{ id: id("policy", 2), name: name("older rule") },
		]),
		oauthProviders: { known: false, because: { kind: "stated", text: name("HTTP 404") } },
		tvcApps: { known: false, because: { kind: "stated", text: name("HTTP 501") } },
		sessionProfiles: { [id("other", 1)]: known({ sessionProfileName: name("long"), notes: name("other") }) },
		bootProofs: { [id("app", 2)]: known({ deploymentLabel: name("prod-42") }) },
		lastApplied: {
			...emptyLastApplied,
			userTags: {
				[id("tag", 5)]: {
					appliedAt: "2025-12-30T08:00:00.000Z",
					name: name("unseen"),
					present: [carol],
					gone: [],
					updatedAt: "1.0",
				},
			},
		},
	});
}

/** Plans compared with a base, by the names of their golden files. */
export function threeWayResultsOf(name: (name: string) => string): Readonly<Record<string, CommandResult>> {
	const { base, head } = documentsOf(name);
	const live = liveUnder(name);
	const plan = makePlan(head, live, context);
	const threeWay = makeThreeWay({ name: name("main"), desired: base }, head, live);
	const dropped = makeDropped(name("main"), { ...base, organizationId: id("org", 7) });
	const [calmHead, calmLive] = [desiredOf({ digest: `sha256:${"c".repeat(64)}` }), liveOf()];
	const calm = makeThreeWay({ name: name("main"), desired: calmHead }, calmHead, calmLive);
	return completeAll({
		"plan-base": { command: "plan", plans: [plan], threeWay: [threeWay, dropped] },
		"plan-base-nothing": {
			command: "plan",
			plans: [makePlan(calmHead, calmLive, context)],
			threeWay: [calm],
		},
	});
}
