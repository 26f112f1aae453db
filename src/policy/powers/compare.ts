/** Compares who can do one group of activities before and after, cell by cell, and finds what changes for whom. */

import { remember } from "../../common/remember.ts";
import { describeRegion, type Literal, type Region } from "../cells/regions.ts";
import { orTooComplex } from "../sets/formula.ts";
import type { UserSets } from "../sets/resolve.ts";
import { type Bits, bit, hasBit, isWithin, membersOf, placesOf } from "../sets/sets.ts";
import { aloneIn, findSmallestSets, hasAll, isMember, participantsIn, smallestWith } from "../sets/user-sets.ts";
import { idsOf } from "../sets/votes.ts";
import type { Budget } from "../sets/work.ts";
import { abilityOf, type KnownAbility } from "./ability.ts";
import { factsOfGroup, isSensitive } from "./activity.ts";
import {
	type CellChanges,
	changedParts,
	changesBetween,
	differsForOwn,
	findCellsOf,
	isSameBase,
	type JudgedCell,
	type Side,
	whyUnknown,
} from "./cell-changes.ts";
import { policyIdsOf } from "./conditional.ts";
import type { ImpactChange, ImpactFinding } from "./finding.ts";
import { conditionOf, withoutOwn } from "./group-cells.ts";
import type { ActivityGroup } from "./groups.ts";
import { findParts, ownCredentialsRight, type Part } from "./judge.ts";
import { judgeAbility } from "./powers.ts";
import type { PreparedAccess } from "./prepare.ts";
import type { Reason } from "./reason.ts";

interface GroupComparison {
	readonly findings: readonly ImpactFinding[];
	readonly isMore: boolean;
	readonly isLess: boolean;
}

const same: GroupComparison = { findings: [], isMore: false, isLess: false };

/**
 * Returns what changes in the group. Both sides are prepared for the same users. `apart`: kinds and types of activities, as
 * reports write them, that are groups of their own and not of this one.
 */
export function compareGroup(
	before: PreparedAccess,
	after: PreparedAccess,
	group: ActivityGroup,
	apart: ReadonlySet<string> = new Set(),
): GroupComparison {
	const facts = factsOfGroup(group);
	const sideOf = (prepared: PreparedAccess, { access: { rootQuorum } }: PreparedAccess): Side => ({
		prepared,
		found: findParts(prepared, facts),
		hidesRootQuorum: !prepared.access.rootQuorum.known && rootQuorum.known,
	});
	const [one, other] = [sideOf(before, after), sideOf(after, before)];
	const changed = changedParts(one.found, other.found);
	if (changed.length === 0 && isSameBase(one, other)) return same;
	const comparison = new Comparison(one, other, group, changed);
	return orTooComplex(
		() => comparison.run(apart),
		({ limit }) => comparison.giveUnknown({ kind: "too-complex", task: "compare", limit }),
	);
}

/** What a finding says of its cells. */
interface Told {
	readonly change: ImpactChange;
	readonly users: Bits;
	readonly witness: Bits;
	readonly isEscalation?: boolean;
}

class Comparison {
	readonly #before: Side;
	readonly #after: Side;
	readonly #group: ActivityGroup;
	readonly #changed: readonly Part[];
	readonly #policyIds: readonly string[];
	readonly #budget: Budget;
	readonly #findings: ImpactFinding[] = [];
	/** What was said, by change and condition. */
	readonly #byText = new Map<string, { readonly finding: { userIds: readonly string[] }; users: Bits }>();
	readonly #powers = new Map<Side, KnownAbility>();
	#cells: readonly JudgedCell[] = [];
	#changes: readonly CellChanges[] = [];
	#literals: readonly Literal[] = [];
	/** Cells in which a finding begins that more is allowed, or less. */
	readonly #begun = { more: new Set<number>(), less: new Set<number>() };
	readonly #told: { readonly users: Bits; readonly isLess: boolean; readonly cells: () => Bits }[] = [];
	#isUnknown = false;

	constructor(before: Side, after: Side, group: ActivityGroup, changed: readonly Part[]) {
		this.#before = before;
		this.#after = after;
		this.#group = group;
		this.#changed = changed;
		this.#policyIds = policyIdsOf(changed);
		this.#budget = before.prepared.budget;
	}

	run(apart: ReadonlySet<string>): GroupComparison {
		const { cells, literals, isOpen, because } = findCellsOf(this.#before, this.#after, {
			facts: factsOfGroup(this.#group),
			changed: this.#changed,
			apart,
		});
		this.#cells = cells;
		this.#literals = literals;
		const isRaising = isSensitive(factsOfGroup(this.#group));
		this.#changes = cells.map((cell) => changesBetween(cell, this.#before.prepared, isRaising));
		this.#isUnknown =
			isOpen || cells.some(({ isUnknown }) => isUnknown) || differsForOwn(cells, this.#changes, this.#before.prepared);
		this.#addLockouts();
		this.#addAlone();
		this.#addFewer();
		this.#addUsers("gains");
		this.#addUsers("loses");
		this.#addSets("more");
		this.#addSets("less");
		const reason = whyUnknown(this.#before, this.#after, this.#changed, because);
		const [was, is] = [this.#before.prepared.access.rootQuorum, this.#after.prepared.access.rootQuorum];
		// A root quorum that is unknown on both sides is the same on both: no step changes it.
		if (reason !== null && (this.#isUnknown || was.known !== is.known))
			this.#addUnknown(reason, !isOpen && this.#onlyTakes());
		return this.#result();
	}

	giveUnknown(because: Reason): GroupComparison {
		this.#addUnknown(because);
		return this.#result();
	}

	#result(): GroupComparison {
		return {
			findings: this.#findings,
			isMore: this.#changes.some(({ more }) => more.length > 0),
			isLess: this.#changes.some(({ less }) => less.length > 0),
		};
	}

	#addLockouts(): void {
		const none = placesOf(this.#cells, ({ after }) => after.possibleByPolicies.length === 0);
		const cells = placesOf(this.#changes, ({ lockedOut }) => lockedOut !== 0n);
		this.#tell(cells, none, ({ first }) => {
			const { lockedOut: users, less } = this.#changes[first] ?? unchanged;
			return { change: "nobody", users, witness: smallestWith(less, users, this.#budget) };
		});
	}

	#addAlone(): void {
		const regions = this.#regionsOf(({ alone }) => alone);
		for (const [cells, users] of regions) {
			const raised = placesOf(this.#changes, ({ escalates }) => escalates) & cells;
			const also = placesOf(this.#cells, ({ after }) => isWithin(users, aloneIn(after.sure)));
			const told = { change: "alone", users, witness: users & -users } as const;
			this.#tell(cells, also, ({ cells: own }) => ({ ...told, isEscalation: isWithin(own, raised) }));
			if (raised === cells) continue;
			// Some of a wider finding is an escalation, and the rest is none.
			this.#tell(raised, 0n, () => ({ ...told, isEscalation: true }), true);
		}
	}

	#addFewer(): void {
		const cells = placesOf(this.#changes, ({ fewer }) => fewer !== null);
		this.#tell(cells, 0n, ({ first }) => {
			const fewer = this.#changes[first]?.fewer;
			return fewer == null ? null : { change: "fewer", ...fewer };
		});
	}

	#addUsers(change: "gains" | "loses"): void {
		const regions = this.#regionsOf((one) => one[change]);
		if (regions.size === 0) return;
		const which = change === "gains" ? "sure" : "possible";
		const taking = this.#cells.map(({ after }) => participantsIn(after[which], this.#budget));
		for (const [cells, users] of regions) {
			const also = placesOf(taking, (own) => (change === "gains" ? isWithin(users, own) : (users & own) === 0n));
			this.#tell(cells, also, ({ first }) => {
				const { more, less } = this.#changes[first] ?? unchanged;
				const witness = smallestWith(change === "gains" ? more : less, users, this.#budget);
				return { change, users, witness };
			});
		}
	}

	/** Names a set that is new or gone where all its users take part as before, or are named for more than this. */
	#addSets(side: "more" | "less"): void {
		const seen: { readonly set: Bits; readonly cells: Bits }[] = [];
		for (const [index, changes] of this.#changes.entries()) {
			if (changes[side].length === 0 || this.#begun[side].has(index)) continue;
			if (side === "less" && changes.lockedOut !== 0n) continue;
			const own = this.#cells[index]?.holding;
			const sets = this.#cells.flatMap(({ holding }, at) =>
				at !== index && [...holding].every((text) => own?.has(text)) ? (this.#changes[at]?.[side] ?? []) : [],
			);
			const wider = [...new Set(sets)];
			const { alone, together } = findSmallestSets(changes[side], this.#budget);
			const set = [...membersOf(alone).map(bit), ...together].find((one) => !isMember(wider, one));
			if (set === undefined || seen.some((one) => one.set === set && (one.cells & bit(index)) !== 0n)) continue;
			const change = side === "more" ? "gains" : "loses";
			const within = placesOf(this.#changes, (one, at) => isMember(one[side], set) && !this.#begun[side].has(at));
			this.#tell(within, 0n, ({ cells }) => {
				seen.push({ set, cells });
				return { change, users: set, witness: set };
			});
		}
	}

	/** Returns the cells in which each user has it, users with the same cells together. */
	#regionsOf(usersIn: (changes: CellChanges) => Bits): ReadonlyMap<Bits, Bits> {
		const all = this.#changes.reduce((some, one) => some | usersIn(one), 0n);
		const regions = new Map<Bits, Bits>();
		for (const user of membersOf(all)) {
			const cells = placesOf(this.#changes, (one) => (usersIn(one) & bit(user)) !== 0n);
			regions.set(cells, (regions.get(cells) ?? 0n) | bit(user));
		}
		return new Map([...regions].sort(([one], [other]) => Number((one & -one) - (other & -other))));
	}

	/** Adds a finding for each description of these cells. `also`: cells in which it is so, though it was before. */
	#tell(cells: Bits, also: Bits, toldOf: (region: Region) => Told | null, isAgain = false): void {
		if (cells === 0n) return;
		for (const region of describeRegion(cells, bit(this.#cells.length) - 1n, this.#literals, also)) {
			const told = toldOf(region);
			if (told !== null) this.#add(told, region, isAgain);
		}
	}

	/** `isAgain`: the users and cells are in a wider finding too. */
	#add(told: Told, region: Region, isAgain: boolean): void {
		const cell = this.#cells[region.first];
		if (cell === undefined) return;
		const rests = region.holding.filter((text) => cell.unknowns.has(text));
		if (rests.includes(ownCredentialsRight)) return;
		// What rests on several unknowns together, or on what no documentation says, is unknown itself.
		if (rests.length > 1 || rests.some((text) => cell.undocumented.has(text))) {
			this.#isUnknown = true;
			return;
		}
		const isLess = told.change === "nobody" || told.change === "loses";
		// What the finding says of cells in which what is unknown is so, it says of all others.
		const said = (): Bits => this.#cellsOf(region, (text) => !cell.unknowns.has(text));
		const isSaid = (): boolean =>
			this.#told.some(
				(one) => one.isLess === isLess && isWithin(told.users, one.users) && hasBit(one.cells(), region.first),
			);
		if (rests.length > 0 && !isAgain && isSaid()) return;
		if (rests.length === 0) this.#told.push({ users: told.users, isLess, cells: said });
		if (!isAgain) this.#begun[isLess ? "less" : "more"].add(region.first);
		const failing = region.failing.filter((text) => !cell.unknowns.has(text));
		const { prepared } = this.#before;
		const { change, isEscalation = false } = told;
		const condition = conditionOf(region.holding, isLess ? failing : []);
		const unless = isLess ? [] : withoutOwn(failing);
		const key = JSON.stringify([change, isEscalation, condition, unless]);
		const same = this.#byText.get(key);
		if (same !== undefined) {
			// The same is said of other users, for whom it is new in other cells.
			same.users |= told.users;
			same.finding.userIds = idsOf(prepared.users, same.users);
			return;
		}
		const finding = this.#makeFinding(change, {
			userIds: idsOf(prepared.users, told.users),
			witness: idsOf(prepared.users, told.witness),
			condition,
			unless,
			before: this.#abilityIn(this.#before, cell.before.sure),
			after: this.#abilityIn(this.#after, cell.after.sure),
			isEscalation,
		});
		this.#byText.set(key, { finding, users: told.users });
		this.#findings.push(finding);
	}

	/** Returns the cells that the description is about, without what does not count of it. */
	#cellsOf({ holding, failing }: Region, counts: (text: string) => boolean): Bits {
		return this.#literals
			.filter(({ text, holds }) => counts(text) && (holds ? holding : failing).includes(text))
			.reduce((all, { cells }) => all & cells, bit(this.#cells.length) - 1n);
	}

	#addUnknown(because: Reason, onlyTakes = false): void {
		this.#findings.push(this.#makeFinding("unknown", { because, ...(onlyTakes ? { onlyTakes } : {}) }));
	}

	/** Whether nothing is possible after, in any cell, but what was surely so before, and what is surely new and said apart. */
	#onlyTakes(): boolean {
		const { users } = this.#before.prepared;
		return this.#cells.every(({ before, after }, index) =>
			hasAll(after.possible, [...before.sure, ...(this.#changes[index]?.more ?? [])], users, this.#budget),
		);
	}

	#makeFinding(change: ImpactChange, parts: Partial<ImpactFinding>): ImpactFinding {
		return {
			group: this.#group,
			change,
			...{ userIds: [], witness: [], condition: null, unless: [] },
			before: this.#powerOf(this.#before),
			after: this.#powerOf(this.#after),
			policyIds: this.#policyIds,
			...{ isEscalation: false, because: null },
			...parts,
		};
	}

	#powerOf(side: Side): KnownAbility {
		return remember(this.#powers, side, () => judgeAbility(side.prepared, side.found));
	}

	#abilityIn(side: Side, sure: UserSets): KnownAbility {
		return { ...abilityOf(sure, side.prepared.users, this.#budget), unknown: this.#powerOf(side).unknown };
	}
}

const unchanged: Pick<CellChanges, "more" | "less" | "lockedOut"> = { more: [], less: [], lockedOut: 0n };
