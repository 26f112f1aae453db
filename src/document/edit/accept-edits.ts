/** Finds where documents differ from live state, and makes the edits. What cannot be edited in place is refused. */

import { defined } from "../../common/defined.ts";
import { showAddress } from "../../common/escape.ts";
import { parseAddress, printAddress } from "../../plan/address.ts";
import type { Change, PolicyChange, RemovalChange, ReportChange, TagChange } from "../../plan/change.ts";
import { removalKinds } from "../../plan/kinds/index.ts";
import { removalLists } from "../../plan/kinds/names.ts";
import { nameOfUser } from "../../plan/objects.ts";
import type { DesiredOrganization, LiveOrganization } from "../../plan/organization.ts";
import type { Plan } from "../../plan/plan.ts";
import { compareText } from "../../plan/value.ts";
import { type Cell, entriesOf, entryOf, itemsOf } from "../cell.ts";
import { writeMember } from "../write-member.ts";
import { writeText } from "../write-yaml.ts";
import { expectedEntries } from "./accept-expected.ts";
import {
	type AddressedEntry,
	findPolicy,
	type NewEntry,
	newPolicy,
	policyEdits,
	sectionEdits,
	templateNames,
} from "./accept-policies.ts";
import { type ExpiredAccess, findWindow } from "./accept-windows.ts";
import {
	type EditableDocument,
	editItems,
	isFlow,
	NotEditable,
	refuseShared,
	removeEntries,
	replaceValue,
	type TextEdit,
} from "./edit.ts";
import {
	catchRefusal,
	documentOf,
	explainTemplate,
	findTag,
	idIn,
	memberList,
	ownDocuments,
	userNamed,
	userOfEntry,
} from "./own-documents.ts";

/** The edits of one file for one address of one organization. The line is that of the old text. */
export interface DocumentEdit {
	readonly organizationId: string;
	readonly address: string;
	readonly file: string;
	readonly line: number;
	readonly edits: readonly TextEdit[];
}

interface AcceptedOrganization {
	readonly desired: DesiredOrganization;
	readonly live: LiveOrganization;
	readonly plan: Plan;
	readonly expired: ExpiredAccess;
}

/** Returns the edits that write live values at these addresses, or why some of them are impossible. */
export function makeAcceptEdits(
	documents: readonly EditableDocument[],
	organization: AcceptedOrganization,
	addresses: ReadonlySet<string>,
): { readonly edits: readonly DocumentEdit[]; readonly refusals: readonly string[] } {
	const { desired, plan } = organization;
	const own = ownDocuments(documents, desired);
	const editor = new AcceptEditor(own, organization);
	const refusals: string[] = [];
	for (const address of addresses) {
		const because = catchRefusal(() => {
			const problem = plan.problems.find(({ path, code }) => path === address && code !== "tag-name-taken");
			if (problem !== undefined && !/^(?:tag|policy)-not-there$/.test(problem.code))
				throw new NotEditable(problem.message);
			if (problem !== undefined) editor.removeEntry(address);
			const change = plan.changes.find((one) => one.address === address);
			const isStale = editor.removeExpired(address);
			if (change !== undefined) editor.accept(change);
			else if (problem === undefined && !isStale) throw new NotEditable("no edit of the document can resolve it");
		});
		const fromList = because === undefined && editor.hasEdits(address) ? undefined : explainTemplate(desired);
		if (because !== undefined || fromList !== undefined) {
			refusals.push(`cannot accept ${showAddress(address)}: ${fromList ?? because}`);
		}
	}
	if (refusals.length > 0) return { edits: [], refusals };
	return editor.finish();
}

/** The edits of one list. They are made together for all addresses, because a comma belongs to two items. */
interface ListChange {
	readonly list: Cell;
	readonly addresses: Map<string, number>;
	readonly removed: Cell[];
	readonly added: string[];
	withComments: boolean;
}

class AcceptEditor {
	readonly #documents: readonly EditableDocument[];
	readonly #desired: DesiredOrganization;
	readonly #live: LiveOrganization;
	readonly #expired: ExpiredAccess;
	readonly #edits: DocumentEdit[] = [];
	/** Entries of sections that no document has yet. */
	readonly #sections = new Map<string, AddressedEntry[]>();
	readonly #lists = new Map<Cell, ListChange>();

	constructor(documents: readonly EditableDocument[], { desired, live, expired }: AcceptedOrganization) {
		this.#documents = documents;
		this.#desired = desired;
		this.#live = live;
		this.#expired = expired;
	}

	/** Adds the edits for a change. Throws NotEditable with the reason if that is impossible. */
	accept(change: Change): void {
		if (change.basis === "unknown") {
			throw new NotEditable("live state is unknown, because the service does not show it");
		}
		if (change.basis === "last-applied") {
			throw new NotEditable("only the last-applied state is known; the service does not show live state");
		}
		if (change.action === "create") this.removeEntry(change.address);
		else if (change.kind === "userTag" && change.action === "remove") this.#acceptTagRemoval(change);
		else if (change.kind === "userTag") this.#acceptTag(change);
		else if (change.action === "remove") this.#acceptRemoval(change);
		else if (change.kind === "policy") this.#acceptPolicy(change);
		else this.#acceptReport(change);
	}

	/** Adds the edit that removes the entry of a tag or a policy that does not exist. */
	removeEntry(address: string): void {
		const { kind, label } = parseAddress(address) ?? {};
		const isPolicy = kind === "policy" && label !== undefined;
		const entry = isPolicy ? findPolicy(this.#documents, label) : findTag(this.#documents, address);
		this.#removeItem(address, entry, true);
	}

	/** Adds the edits that remove useless entries of access that expired, and returns whether there is one. */
	removeExpired(address: string): boolean {
		const expired = this.#expired.removable.get(address);
		if (expired === undefined) return false;
		this.#dropUsers(address, memberList(entryOf(findTag(this.#documents, address), "members")), [...expired]);
		return true;
	}

	hasEdits(address: string): boolean {
		const isOfList = [...this.#lists.values()].some(({ addresses }) => addresses.has(address));
		const isNew = [...this.#sections.values()].flat().some((one) => one.address === address);
		return isOfList || isNew || this.#edits.some((edit) => edit.address === address);
	}

	/** Returns all edits. Each list is edited once, at the end. */
	finish(): { readonly edits: readonly DocumentEdit[]; readonly refusals: readonly string[] } {
		const refusals: string[] = [];
		for (const { list, addresses, removed, added, withComments } of this.#lists.values()) {
			const because = catchRefusal(() => {
				const edits = editItems(documentOf(this.#documents, list), list, removed, added, withComments);
				// They are made once, but each address has its place.
				for (const [index, [address, line]] of [...addresses].entries()) {
					this.#add(address, list, line, index === 0 ? edits : []);
				}
			});
			if (because !== undefined)
				refusals.push(`cannot accept ${[...addresses.keys()].map(showAddress).join(", ")}: ${because}`);
		}
		for (const [section, added] of this.#sections) {
			const { root, line, edits } = sectionEdits(this.#documents, section, added);
			for (const [index, { address }] of added.entries()) this.#add(address, root, line, index === 0 ? edits : []);
		}
		return { edits: this.#edits, refusals };
	}

	#addEntry(section: "policies" | "userTags", address: string, entry: NewEntry): void {
		const list = this.#documents.map(({ root }) => entryOf(root, section)).find((one) => one !== undefined);
		if (list === undefined) {
			this.#sections.set(section, [...(this.#sections.get(section) ?? []), { address, entry }]);
			return;
		}
		const { added } = this.#listChange(address, list, list.keyAt.line);
		added.push(isFlow(documentOf(this.#documents, list), list) ? entry.flow : entry.block);
	}

	#acceptPolicy(change: PolicyChange): void {
		const { address, before, after } = change;
		const entry = findPolicy(this.#documents, after.name);
		const document = documentOf(this.#documents, entry);
		const edits = policyEdits(document, entry, change, templateNames(this.#desired, this.#live));
		this.#add(address, entry, entry.at.line, edits);
		if (before?.name !== after.name) this.#removePrevious(address, entry, before?.name);
	}

	/** Removes the live name from the former names of the entry. */
	#removePrevious(address: string, entry: Cell, name: string | undefined): void {
		for (const item of itemsOf(entryOf(entry, "previously"))) {
			if (item.value === name) this.#removeItem(address, item);
		}
	}

	/** Takes a live tag out of `absent`, or writes it into a complete list. */
	#acceptTagRemoval({ address, tagId, before }: TagChange): void {
		const items = this.#documents.flatMap(({ root }) => itemsOf(entryOf(entryOf(root, "absent"), "userTags")));
		const own = items.filter((item) => idIn(item) === tagId || item.value === before.name);
		for (const item of own) this.#removeItem(address, item);
		if (own.length > 0) return;
		const users = before.members?.map((userId) => nameOfUser(this.#desired, userId)).sort(compareText);
		const members =
			users === undefined ? "" : `, members: { exactly: [${users.map((name) => writeText(name)).join(", ")}] }`;
		const entry = `{ name: ${writeText(before.name)}${members} }`;
		this.#addEntry("userTags", address, { block: entry, flow: entry });
	}

	#acceptTag(change: TagChange): void {
		const tag = findTag(this.#documents, change.address);
		if (change.before.name !== change.after.name) this.#rename(change, tag);
		const members = entryOf(tag, "members");
		if (members === undefined) return;
		const { address, addUserIds: missing, removeUserIds } = change;
		const isExpired = (userId: string): boolean => this.#expired.all.get(address)?.has(userId) === true;
		const surplus = removeUserIds.filter((userId) => !isExpired(userId));
		const list = memberList(members);
		this.#dropUsers(address, list, missing);
		this.#dropUsers(address, entryOf(members, "never"), surplus);
		const begun = surplus.filter((userId) => findWindow(this.#desired, address, userId) !== undefined);
		this.#dropUsers(address, list, begun);
		const added = members.entries.has("exactly") ? surplus : begun;
		if (list !== undefined && added.length > 0) {
			const entries = added.map((userId) => this.#writeMember(address, userId)).sort(compareText);
			this.#listChange(address, list, list.keyAt.line).added.push(...entries);
		}
	}

	/** Returns the entry of a user who has the tag: with an end if the document has one, which has not come. */
	#writeMember(address: string, userId: string): string {
		const name = nameOfUser(this.#desired, userId);
		const { until, reason } = findWindow(this.#desired, address, userId) ?? {};
		return writeMember(name, until === undefined ? {} : { until, ...defined({ reason }) });
	}

	#rename({ address, before, after }: TagChange, tag: Cell): void {
		if (this.#desired.protect.userTags.includes(after.name)) {
			throw new NotEditable("the tag is protected by this name, but not by the live one; change both by hand");
		}
		const name = entryOf(tag, "name");
		if (name === undefined) throw new NotEditable("its entry has no name");
		this.#replace(address, name, before.name);
		this.#removePrevious(address, tag, before.name);
	}

	#acceptRemoval({ address, kind, id, userId, before }: RemovalChange): void {
		const isName = (item: Cell): boolean => kind === "policy" && item.value === before?.name;
		let isListed = false;
		const isOfUser = removalKinds.some((one) => one.name === kind && one.isOfUser);
		for (const { root } of this.#documents) {
			const section = entryOf(entryOf(root, "absent"), removalLists[kind]);
			const isOwn = ({ key }: Cell): boolean => userNamed(this.#desired, String(key)) === userId;
			const lists = isOfUser ? entriesOf(section).filter(isOwn) : [section];
			for (const item of lists.flatMap(itemsOf)) {
				if (idIn(item) !== id && !isName(item)) continue;
				isListed = true;
				this.#removeItem(address, item);
			}
		}
		if (isListed || kind !== "policy" || this.#desired.exactly?.policies === undefined) return;
		this.#addEntry("policies", address, newPolicy(this.#live, id, templateNames(this.#desired, this.#live)));
	}

	#acceptReport(change: ReportChange): void {
		for (const { root } of this.#documents) {
			for (const { cell, label, identity } of expectedEntries(root, change.kind, this.#desired)) {
				if (printAddress(change.kind, label) === change.address) this.#acceptFields(change, cell, identity);
			}
		}
	}

	#acceptFields({ address, before }: ReportChange, cell: Cell, identity: string): void {
		const fields = Object.entries(before ?? {});
		const unset = fields.filter(([, value]) => value === null || value === undefined).map(([name]) => name);
		const left = [...cell.entries.keys()].filter((name) => name !== identity && !unset.includes(name));
		// A value that the service does not have cannot be written: the field is removed, or the entry if it has no other.
		if (before === null || left.length === 0) {
			this.#removeItem(address, cell, true);
			return;
		}
		for (const [name, value] of fields) {
			const field = entryOf(cell, name);
			if (field === undefined) throw new NotEditable(`its \`${name}\` is not written in the document`);
			if (unset.includes(name)) refuseShared(documentOf(this.#documents, field), field);
			else if (name === "earnProviders" && Array.isArray(value)) this.#acceptSet(address, field, value);
			else this.#replace(address, field, value);
		}
		if (unset.length === 0) return;
		this.#add(address, cell, cell.at.line, removeEntries(documentOf(this.#documents, cell), cell, unset));
	}

	#acceptSet(address: string, list: Cell, live: readonly unknown[]): void {
		const there = itemsOf(list).map(({ value }) => value);
		for (const item of itemsOf(list)) {
			if (!live.includes(item.value)) this.#removeItem(address, item);
		}
		const missing = live.filter((value) => !there.includes(value as string));
		if (missing.length === 0) return;
		const { added } = this.#listChange(address, list, list.keyAt.line);
		added.push(...missing.map((value) => writeText(String(value))));
	}

	#replace(address: string, cell: Cell, value: unknown): void {
		const document = documentOf(this.#documents, cell);
		refuseShared(document, cell);
		this.#add(address, cell, cell.keyAt.line, replaceValue(document, cell, value));
	}

	#add(address: string, { at: { file } }: Cell, line: number, edits: readonly TextEdit[]): void {
		this.#edits.push({ organizationId: this.#desired.organizationId, address, file, line, edits });
	}

	#dropUsers(address: string, list: Cell | undefined, userIds: readonly string[]): void {
		for (const item of itemsOf(list)) {
			if (userIds.includes(userOfEntry(item, this.#desired))) this.#removeItem(address, item);
		}
	}

	#removeItem(address: string, cell: Cell, withComments = false): void {
		const list = cell.parent;
		if (list === undefined) throw new NotEditable("it is not in a list");
		refuseShared(documentOf(this.#documents, cell), cell);
		const change = this.#listChange(address, list, cell.at.line);
		change.removed.push(cell);
		change.withComments ||= withComments;
	}

	#listChange(address: string, list: Cell, line: number): ListChange {
		const change = this.#lists.get(list) ?? {
			list,
			addresses: new Map<string, number>(),
			removed: [],
			added: [],
			withComments: false,
		};
		this.#lists.set(list, change);
		change.addresses.set(address, Math.min(change.addresses.get(address) ?? line, line));
		return change;
	}
}
