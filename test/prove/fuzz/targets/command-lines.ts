/** Command lines: every command and flag, with sound and hostile values, in this process. Nothing outside its folder is touched. */
import { readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeCommandTable } from "../../../../src/cli/flags/command-table.ts";
import type { Flag } from "../../../../src/cli/flags/flags.ts";
import { folder, runCommand } from "../command.ts";
import type { Dice } from "../dice.ts";
import { texts } from "../hostile.ts";
import { isList, isObject, type Json, type Outcome, type Target } from "../input.ts";
import { secrets } from "../judge.ts";
import { mutateText, wordsOf } from "../mutate.ts";
import { RecordedService } from "../recorded-service.ts";

const organizationId = "00000000-0000-4000-8000-000000000001";
const activityId = "01a20545-f300-72be-a563-bc7cdee4d20a";

/** Values that some flag or argument takes. */
const values: readonly string[] = [
	...["0", "1", "7", "30", "64", "65", "-1", "1.5", "1e3", "99999999999", "0x10", " 1", "\u0661"],
	...["90m", "8h", "7d", "24h", "0d", "-7d", "1w", "8 h", "99999999999999d", "90", "0"],
	...["policies=1", "policies=", "=1", "policies=1=2", "members=-1", "policies=99999999999999999999", "rule:x=1"],
	...[
		"userTag",
		"userTag:signers",
		"userTag/on*",
		"policy/*",
		"x/y",
		"*",
		"userTag/[",
		"userTag/**/**/**/**/**/**/**/**/a",
	],
	...["1/2", "2/8", "0/1", "9/8", "1/0", "1/", "a/b", "1/1000000", "-1/2"],
	...[organizationId, organizationId.toUpperCase(), organizationId.slice(1), activityId, `sha256:${"0".repeat(64)}`],
	...["text", "json", "markdown", "html", "github", "openmetrics", "jsonl", "auto", "documented", "all"],
	...[
		"orgsync.yaml",
		"missing.yaml",
		"-",
		".",
		"new.json",
		"bash",
		"zsh",
		"fish",
		"document",
		"output",
		"plan",
		"operations/x",
	],
	...[
		"alice",
		"bob",
		"signers",
		"oncall",
		"sign",
		"export",
		"list_users",
		"get_activity",
		"activityId=x",
		"organizationId=y",
		"users",
	],
	...[
		"2026-12-01T00:00:00Z",
		"2026-12-01 Europe/Berlin",
		"2026-02-30 Europe/Berlin",
		"yesterday",
		"name=value",
		"a=b=c",
		"=",
		"20261122-220000-3f9c1a",
	],
	...[secrets[1] ?? "", `--${secrets[1]}`, `x=${secrets[1]}`, `${secrets[1]}:p256`],
];

/** Addresses that no request can be sent to. */
const addresses = [
	"",
	"http://",
	"ftp://a.test",
	"//a.test",
	"https://user:canary-of-the-stamp@a.test",
	"http://a.test",
	"https://a.test?x=1",
	"https://a.test:99999",
	"javascript:x",
	"http://[::1",
	"https://\u0430.test\u202e",
];

const stampCommands = ["true", "exit 3", "echo x", ""];

interface Row {
	readonly name: string;
	readonly flags: readonly Flag[];
}

let rows: readonly Row[] = [];
let service: RecordedService | undefined;
const words = wordsOf([], values);

function make(dice: Dice): Json {
	const row = dice.pick(rows);
	const given: string[] = [
		dice.chance(0.97)
			? row.name
			: dice.pick(["__complete", "help", mutateText(row.name, dice, words, 1), dice.pick(texts)]),
	];
	for (let left = dice.small(3); left > 0; left -= 1) given.push(makeValue(dice));
	for (let left = dice.small(6); left > 0; left -= 1) given.push(...makeFlag(row, dice));
	if (dice.chance(0.1))
		given.splice(
			dice.int(given.length + 1),
			0,
			dice.pick(["--", "-", "--help", "-h", "-V", "-qy", "-f", "--no-", "--=", makeValue(dice)]),
		);
	return { words: given, isConnected: dice.chance(0.08) };
}

function makeFlag({ flags }: Row, dice: Dice): readonly string[] {
	const { long = "--x", short, required, argChoices, flags: written } = dice.pick(flags);
	const isForUrl = written.includes("<url>");
	const name =
		short !== undefined && dice.chance(0.3) ? short : dice.chance(0.03) ? mutateText(long, dice, words, 1) : long;
	if (!required && dice.chance(0.95)) return [name];
	if (isForUrl) return [name, dice.pick(addresses)];
	if (long === "--stamp-command") return [name, dice.pick(stampCommands)];
	const value = argChoices !== undefined && dice.chance(0.6) ? dice.pick(argChoices) : makeValue(dice);
	return dice.chance(0.2) ? [`${name}=${value}`] : [name, value];
}

function makeValue(dice: Dice): string {
	const value = dice.chance(0.1) ? dice.pick(texts) : dice.pick(values);
	return dice.chance(0.15) ? mutateText(value, dice, words, 1) : value;
}

/** What a value may hold: no character that no argument can have, and no path out of the folder. */
function tame(word: string): string {
	// More digits than those of a key with one too many are no key, but may be a public one.
	const short = word.replaceAll(/[0-9a-f]{66,}/gi, (digits) => digits.slice(0, 64));
	const text = short.toWellFormed().replaceAll("\0", "").slice(0, 1000);
	return addresses.includes(text) || /^[\w*]+\/[\w*[\]/]+$/.test(text)
		? text
		: text.replaceAll("..", "__").replaceAll(/[/\\]/g, "_");
}

/** Flags that open a browser, a port, a shell or another service, or wait for hours: none of them is of use here. */
const effects = /^--(?:passkey|local|wait|stamp-command|port|host)/;

/** Words that make a command fail that would otherwise run until a signal. */
const endings: Readonly<Record<string, readonly string[]>> = {
	emulator: ["--seed", "missing.yaml", "--seed", "missing.yaml"],
	passkey: ["--user", "a", "--user", "b"],
};

const untouched = ["init", "validate", "schema", "completion", "show", "__complete", "help"];

function callOf(input: Json): { readonly call: readonly string[]; readonly isConnected: boolean } {
	const { words: given, isConnected } = isObject(input) ? input : {};
	const all = (isList(given) ? given : []).map((word) => tame(String(word)));
	const [name = ""] = all;
	const connects = isConnected === true && name !== "wait" && name !== "import-key";
	const rest = untouched.includes(name)
		? all
		: all.filter((word) => !effects.test(word) || (!connects && !/^--(?:local|passkey)/.test(word)));
	const end = Object.entries(endings).flatMap(([one, more]) => (rest.includes(one) ? more : []));
	return { call: [...rest, ...end], isConnected: connects };
}

async function read(input: Json): Promise<Outcome> {
	const { call, isConnected } = callOf(input);
	const environment = isConnected ? (service?.environment ?? {}) : {};
	const {
		printed,
		code,
		markup = false,
	} = await runCommand(call, {
		stdin: service?.document ?? "",
		environment,
		isJson: false,
	});
	restore();
	// Scripts for shells and schemas are indented with tabs.
	const shown = code === 0 ? printed.replaceAll("\t", "") : printed;
	return { accepted: ![1, 3, 4].includes(code), printed: shown, markup };
}

/** Removes what a command wrote, and writes its document again. */
function restore(): void {
	for (const name of readdirSync(folder)) {
		if (!kept.includes(name)) rmSync(join(folder, name), { recursive: true, force: true });
	}
	const document = service?.document ?? "";
	const file = join(folder, "orgsync.yaml");
	const found = statSync(file, { throwIfNoEntry: false });
	if (found === undefined || found.size !== Buffer.byteLength(document)) writeFileSync(file, document);
}

/** Files of the other targets. */
const kept = ["orgsync.yaml", "plan.json", "rows.sqlite", "rows.sqlite-wal", "rows.sqlite-shm"];

export const commandLines: Target = {
	name: "command lines",
	share: 100,
	async begin() {
		service = await RecordedService.start();
		service.changed = {};
		rows = makeCommandTable().flatMap(({ commands }) => commands.map(({ name, flags }) => ({ name, flags })));
		restore();
	},
	end: () => service?.close(),
	make,
	read,
};
