/** One journal: an organization with a past, forgeries, a command, and the judgment of what it submitted and printed. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Arena, Runner } from "../arena.ts";
import type { Ended } from "../command.ts";
import { randomFrom } from "../proof.ts";
import {
	asksFor,
	type Change,
	changesOf,
	drawWorld,
	keys,
	type ListedActivity,
	organizationId,
	type SmallWorld,
	users,
} from "../small-world.ts";
import { forge, leaveVote, readBodies } from "./forgeries.ts";

/** The past of the organization: what its journal is about. */
export type Past = "pending" | "completed and reverted" | "in doubt" | "rejected";

/** A case as its seed says, before anything is forged. */
export interface Setting {
	readonly arena: Arena;
	readonly world: SmallWorld;
	readonly past: Past;
	readonly isDocumented: boolean;
	/** Whether the document allows no removal. */
	readonly isGuarded: boolean;
	readonly runner: Runner;
	/** The seed of each forgery. */
	readonly forgeries: readonly number[];
}

const pasts: readonly Past[] = ["pending", "completed and reverted", "in doubt", "rejected"];
const guarded = "memberRemovals: 0%, policies: 0, oauthProviders: 0, tvcApps: 0";
const startMs = Date.UTC(2026, 8, 1, 12, 4);

/** Draws a case and brings its organization and its journal about. */
export async function set(seed: number, arenas: Readonly<Record<"all" | "documented", Arena>>): Promise<Setting> {
	const random = randomFrom(seed);
	const isDocumented = random() < 0.2;
	const isGuarded = random() < 0.15;
	const past = pasts[Math.floor(random() * pasts.length)] ?? "pending";
	const approvals = past === "completed and reverted" || (past === "in doubt" && random() < 0.5) ? 1 : 2;
	const arena = arenas[isDocumented ? "documented" : "all"];
	// The past had no guard: what it left is there anyway.
	// A service that shows no policies gets none.
	const world = drawWorld(random, { approvals, writes: !isDocumented && random() < 0.5 });
	await arena.begin(world, startMs, "own");
	await arena.alone({ words: ["apply", "--yes"], who: "alice", machine: 0 });
	const runner = drawRunner(random, isDocumented);
	if (runner.who === "bob") await voteBefore(arena, random);
	if (past === "completed and reverted") await arena.reset(world);
	else if (past !== "pending") rewrite(journalOf(arena), past, random);
	if (isGuarded)
		arena.writeDocument(
			0,
			world.document.replace("memberRemovals: 100%", guarded).replace("userTags: 9", "userTags: 0"),
		);
	arena.advance(Math.floor(random() * 20) * 60_000);
	const forgeries = Array.from({ length: random() < 0.7 ? 1 : 2 + Math.floor(random() * 3) }, () =>
		Math.floor(random() * 2 ** 31),
	);
	return { arena, world, past, isDocumented, isGuarded, runner, forgeries };
}

/** The votes that the journal has before: cast, left in flight by a killed run, or none. */
async function voteBefore(arena: Arena, random: () => number): Promise<void> {
	const kind = random();
	if (kind < 0.3) await arena.alone({ words: ["approve", "--yes"], who: "bob", machine: 0 });
	if (kind > 0.8) return;
	for (const { fingerprint, status } of arena.activities()) {
		if (status === "ACTIVITY_STATUS_CONSENSUS_NEEDED") leaveVote(journalOf(arena), users.bob, fingerprint, arena.nowMs);
	}
}

function drawRunner(random: () => number, isDocumented: boolean): Runner {
	const kind = random();
	const words = (...list: string[]): Runner => ({ words: [...list, "--no-color"], who: "alice", machine: 0 });
	if (kind < 0.5) return words("apply", "--yes", ...(random() < 0.1 ? ["--retry-rejected"] : []));
	if (kind < 0.65 && !isDocumented) return { words: ["approve", "--yes", "--no-color"], who: "bob", machine: 0 };
	if (kind < 0.75) return words("plan");
	if (kind < 0.85) return words("status");
	return kind < 0.95 ? words("drift") : words("wait", "--wait", "0");
}

function journalOf(arena: Arena): string {
	return join(arena.folderOf(0), ".orgsync", "journal.sqlite");
}

/** Makes the past of some entries another one, as a killed run or a reviewer leaves it. */
function rewrite(file: string, past: Past, random: () => number): void {
	const database = new DatabaseSync(file);
	const change =
		past === "rejected" ? "outcome = 'rejected'" : "outcome = NULL, activity_id = NULL, settled_at_ms = NULL";
	for (const { fingerprint } of database.prepare("SELECT fingerprint FROM sent").all()) {
		if (random() < 0.7) database.prepare(`UPDATE sent SET ${change} WHERE fingerprint = ?`).run(fingerprint as string);
	}
	database.close();
}

/** What a command did with a forged journal. */
export interface Seen {
	readonly forged: readonly string[];
	readonly ended: Ended;
	readonly tookMs: number;
	/** What is wrong with it; undefined if nothing is. */
	readonly finding: string | undefined;
	readonly submits: number;
}

/** Forges the journal with the forgeries of these indices, runs the command and judges it. */
export async function play(setting: Setting, chosen: readonly number[]): Promise<Seen> {
	const { arena, runner, forgeries } = setting;
	const before = new Set([...arena.activities(), ...arena.votes()].map(({ id }) => id));
	const pending = arena.activities().filter(({ status }) => status === "ACTIVITY_STATUS_CONSENSUS_NEEDED");
	const file = journalOf(arena);
	const scene = { file, nowMs: arena.nowMs, fingerprint: pending[0]?.fingerprint };
	const forged = chosen.flatMap((index) => forge(forgeries[index] ?? 0, scene) ?? []);
	const bodies = readBodies(file);
	arena.clearRequests();
	const startedMs = performance.now();
	const ended = await arena.alone(runner);
	const tookMs = performance.now() - startedMs;
	const finding = judgeSubmits(setting, before, bodies) ?? judgeText(ended) ?? judgePromise(setting, ended);
	const slow = tookMs > maxMs ? `it took ${Math.round(tookMs)} ms` : undefined;
	return { forged, ended, tookMs, finding: finding ?? slow, submits: arena.submits().length };
}

const maxMs = 10_000;

/** Whether the document asks for the change, as far as a reader without the extended reads knows. */
function isAsked(change: Change, { world, isDocumented }: Setting): boolean {
	if (asksFor(world, change, world.changes)) return true;
	if (!isDocumented) return false;
	const [verb, tag = "", user = ""] = change.split(" ");
	return world.asked.has(change) || (verb === "remove" && world.exactly.get(tag)?.includes(user) === false);
}

function judgeSubmits(setting: Setting, before: ReadonlySet<string>, bodies: readonly string[]): string | undefined {
	const { arena, runner, isGuarded } = setting;
	const submits = arena.submits();
	const [command = ""] = runner.words;
	const mayVote = command === "approve";
	if (command !== "apply" && !mayVote && submits.length > 0) return `${command} submitted ${submits.length} requests`;
	const foreign = submits.find((one) => one.organizationId !== null && one.organizationId !== organizationId);
	if (foreign !== undefined) return `a request was submitted for the organization ${foreign.organizationId}`;
	const made = arena.activities().filter(({ id }) => !before.has(id));
	const cast = arena.votes().filter(({ id }) => !before.has(id));
	if (mayVote ? made.length > 0 : cast.length > 0)
		return `${command} made ${made.length} activities and ${cast.length} votes`;
	// A vote that was refused is one that the command may cast.
	const refused = refusedOf(setting, bodies).filter(
		({ type }) => !mayVote || type !== "ACTIVITY_TYPE_APPROVE_ACTIVITY",
	);
	const changes = [...made, ...refused].flatMap((one) => changesOf(one));
	const other = changes.find((change) => !isAsked(change, setting));
	if (other !== undefined) return `a change was submitted that the document does not ask for: ${other}`;
	const removal = changes.find((change) => /^(remove|no) /.test(change));
	if (isGuarded && removal !== undefined) return `a change was submitted that a guard blocks: ${removal}`;
	return judgeVotes(setting, cast);
}

/** Returns the requests that were refused and whose bytes the journal has, in the form of activities. */
function refusedOf({ arena }: Setting, bodies: readonly string[]): readonly Pick<ListedActivity, "type" | "intent">[] {
	const known = new Set([...arena.activities(), ...arena.votes()].map(({ fingerprint }) => fingerprint));
	const sent = new Set(arena.submits().map(({ fingerprint }) => fingerprint));
	return bodies.flatMap((bytes) => {
		const fingerprint = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
		if (!sent.has(fingerprint) || known.has(fingerprint)) return [];
		const { type, parameters } = JSON.parse(bytes) as { type: string; parameters: Record<string, unknown> };
		return [{ type, intent: { parameters } }];
	});
}

/** `approve` casts approvals of its user only, and one for each activity. */
function judgeVotes({ arena }: Setting, cast: readonly ListedActivity[]): string | undefined {
	if (cast.some(({ type }) => type !== "ACTIVITY_TYPE_APPROVE_ACTIVITY")) return "approve cast a vote against";
	for (const { id, votes } of arena.activities()) {
		const own = votes.filter(({ userId }) => userId === users.bob);
		if (own.length > 1) return `a user has ${own.length} votes on ${id}`;
	}
	return undefined;
}

const secrets = Object.values(keys).map(({ privateKey }) => privateKey);
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals act on them.
const raw = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

function judgeText({ stdout, stderr, code }: Ended): string | undefined {
	const text = stdout + stderr;
	if (code === null || code < 0 || code > 9) return `it ended with ${code}`;
	const control = raw.exec(text);
	if (control !== null) return `it printed the control character ${JSON.stringify(control[0])}`;
	const odd = /\n\s+at \S+ \(|unexpected error|\bundefined\b|\[object |\bNaN\b|Invalid Date/.exec(text);
	if (odd !== null) return `it printed ${JSON.stringify(odd[0])}`;
	if (secrets.some((secret) => text.includes(secret))) return "it printed a private key";
	if ([3, 4].includes(code) && !/(^|\n)error: \S/.test(stderr)) return `it ended with ${code} and without an error`;
	if (text.length > 200_000) return `it printed ${text.length} characters`;
	return undefined;
}

function judgePromise({ arena }: Setting, { stderr }: Ended): string | undefined {
	const submits = arena.submits().length;
	return /nothing was submitted(?! because of it)/.test(stderr) && submits > 0
		? `it says that nothing was submitted, and sent ${submits}`
		: undefined;
}
