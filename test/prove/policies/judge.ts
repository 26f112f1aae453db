/** Holds what arrives at the service, and what a run says of it, to the promises: written down apart from `src/`. */

import { textOf } from "../../../src/common/said.ts";
import type { ActivityRecord } from "../../../src/emulator/state.ts";
import type { Report, StepResult } from "../../../src/plan/report.ts";
import type { RequestBody } from "../../../src/wire/request-body.ts";
import type { Counts } from "../proof.ts";
import type { Arrived, Door, Live, Service } from "./service.ts";
import type { Kind, Wanted, World } from "./world.ts";

/** A request of ours, as the proof knows it. */
interface Sent {
	readonly names: readonly string[];
	readonly journal: object;
	/** When its bytes were made, by themselves: an hour later the service refuses them. */
	readonly timestampMs: number;
	readonly at: number;
	hasArrived: boolean;
}

const hourMs = 3_600_000;
const hasEnded = ({ status }: ActivityRecord): boolean => /COMPLETED|FAILED|REJECTED/.test(status);

export class Judge {
	readonly #service: Service;
	readonly #world: World;
	readonly #concurrency: number;
	readonly #counts: Counts;
	readonly lines: string[] = [];
	/** Since when each object has its name, and each policy its text. */
	readonly #since = new Map<string, number>();
	/** The names of each object, with the moments at which they were given. */
	readonly #names = new Map<string, { readonly name: string; readonly at: number }[]>();
	readonly #sent = new Map<string, Sent>();
	/** By door: who had the name that a creation was refused for. */
	readonly #refused = new Map<Door, string[]>();

	constructor(service: Service, world: World, concurrency: number, counts: Counts) {
		this.#concurrency = concurrency;
		this.#service = service;
		this.#world = world;
		this.#counts = counts;
		service.onArrival = (arrived) => this.#judgeArrival(arrived);
		this.note();
	}

	say(line: string): void {
		this.lines.push(`${new Date(this.#service.nowMs).toISOString().slice(11, 19)} #${this.#service.moment} ${line}`);
	}

	fail(what: string): never {
		throw new Error(what);
	}

	/** Notes what is live now. */
	note(): void {
		const { moment } = this.#service;
		const live = new Set<string>();
		for (const one of this.#service.live()) {
			for (const key of [nameKey(one), textKey(one)]) {
				live.add(key);
				if (!this.#since.has(key)) this.#since.set(key, moment);
			}
			const names = this.#names.get(one.id) ?? [];
			if (names.at(-1)?.name !== one.name) names.push({ name: one.name, at: moment });
			this.#names.set(one.id, names);
		}
		// What comes again is new.
		for (const key of this.#since.keys()) if (!live.has(key)) this.#since.delete(key);
	}

	/** A run is about to send these bytes. */
	sending({ fingerprint, timestampMs }: RequestBody, names: readonly string[], journal: object): void {
		if (this.#sent.has(fingerprint)) return;
		this.#sent.set(fingerprint, {
			names,
			journal,
			timestampMs,
			at: this.#service.moment,
			hasArrived: false,
		});
	}

	#judgeArrival(arrived: Arrived): void {
		const { door, name, fingerprint, status, made, before } = arrived;
		this.#counts.add("submits");
		const sent = this.#sent.get(fingerprint);
		const isFirst = sent?.hasArrived === false;
		if (sent !== undefined) sent.hasArrived = true;
		this.say(
			`  ${door.name}: ${name} ${namesIn(arrived).join(", ")}: ${status} ${made?.status ?? "(no new activity)"}`,
		);
		if (made !== undefined) this.#counts.add("activities");
		if (isFirst) this.#judgeNew(arrived);
		if (status === 400 && name.startsWith("create_")) {
			const holders = before.filter((one) => one.kind === kindOf(name) && namesIn(arrived).includes(one.name));
			this.#refused.set(door, [...(this.#refused.get(door) ?? []), ...holders.map(({ id }) => id)]);
		}
		this.note();
	}

	#judgeNew(arrived: Arrived): void {
		const { name, isLate } = arrived;
		if (isLate) return;
		this.#judgeContent(arrived);
		if (name.startsWith("create_")) this.#judgeCreation(arrived);
		if (name === "update_policy") this.#judgeUpdate(arrived);
	}

	#judgeCreation(arrived: Arrived): void {
		const { name, door, before, activities, fingerprint } = arrived;
		const kind = kindOf(name);
		const list = kind === "policy" ? "list_policies" : "list_user_tags";
		for (const wanted of namesIn(arrived)) {
			const holder = before.find((one) => one.kind === kind && one.name === wanted);
			if (
				holder !== undefined &&
				(this.#since.get(nameKey(holder)) ?? Number.POSITIVE_INFINITY) < (door.planned.get(list) ?? 0)
			)
				this.fail(`${wanted} is created, and ${holder.id} had the name when the run listed it`);
			const open = activities.find(
				(one) => !hasEnded(one) && one.operation.startsWith("create_") && namesOf(one).includes(`${kind} ${wanted}`),
			);
			if (open !== undefined) {
				if ((this.#service.madeAt.get(open.id) ?? 0) < (door.planned.get("list_activities") ?? 0))
					this.fail(`${wanted} is created, and ${open.id} was pending when the run listed it`);
				this.#counts.add("left out: another activity for the same object was made after the run listed");
			}
		}
		const mine = this.#sent.get(fingerprint);
		for (const [other, { names, journal, timestampMs, at, hasArrived }] of this.#sent) {
			if (other === fingerprint || hasArrived || journal !== mine?.journal) continue;
			const isSame = names.some((one) => mine.names.includes(one));
			const isTaken = names.some((one) => before.some((live) => `${live.kind} ${live.name}` === one));
			if (!isSame || this.#service.nowMs - timestampMs > hourMs) continue;
			if (at > door.plannedAt) this.#counts.add("left out: another run submitted for the same object after the plan");
			else if (isTaken) this.#counts.add("creations beside a request in doubt whose name another object had");
			else this.fail(`${mine.names.join(", ")} is created beside a request that can still arrive: ${names.join(", ")}`);
		}
	}

	/** What others changed before the last reading is not overwritten. */
	#judgeUpdate({ parameters, door, before }: Arrived): void {
		// Of several steps at once, the last reading is not that of this one.
		if (this.#concurrency > 1) return;
		const id = String(parameters.policyId);
		const isUnseen = door.listed.get(id) === door.plannedPolicies.get(id);
		// In an exchange of names it has a temporary one by now.
		if (!isUnseen && !before.some((one) => one.id === id && one.name.startsWith("orgsync-temporary")))
			this.fail(`the update of ${id} overwrites what others changed after the plan and before the last reading`);
	}

	#judgeContent(arrived: Arrived): void {
		const { name, parameters, door, before } = arrived;
		const ids = (field: string): readonly string[] => (parameters[field] ?? []) as readonly string[];
		if (name === "create_policies") {
			for (const one of parameters.policies as readonly Record<string, string>[]) {
				const { policyName: given = "", effect, consensus, condition, notes } = one;
				this.#judgeText(given, { effect, consensus, condition, notes }, door.planned.get("list_user_tags") ?? 0);
			}
		} else if (name === "update_policy") {
			const { policyId, policyName, policyEffect, policyConsensus, policyCondition, policyNotes } = parameters;
			if (/^orgsync-temporary/.test(String(policyName))) return;
			const text = { effect: policyEffect, consensus: policyConsensus, condition: policyCondition, notes: policyNotes };
			if (Object.values(text).some((one) => typeof one !== "string")) this.fail("an update of a policy is partial");
			this.#judgeText(String(policyName), text, door.planned.get("list_user_tags") ?? 0);
			const live = before.find(({ id }) => id === policyId);
			if (live !== undefined && this.#matches(live, this.#wanted("policy", String(policyName))))
				this.#counts.add("left out: others made the same change meanwhile");
		} else if (name === "create_user_tag") {
			const wanted = this.#wanted("userTag", String(parameters.userTagName));
			if (wanted?.creates !== true) this.fail(`the document creates no tag ${parameters.userTagName}`);
			if (ids("userIds").join() !== [...(wanted.members ?? [])].sort().join()) this.fail("other members than wanted");
		} else if (name === "update_user_tag") this.#judgeTagUpdate(parameters, ids, door);
		else {
			const kind = name === "delete_user_tags" ? "userTag" : "policy";
			for (const id of [...ids("policyIds"), ...ids("userTagIds")]) this.#judgeRemoval(kind, id, door);
		}
	}

	#judgeTagUpdate(parameters: Arrived["parameters"], ids: (field: string) => readonly string[], door: Door): void {
		const { userTagId, newUserTagName } = parameters;
		const name = newUserTagName ?? this.#nameAt(String(userTagId), door.planned.get("list_user_tags") ?? 0);
		if (/^orgsync-temporary/.test(String(newUserTagName))) return;
		const wanted = this.#wanted("userTag", String(name));
		if (wanted === undefined) this.fail(`the document does not state the tag ${name}`);
		const isWrong = ids("addUserIds").some((user) => wanted.members?.includes(user) !== true);
		if (isWrong || ids("removeUserIds").some((user) => wanted.members?.includes(user) === true))
			this.fail(`the tag ${name} gets other members than wanted`);
	}

	#judgeRemoval(kind: Kind, id: string, door: Door): void {
		const name = this.#nameAt(id, door.planned.get(kind === "policy" ? "list_policies" : "list_user_tags") ?? 0);
		const { absent, isWhole } = this.#world;
		const isUnlisted = kind === "policy" && isWhole && !name.startsWith("kept") && !this.#wanted(kind, name);
		if (absent.some((one) => one.kind === kind && one.name === name) || isUnlisted) return;
		this.fail(`${kind} ${name} (${id}) is removed, and the document does not say so`);
	}

	#judgeText(name: string, text: Readonly<Record<string, unknown>>, moment: number): void {
		const wanted = this.#wanted("policy", name);
		if (wanted === undefined) this.fail(`the document states no policy ${name}`);
		const { effect, consensus, condition, notes } = wanted.text;
		const isSame =
			text.effect === effect &&
			text.condition === condition &&
			this.#withNames(String(text.consensus), moment) === consensus;
		if (!isSame) this.fail(`${name} is written with another text than wanted: ${JSON.stringify(text)}`);
		if (notes !== undefined && text.notes !== notes) this.fail(`${name} is written with other notes than wanted`);
	}

	/** Returns the text with names in place of the ids of tags and users. */
	#withNames(text: string, moment: number): string {
		return text
			.replace(/tags\.contains\('([^']*)'\)/, (_, id) => `tags.contains('\${userTags.${this.#tagOf(id, moment)}}')`)
			.replace(/user\.id == 'a0000000-0000-4000-8000-000000000002'/, "user.id == '${users.bob}'");
	}

	/** A tag that was renamed by the same plan has the name that the document says. */
	#tagOf(id: string, moment: number): string {
		const names = (this.#names.get(id) ?? []).filter(({ at }) => at <= moment);
		return (names.at(-1) ?? this.#names.get(id)?.[0])?.name.replace(/ before$/, "") ?? id;
	}

	#wanted(kind: Kind, name: string): Wanted | undefined {
		return this.#world.wanted.find((one) => one.kind === kind && one.name === name);
	}

	#nameAt(id: string, moment: number): string {
		return this.#names.get(id)?.findLast(({ at }) => at <= moment)?.name ?? this.#names.get(id)?.[0]?.name ?? id;
	}

	#matches(live: Live, wanted: Wanted | undefined): boolean {
		if (wanted === undefined || live.name !== wanted.name) return false;
		if (wanted.kind === "userTag")
			return wanted.members === null || live.members.join() === [...wanted.members].sort().join();
		const { effect, consensus, condition, notes = live.text.notes } = wanted.text;
		const { text } = live;
		return (
			text.effect === effect &&
			text.condition === condition &&
			text.notes === notes &&
			this.consensusNow(consensus) === text.consensus
		);
	}

	consensusNow(consensus: string): string {
		const live = this.#service.live();
		return consensus
			.replace("${users.bob}", "a0000000-0000-4000-8000-000000000002")
			.replace(
				/\$\{userTags\.(\w+)\}/,
				(_, tag) => live.find((one) => one.kind === "userTag" && one.name === tag)?.id ?? "",
			);
	}

	/** Returns what the organization does not have of the document. */
	missing(): readonly string[] {
		const live = this.#service.live();
		const { wanted, absent, isWhole } = this.#world;
		return [
			...wanted
				.filter((one) => live.filter((other) => other.kind === one.kind && this.#matches(other, one)).length !== 1)
				.map(({ kind, name }) => `${kind} ${name}`),
			...absent
				.filter((one) => live.some((other) => other.kind === one.kind && other.name === one.name))
				.map(({ kind, name }) => `no ${kind} ${name}`),
			...live
				.filter(
					({ kind, name }) => isWhole && kind === "policy" && !name.startsWith("kept") && !this.#wanted(kind, name),
				)
				.map(({ name }) => `no policy ${name}`),
		];
	}

	/** Returns whether a step waits for a request that may still arrive. Fails where that can have no effect. */
	isHeldInDoubt({ steps }: Report): boolean {
		const held = steps.filter(({ message }) => /in doubt/.test(textOf(message ?? "")));
		const live = this.#service.live().map(({ kind, name }) => `${kind} ${name}`);
		for (const { step } of held.filter(({ outcome }) => outcome === "not-attempted")) {
			const wanted = createdNames(step.parameters);
			const doubtful = [...this.#sent.values()].filter(
				({ hasArrived, names }) => !hasArrived && names.some((name) => wanted.includes(name)),
			);
			if (doubtful.length > 0 && doubtful.every(({ names }) => names.some((name) => live.includes(name))))
				this.fail(`${wanted.join(", ")} waits for a request that has no effect: another object has a name of it`);
		}
		return held.length > 0;
	}

	/** Judges what a run says. `isQuiet`: nothing else happened since it began. */
	judgeReport(report: Report, door: Door, isQuiet: boolean): void {
		const byFingerprint = new Map(this.#service.activities().map((one) => [one.fingerprint, one]));
		for (const result of report.steps) {
			const activity = byFingerprint.get(result.fingerprint ?? "");
			const wrong = isWrong(result, activity?.status, isQuiet);
			if (wrong)
				this.fail(`a step is said to be ${result.outcome}, and its activity is ${activity?.status}: ${tell(result)}`);
			this.say(`  ${tell(result)}`);
		}
		const texts = report.steps.map(({ message }) => textOf(message ?? ""));
		const live = new Set(this.#service.live().map(({ id }) => id));
		for (const id of this.#refused.get(door) ?? []) {
			if (live.has(id) && !texts.some((text) => text.includes(id)))
				this.fail(`a creation was refused for its name, and no message names ${id}:\n${texts.join("\n")}`);
			this.#counts.add("creations refused because another object had the name");
		}
		if (report.inSync && isQuiet && this.missing().length > 0)
			this.fail(`apply says in sync, and the organization lacks ${this.missing().join(", ")}`);
	}
}

function isWrong({ outcome }: StepResult, status: string | undefined, isQuiet: boolean): boolean {
	if (outcome === "completed") return status !== "ACTIVITY_STATUS_COMPLETED";
	if (outcome === "awaiting-approval")
		return isQuiet ? status !== "ACTIVITY_STATUS_CONSENSUS_NEEDED" : status === undefined;
	if (outcome === "rejected") return status !== "ACTIVITY_STATUS_REJECTED" && status !== undefined;
	return outcome === "denied" && status !== undefined;
}

function tell({ step, outcome, message }: StepResult): string {
	const { id, operation, covers, dependsOn } = step;
	const names = covers.map(({ address }) => address).join(", ");
	return `${id} ${operation} ${names} (after ${dependsOn.join(", ")}): ${outcome} ${textOf(message ?? "")}`;
}

const nameKey = ({ kind, id, name }: Live): string => `${kind} ${id} ${name}`;
const textKey = ({ kind, id, name, text }: Live): string => JSON.stringify([kind, id, name, text]);

const kindOf = (operation: string): Kind => (operation.includes("tag") ? "userTag" : "policy");

/** Returns the names that a request gives to what it creates. */
export function createdNames(parameters: Readonly<Record<string, unknown>>): readonly string[] {
	const rows = (parameters.policies ?? []) as readonly { readonly policyName: string }[];
	const { userTagName, policyName } = parameters;
	return [
		...rows.map((row) => `policy ${row.policyName}`),
		...(typeof userTagName === "string" ? [`userTag ${userTagName}`] : []),
		...(typeof policyName === "string" && parameters.policyId === undefined ? [`policy ${policyName}`] : []),
	];
}

const namesOf = ({ parameters }: Pick<ActivityRecord, "parameters">): readonly string[] => createdNames(parameters);
const namesIn = ({ parameters }: Arrived): readonly string[] =>
	createdNames(parameters).map((name) => name.replace(/^\w+ /, ""));
