/**
 * Random documents in random layouts, accepted. While a document is written here, each line is marked when accepting may
 * change it; nothing of how edits are made is used for that.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { acceptLive } from "../../src/document/edit/accept.ts";
import { differingAddresses } from "../../src/document/edit/accept-selection.ts";
import { parseDocuments } from "../../src/document/read/parse.ts";
import { makePlan } from "../../src/plan/plan.ts";
import { anyCharacter } from "../characters.ts";
import {
	context,
	id,
	known,
	liveOf,
	liveOfWorld,
	organizationId,
	providerIdsIn,
	type SmallTag,
	type SmallWorld,
	sectionsOf,
	smallWorlds,
	usersOf,
} from "../plan/support-organizations.ts";

interface Line {
	readonly text: string;
	/** Whether accepting everything may change or remove the line. */
	readonly mayChange: boolean;
	/** Its comment, if the line may change but the comment must remain. */
	readonly keeps: string | undefined;
}

/** A list item: its text, and whether live state removes it. */
interface Item {
	readonly text: string;
	readonly gone: boolean;
}

/** Writes a document in a layout that `chances`, an endless list of numbers, selects. */
class Writer {
	readonly lines: Line[] = [];
	readonly #chances: readonly number[];
	#next = 0;
	#comments = 0;

	constructor(chances: readonly number[]) {
		this.#chances = chances;
	}

	pick(choices: number): number {
		const chance = this.#chances[this.#next++ % this.#chances.length] ?? 0;
		return (chance + this.#next) % choices;
	}

	line(indent: number, text: string, mayChange = false, vanishes = false): void {
		const comment = this.pick(3) === 0 ? `# note ${++this.#comments}: it's [not, a] "list` : "";
		const blank = comment === "" ? "" : " ".repeat(1 + this.pick(3));
		const keeps = mayChange && !vanishes && comment !== "" ? comment : undefined;
		this.lines.push({ text: `${" ".repeat(indent)}${text}${blank}${comment}`, mayChange, keeps });
	}

	/** A comment of its own, or an empty line, or nothing. */
	aside(indent: number, mayChange = false): void {
		const which = this.pick(5);
		if (which === 0) this.lines.push({ text: "", mayChange: true, keeps: undefined });
		if (which !== 1) return;
		this.lines.push({ text: `${" ".repeat(indent)}# aside ${++this.#comments}`, mayChange, keeps: undefined });
	}

	quoted(text: string): string {
		return [text, `"${text}"`, `'${text}'`][this.pick(3)] ?? text;
	}

	/** Items, commas and line breaks in random layout. */
	#scattered(indent: number, start: string, items: readonly Item[], mayChange: boolean): void {
		let [text, deep] = [start, indent];
		const breakLine = (): void => {
			this.line(deep, text, mayChange, true);
			[text, deep] = ["", indent + 2 + this.pick(2)];
		};
		for (const [index, item] of items.entries()) {
			if (this.pick(2) === 0) breakLine();
			text += item.text;
			if (index === items.length - 1 && this.pick(3) !== 0) continue;
			if (this.pick(3) === 0) breakLine();
			text += [",", ", "][this.pick(2)];
		}
		if (this.pick(2) === 0) breakLine();
		this.line(deep, `${text}]`, mayChange, true);
	}

	/** `key: [items]` in one of four layouts. `gains`: items are added. */
	list(indent: number, key: string, items: readonly Item[], gains: boolean, vanishes = false): void {
		const changes = gains || items.some(({ gone }) => gone);
		const layout = items.length === 0 ? 0 : this.pick(4);
		if (layout === 0) {
			const pad = this.pick(2) === 0 ? "" : " ";
			const comma = items.length > 0 && this.pick(4) === 0 ? "," : "";
			const inside = items.map(({ text }) => text).join([",", ", "][this.pick(2)]);
			this.line(indent, `${key}: [${pad}${inside}${comma}${pad}]`, vanishes || changes, vanishes);
		} else if (layout === 1) {
			const emptied = !gains && items.every(({ gone }) => gone);
			this.line(indent, `${key}:`, vanishes || emptied, vanishes);
			const deeper = indent + this.pick(3);
			for (const { text, gone } of items) {
				this.line(deeper, `- ${text}`, vanishes || gone, true);
				if (this.pick(4) === 0) this.aside(deeper, vanishes);
			}
		} else if (layout === 2) {
			this.#scattered(indent, `${key}: [`, items, vanishes || changes);
		} else {
			this.line(indent, `${key}: [`, vanishes, vanishes);
			for (const [index, { text, gone }] of items.entries()) {
				const isLast = index === items.length - 1;
				const comma = isLast && this.pick(2) === 0 ? "" : ",";
				this.line(indent + 4, `${text}${comma}`, vanishes || gone || (gains && comma === ""), gone || vanishes);
				if (this.pick(4) === 0) this.aside(indent + 4, vanishes);
			}
			this.line(indent + 1, "]", vanishes, vanishes);
		}
	}
}

interface World {
	readonly small: SmallWorld;
	/** Entries of tags that do not exist, before the entries with these numbers. */
	readonly ghosts: readonly number[];
	/** Users without an alias. */
	readonly nameless: readonly number[];
	readonly chances: readonly number[];
	readonly newline: "\n" | "\r\n";
	readonly mark: "" | "\uFEFF";
	readonly ending: boolean;
}

const worlds: fc.Arbitrary<World> = fc.record({
	small: smallWorlds(),
	ghosts: fc.subarray([0, 1, 2, 3, 4]),
	nameless: fc.subarray([0, 1, 2]),
	chances: fc.array(fc.nat(1000), { minLength: 29, maxLength: 29 }),
	newline: fc.constantFrom("\n", "\r\n"),
	mark: fc.constantFrom("", "\uFEFF"),
	ending: fc.boolean(),
});

function writeDocument({ small, ghosts, nameless, chances }: World): readonly Line[] {
	const writer = new Writer(chances);
	const nameOf = (userId: string): string => {
		const user = small.userIds.indexOf(userId);
		return user < 0 || nameless.includes(user) ? userId : `user ${user}`;
	};
	writer.aside(0);
	writer.line(0, `organizationId: ${organizationId}`);
	const named = small.userIds.filter((userId) => nameOf(userId) !== userId);
	writer.line(0, `users: { ${named.map((userId) => `${nameOf(userId)}: ${userId}`).join(", ")} }`);
	const managed = small.tags.filter(({ wanted }) => wanted !== undefined);
	writer.line(0, managed.length + ghosts.length === 0 ? "userTags: []" : "userTags:", managed.length === 0);
	const indent = writer.pick(3);
	for (let index = 0; index < 5; index++) {
		if (ghosts.includes(index)) writeGhost(writer, indent, index);
		const tag = managed[index];
		if (tag !== undefined) writeTag(writer, indent, tag, small, nameOf);
	}
	const absent = (kind: "policy" | "app", states: SmallWorld["policies"]): Item[] =>
		states.flatMap((state, number) =>
			state === "kept" ? [] : [{ text: writer.quoted(id(kind, number)), gone: state === "removed" }],
		);
	writer.aside(0);
	writer.line(0, "absent:");
	writer.list(2, "policies", absent("policy", small.policies), false);
	writer.line(2, "oauthProviders:");
	writer.list(4, organizationId, [], false);
	for (const [user, userId] of small.userIds.entries()) {
		const removed = providerIdsIn(small, user, "removed");
		const all = providerIdsIn(small, user, "removed", "gone");
		const items = all.map((found) => ({ text: writer.quoted(found), gone: removed.includes(found) }));
		writer.list(4, nameOf(userId), items, false);
	}
	writer.list(2, "tvcApps", absent("app", small.apps), false);
	writer.aside(0);
	return writer.lines;
}

function writeGhost(writer: Writer, indent: number, number: number): void {
	writer.aside(indent, true);
	writer.line(indent, `- name: ghost${number}`, true, true);
	writer.aside(indent + 2, true);
	writer.list(indent + 2, "previously", [{ text: `spirit${number}`, gone: true }], false, true);
}

/** Writes the entry of a tag on one or several lines, and marks the lines that differ from live state. */
function writeTag(
	writer: Writer,
	indent: number,
	tag: SmallTag,
	small: SmallWorld,
	nameOf: (userId: string) => string,
): void {
	const { wanted } = tag;
	if (wanted === undefined) return;
	const renamed = wanted.name !== tag.name;
	const has = usersOf(small, tag.members);
	const items = (bits: number, isGone: (userId: string) => boolean): Item[] =>
		usersOf(small, bits).map((userId) => ({ text: writer.quoted(nameOf(userId)), gone: isGone(userId) }));
	const isMissing = (userId: string): boolean => !has.includes(userId);
	const isThere = (userId: string): boolean => has.includes(userId);
	const { members } = wanted;
	const lists: [key: string, items: Item[], gains: boolean][] = [];
	if (members !== undefined && "exactly" in members) {
		const gains = has.some((userId) => !usersOf(small, members.exactly).includes(userId));
		lists.push(["exactly", items(members.exactly, isMissing), gains]);
	} else if (members !== undefined) {
		lists.push(["atLeast", items(members.atLeast, isMissing), false], ["never", items(members.never, isThere), false]);
	}
	const previously = wanted.foundBy === "previously" ? [{ text: tag.name, gone: renamed }] : [];
	if (writer.pick(4) === 0) {
		const flow = (entry: readonly Item[]): string => `[${entry.map(({ text }) => text).join(", ")}]`;
		const parts = [
			`name: ${wanted.name}`,
			...(wanted.foundBy === "id" ? [`id: ${tag.id}`] : []),
			...(previously.length > 0 ? [`previously: ${flow(previously)}`] : []),
			...(lists.length > 0 ? [`members: {${lists.map(([key, entry]) => `${key}: ${flow(entry)}`).join(", ")}}`] : []),
		];
		const changes = renamed || lists.some(([, entry, gains]) => gains || entry.some(({ gone }) => gone));
		writer.line(indent, `- { ${parts.join(", ")} }`, changes);
		return;
	}
	// Only the comment directly above a removed entry is removed with it.
	writer.line(indent, `- name: ${writer.quoted(wanted.name)}`, renamed);
	if (wanted.foundBy === "id") writer.line(indent + 2, `id: ${tag.id}`);
	writer.aside(indent + 2);
	if (previously.length > 0) writer.list(indent + 2, "previously", previously, false);
	if (lists.length > 0) writer.line(indent + 2, "members:");
	for (const [key, entry, gains] of lists) writer.list(indent + 4, key, entry, gains);
}

/** Returns the number of extra lines of the longer text, or a line of the shorter one that is missing or out of order. */
function extraLines(kept: readonly string[], all: readonly string[]): number | string {
	let at = 0;
	for (const line of kept) {
		const found = all.indexOf(line, at);
		if (found < 0) return `the line is lost or changed: ${JSON.stringify(line)}`;
		at = found + 1;
	}
	return all.length - kept.length;
}

function additionsOf({ tags, ...small }: SmallWorld): number {
	return tags.reduce((sum, { wanted, members }) => {
		if (wanted?.members === undefined || !("exactly" in wanted.members)) return sum;
		return sum + usersOf({ tags, ...small }, members & ~wanted.members.exactly).length;
	}, 0);
}

test("a document has an empty plan after everything was accepted, and each line that agrees with live state keeps its bytes", () => {
	const occurred = { edits: 0, additions: 0, ghosts: 0, renames: 0 };
	fc.assert(
		fc.property(worlds, (world) => {
			const lines = writeDocument(world);
			const live = liveOfWorld(world.small);
			const { newline, mark } = world;
			const content = mark + lines.map(({ text }) => text).join(newline) + (world.ending ? newline : "");
			const sources = [{ file: "d.yaml", content }];
			const { organizations, problems } = parseDocuments(sources, {});
			expect(problems).toEqual([]);
			const compared = organizations.map((desired) => ({ desired, live, plan: makePlan(desired, live, context) }));
			const addresses = compared.flatMap(({ plan }) => differingAddresses(plan));
			if (addresses.length === 0) return;
			const acceptance = acceptLive(sources, compared, addresses, { environment: {} });
			if ("refusals" in acceptance) throw new Error(`${acceptance.refusals.join("\n")}\n${content}`);
			const after = acceptance.contents.get("d.yaml") ?? content;

			const [renewed] = parseDocuments([{ file: "d.yaml", content: after }], {}).organizations;
			const plan = makePlan(renewed ?? compared[0]?.desired ?? expect.unreachable(), live, context);
			expect({ changes: plan.changes, problems: plan.problems }).toEqual({ changes: [], problems: [] });

			expect(after.startsWith("\uFEFF")).toBe(mark !== "");
			expect(after.endsWith("\n")).toBe(content.endsWith("\n"));
			const notBlank = (text: string): boolean => text.trim() !== "";
			const result = after.replace("\uFEFF", "").split(newline).filter(notBlank);
			if (newline === "\r\n") expect(after.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
			const kept = lines
				.filter(({ mayChange }) => !mayChange)
				.map(({ text }) => text)
				.filter(notBlank);
			const extra = extraLines(kept, result);
			const additions = additionsOf(world.small);
			expect(extra, content).toEqual(expect.any(Number));
			expect(extra).toBeLessThanOrEqual(lines.length - kept.length + additions);
			for (const { keeps } of lines) if (keeps !== undefined) expect(after).toContain(keeps);

			occurred.edits += 1;
			if (additions > 0) occurred.additions += 1;
			if (world.ghosts.length > 0) occurred.ghosts += 1;
			if (
				addresses.some((address) =>
					compared[0]?.plan.changes.some(
						(one) => one.address === address && one.kind === "userTag" && one.reason !== "members-differ",
					),
				)
			)
				occurred.renames += 1;
		}),
		{ numRuns: 150 },
	);
	for (const [what, times] of Object.entries(occurred)) expect(times, what).toBeGreaterThan(10);
}, 60_000);

test("any live text can replace any other text, in every style", () => {
	const text = fc.oneof(
		fc.string({ unit: anyCharacter, maxLength: 12 }),
		fc.stringMatching(/^[ -~]{0,12}$/),
		fc.constantFrom(
			"",
			"true",
			"null",
			"1",
			"- a",
			"a: b",
			"a #b",
			"${X}",
			"$${X}",
			"*a",
			"<<",
			"'",
			'"',
			"\\",
			"\u2028",
		),
	);
	/** The texts of the document are plain, so that each style of them is simple here. */
	const layouts: readonly ((word: string, indent: string) => string)[] = [
		(word) => word,
		(word) => `"${word}"`,
		(word) => `'${word}' # said`,
		(word, indent) => `|\n${indent}  ${word}`,
		(word, indent) => `>-\n${indent}  ${word}\n${indent}  and more`,
		(word, indent) => `${word}\n${indent}  and more`,
	];
	const names = ["name", "scope", "notes"] as const;
	const field = fc.record({ layout: fc.nat(5), value: fc.option(text), isSame: fc.boolean() });
	fc.assert(
		fc.property(fc.tuple(field, field, field), fc.nat(3), fc.boolean(), (fields, first, flow) => {
			const written = fields.map(({ layout }, index) => {
				const write = layouts[flow ? layout % 2 : layout] ?? String;
				return `${names[index]}: ${write(`word ${index}`, "      ")}`;
			});
			written.splice(first, 0, `id: ${id("other", 1)} # one`);
			const entry = flow
				? `    - {${written.join(", ").replace(" # one", "")}} # all`
				: `    - ${written.join("\n      ")}`;
			const content = `organizationId: ${organizationId}\nexpect:\n  sessionProfiles:\n${entry}\n# the end\n`;
			const sources = [{ file: "d.yaml", content }];
			const { organizations, problems } = parseDocuments(sources, {});
			expect(problems, content).toEqual([]);
			const said = sectionsOf(organizations[0] ?? { objects: [] }).expect.sessionProfiles[0]?.fields ?? {};
			const [name, scope, notes] = fields.map(({ value, isSame }, index) =>
				isSame ? said[names[index] ?? ""] : value,
			);
			const live = liveOf({
				sessionProfiles: { [id("other", 1)]: known({ sessionProfileName: name, scope, notes }) },
			});
			const compared = organizations.map((desired) => ({ desired, live, plan: makePlan(desired, live, context) }));
			if (compared[0]?.plan.changes.length !== 1) return;
			const acceptance = acceptLive(sources, compared, ["sessionProfile:*"], { environment: {} });
			if ("refusals" in acceptance) throw new Error(`${acceptance.refusals.join("\n")}\n${content}`);
			const after = acceptance.contents.get("d.yaml") ?? "";
			const [renewed] = parseDocuments([{ file: "d.yaml", content: after }], {}).organizations;
			expect(makePlan(renewed ?? expect.unreachable(), live, context).changes).toEqual([]);
			const left = fields.filter(({ value, isSame }) => isSame || value !== null).length;
			expect(sectionsOf(renewed ?? { objects: [] }).expect.sessionProfiles.length).toBe(left === 0 ? 0 : 1);
			expect(Object.keys(sectionsOf(renewed ?? { objects: [] }).expect.sessionProfiles[0]?.fields ?? {}).length).toBe(
				left,
			);
			expect(after.endsWith("\n# the end\n")).toBe(true);
			for (const [index, { isSame }] of fields.entries()) {
				const own = written.find((part) => part.startsWith(`${names[index]}:`)) ?? "";
				if (isSame && left > 0) expect(after).toContain(own);
			}
		}),
		{
			numRuns: 150,
			examples: [
				// The first two keys are removed, and the second one has a comment after it.
				[
					[
						{ layout: 0, value: null, isSame: false },
						{ layout: 2, value: null, isSame: false },
						{ layout: 0, value: null, isSame: true },
					],
					2,
					false,
				],
			],
		},
	);
}, 60_000);
