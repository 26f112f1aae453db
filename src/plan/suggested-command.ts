/** Commands for a reader to copy: values until they are printed, with the flags of the call that prints them. */
import { quoteForShell } from "../common/escape.ts";
import { uuid } from "../common/uuid.ts";

/** What a suggestion repeats of the call that prints it. Credentials are left out: a report must not show where keys are. */
export interface CommandContext {
	readonly local?: boolean | undefined;
	readonly url?: string;
	readonly file?: readonly string[];
	readonly env?: readonly string[];
	readonly organization?: string | undefined;
	/** `I/N`: which share of the organizations. */
	readonly shard?: string;
	readonly journal?: string;
	/** Whether the documents have several organizations: what is about one of them names it. False when left out. */
	readonly hasSeveral?: boolean;
}

const ofOne = ["local", "url", "file", "env", "organization"] as const;
const withJournal = [...ofOne, "journal"] as const;
const ofDocuments = [...ofOne, "shard", "journal"] as const;

type RepeatedFlag = (typeof ofDocuments)[number];

/** The flags that a command repeats, in the order in which they are printed: those of the context that it takes. */
export const repeatedFlags = {
	apply: ofDocuments,
	approve: withJournal,
	drift: ofDocuments,
	explain: ofOne,
	export: ofOne,
	init: ["local", "url", "file", "organization"],
	plan: ofDocuments,
	query: ofOne,
	schema: [],
	show: [],
	status: withJournal,
	test: withJournal,
	validate: ["file", "env", "shard"],
} as const satisfies Readonly<Record<string, readonly RepeatedFlag[]>>;

type SuggestedName = keyof typeof repeatedFlags;

/** A command with its own arguments, as a shell passes them on. */
interface SuggestedCommand {
	readonly command: SuggestedName;
	readonly arguments?: readonly string[];
}

/** Returns the command that explains an activity; null for an id that is no UUID, which the service refuses. */
export function explainText(activityId: string, organizationId: string, context: CommandContext): string | null {
	if (!uuid.test(activityId)) return null;
	const isPiped = context.file?.includes("-") === true;
	const { file: _, env: __, ...others } = context;
	const of = isPiped ? { ...others, organization: organizationId } : inOrganization(context, organizationId);
	return commandText({ command: "explain", arguments: [activityId] }, of);
}

/** Returns the context of a suggestion about one organization. */
export function inOrganization(context: CommandContext, organizationId: string): CommandContext {
	if (context.hasSeveral !== true) return context;
	const { shard: _, ...others } = context;
	return { ...others, organization: organizationId };
}

/** Returns the command that prints the help of a command, or of all. */
export function helpText(command?: string): string {
	return ["orgsync", ...(command === undefined ? [] : [command]), "--help"].join(" ");
}

/** Returns the command as it can be typed. Names in it are quoted for a shell, and not escaped for a reader. */
export function commandText(suggested: SuggestedCommand, context: CommandContext): string {
	const { command, arguments: own = [] } = suggested;
	const repeated = repeatedFlags[command].flatMap((flag) => flagWords(flag, context));
	return ["orgsync", command, ...repeated, ...own].map(quoteForShell).join(" ");
}

function flagWords(flag: RepeatedFlag, context: CommandContext): readonly string[] {
	switch (flag) {
		case "local":
			return context.local === true ? ["--local"] : [];
		case "file":
			return (context.file ?? []).flatMap((path) => ["-f", path]);
		case "env":
			return (context.env ?? []).flatMap((name) => ["--env", name]);
		case "url":
			return context.url === undefined ? [] : ["--url", withoutPath(context.url)];
		default:
			return context[flag] === undefined ? [] : [`--${flag}`, context[flag]];
	}
}

/** Returns the address of the service. The reader has to fill in its path, because that can hold a token. */
function withoutPath(url: string): string {
	if (!URL.canParse(url)) return "URL";
	const { origin, pathname } = new URL(url);
	return pathname === "/" ? origin : `${origin}/PATH`;
}
