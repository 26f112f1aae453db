/**
 * Seeds: what the emulator starts with, as a YAML (or JSON) file in the interface's own field names. A seed is checked
 * against schemas/seed.json first and then for what a schema cannot say: unique ids and names, known members, limits.
 */
import { isMap, isPair, Lexer, LineCounter, type Node, Parser, parseDocument, type YAMLParseError } from "yaml";
import { DocumentError, type Problem } from "../errors.ts";
import { maxJsonDepth, readJson, tooDeepMessage } from "../json.ts";
import { checkSchema, type SchemaError } from "../schema.ts";
import { limits } from "./choices.ts";
import type { Time } from "./identifiers.ts";
import { canonicalNetwork } from "./queries.ts";
import type {
	ApiKey,
	Authenticator,
	MfaPolicy,
	OauthProvider,
	Policy,
	Rules,
	SessionProfile,
	TvcApp,
} from "./state.ts";

type Some<Entity, Required extends keyof Entity> = Partial<Entity> & Pick<Entity, Required>;

export interface SeedUser {
	readonly userId: string;
	readonly userName: string;
	readonly userEmail?: string;
	readonly userPhoneNumber?: string;
	readonly apiKeys?: readonly ApiKey[];
	readonly authenticators?: readonly Authenticator[];
	readonly oauthProviders?: readonly Some<OauthProvider, "providerId" | "providerName">[];
	readonly mfaPolicies?: readonly Some<MfaPolicy, "mfaPolicyId" | "mfaPolicyName">[];
	readonly createdAt?: Time;
	readonly updatedAt?: Time;
}

export interface SeedUserTag {
	readonly tagId: string;
	readonly tagName: string;
	readonly tagType?: string;
	readonly userIds?: readonly string[];
	readonly createdAt?: Time;
	readonly updatedAt?: Time;
}

/** One organization of a seed; only its id is required. */
export interface SeedOrganization {
	readonly organizationId: string;
	readonly organizationName?: string;
	readonly users?: readonly SeedUser[];
	readonly userTags?: readonly SeedUserTag[];
	readonly policies?: readonly Some<Policy, "policyId" | "policyName">[];
	readonly tvcApps?: readonly Some<TvcApp, "id" | "name">[];
	readonly sessionProfiles?: readonly Some<SessionProfile, "sessionProfileId" | "sessionProfileName">[];
	readonly supportedAssets?: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
	readonly rules?: Rules;
}

/** What the emulator starts with (schemas/seed.json). */
export interface Seed {
	readonly organizations: readonly SeedOrganization[];
}

type Path = readonly (string | number)[];

/** One mistake in a seed, by its place in the data. */
export interface SeedMistake {
	readonly path: Path;
	readonly code: string;
	readonly message: string;
}

/** `organizations[0].users[1].userId`; the empty string for the seed itself. */
export function formatPath(path: Path): string {
	return path.map((part, index) => (typeof part === "number" ? `[${part}]` : index === 0 ? part : `.${part}`)).join("");
}

function fromSchemaError(error: SchemaError, value: unknown): SeedMistake {
	const path: (string | number)[] = [];
	let current: unknown = value;
	for (const raw of error.instancePath.split("/").slice(1)) {
		const part = raw.replaceAll("~1", "/").replaceAll("~0", "~");
		path.push(Array.isArray(current) ? Number(part) : part);
		current = (current as Record<string, unknown> | undefined)?.[part];
	}
	switch (error.keyword) {
		case "additionalProperties": {
			const name = String(error.params.additionalProperty);
			const known = Object.keys((error.parentSchema?.properties as object | undefined) ?? {});
			const message = `unknown key \`${name}\`; known here: ${known.join(", ")}`;
			return { path: [...path, name], code: "unknown-key", message };
		}
		case "required":
			return { path, code: "missing-key", message: `\`${String(error.params.missingProperty)}\` is missing` };
		case "propertyNames":
			return { path, code: "bad-key", message: `\`${String(error.params.propertyName)}\` cannot be a key here` };
		case "enum": {
			const allowed = (error.params.allowedValues as readonly unknown[]).join(", ");
			return { path, code: "bad-value", message: `must be one of: ${allowed}` };
		}
		default:
			return { path, code: "bad-value", message: error.message ?? "does not fit" };
	}
}

interface Collector {
	readonly mistakes: SeedMistake[];
	/** Reports `value` when the set has it already. */
	unique(seen: Set<string>, value: string, path: Path, what: string): void;
	limit(count: number, most: number, path: Path, what: string): void;
}

function makeCollector(): Collector {
	const mistakes: SeedMistake[] = [];
	return {
		mistakes,
		unique(seen, value, path, what) {
			if (seen.has(value)) mistakes.push({ path, code: "duplicate", message: `${what} is used twice` });
			seen.add(value);
		},
		limit(count, most, path, what) {
			if (count > most) {
				mistakes.push({ path, code: "limit", message: `${count} ${what}; the limit is ${most}` });
			}
		},
	};
}

function checkUsers(users: readonly SeedUser[], at: Path, collect: Collector): ReadonlySet<string> {
	const ids = new Set<string>();
	const credentials = new Set<string>();
	collect.limit(users.length, limits.users, at, "users");
	users.forEach((user, index) => {
		const here = [...at, index];
		collect.unique(ids, user.userId.toLowerCase(), [...here, "userId"], "this user id");
		user.apiKeys?.forEach(({ publicKey }, key) => {
			const path = [...here, "apiKeys", key, "publicKey"];
			collect.unique(credentials, publicKey.toLowerCase(), path, "this public key");
		});
		user.authenticators?.forEach(({ credentialId }, key) => {
			const path = [...here, "authenticators", key, "credentialId"];
			collect.unique(credentials, credentialId.replace(/=+$/, ""), path, "this credential id");
		});
		const providers = new Set<string>();
		const providersAt = [...here, "oauthProviders"];
		collect.limit(user.oauthProviders?.length ?? 0, limits.oauthProvidersOfAUser, providersAt, "OAuth providers");
		user.oauthProviders?.forEach(({ providerId }, key) => {
			collect.unique(providers, providerId.toLowerCase(), [...providersAt, key, "providerId"], "this provider id");
		});
		const mfaPolicies = new Set<string>();
		user.mfaPolicies?.forEach(({ mfaPolicyId }, key) => {
			const path = [...here, "mfaPolicies", key, "mfaPolicyId"];
			collect.unique(mfaPolicies, mfaPolicyId.toLowerCase(), path, "this MFA policy id");
		});
	});
	return ids;
}

function checkTags(tags: readonly SeedUserTag[], users: ReadonlySet<string>, at: Path, collect: Collector): void {
	const ids = new Set<string>();
	const names = new Set<string>();
	collect.limit(tags.length, limits.userTags, at, "user tags");
	tags.forEach((tag, index) => {
		const here = [...at, index];
		collect.unique(ids, tag.tagId.toLowerCase(), [...here, "tagId"], "this tag id");
		collect.unique(names, tag.tagName, [...here, "tagName"], "this tag name");
		const members = new Set<string>();
		tag.userIds?.forEach((userId, key) => {
			const path = [...here, "userIds", key];
			collect.unique(members, userId.toLowerCase(), path, "this member");
			if (!users.has(userId.toLowerCase())) {
				collect.mistakes.push({ path, code: "unknown-user", message: "no user of the organization has this id" });
			}
		});
	});
}

/** What is wrong with one organization that already fits the schema. */
function checkOrganization(organization: SeedOrganization, at: Path, collect: Collector): void {
	const users = checkUsers(organization.users ?? [], [...at, "users"], collect);
	checkTags(organization.userTags ?? [], users, [...at, "userTags"], collect);
	const policies = organization.policies ?? [];
	collect.limit(policies.length, limits.policies, [...at, "policies"], "policies");
	const policyIds = new Set<string>();
	const policyNames = new Set<string>();
	policies.forEach(({ policyId, policyName }, index) => {
		collect.unique(policyIds, policyId.toLowerCase(), [...at, "policies", index, "policyId"], "this policy id");
		collect.unique(policyNames, policyName, [...at, "policies", index, "policyName"], "this policy name");
	});
	const appIds = new Set<string>();
	organization.tvcApps?.forEach(({ id }, index) => {
		collect.unique(appIds, id.toLowerCase(), [...at, "tvcApps", index, "id"], "this app id");
	});
	const profileIds = new Set<string>();
	organization.sessionProfiles?.forEach(({ sessionProfileId }, index) => {
		const path = [...at, "sessionProfiles", index, "sessionProfileId"];
		collect.unique(profileIds, sessionProfileId.toLowerCase(), path, "this session profile id");
	});
	const networks = new Set<string>();
	for (const caip2 of Object.keys(organization.supportedAssets ?? {})) {
		collect.unique(networks, canonicalNetwork(caip2), [...at, "supportedAssets", caip2], "this network");
	}
}

/** Every mistake in `value` as a seed; an empty list when it is one. */
export function findSeedMistakes(value: unknown): readonly SeedMistake[] {
	const errors = checkSchema("seed.json", value);
	if (errors.length > 0) {
		// A bad key is reported by its own rule and again by `propertyNames`; once is enough.
		return errors.filter((error) => error.propertyName === undefined).map((error) => fromSchemaError(error, value));
	}
	const collect = makeCollector();
	const ids = new Set<string>();
	(value as Seed).organizations.forEach((organization, index) => {
		const at: Path = ["organizations", index];
		collect.unique(ids, organization.organizationId.toLowerCase(), [...at, "organizationId"], "this organization id");
		checkOrganization(organization, at, collect);
	});
	return collect.mistakes;
}

/** Every mistake in `value` as the rules of an organization; an empty list when it is one. */
export function findRulesMistakes(value: unknown): readonly SeedMistake[] {
	return checkSchema("seed.json", value, "#/$defs/rules")
		.filter((error) => error.propertyName === undefined)
		.map((error) => fromSchemaError(error, value));
}

/** Where `path` begins in the text, or where the nearest thing around it does. */
function offsetOf(root: Node | null, path: Path): number {
	let node: unknown = root;
	let offset = root?.range?.[0] ?? 0;
	for (const part of path) {
		if (isMap(node)) {
			const pair = node.items.find((item) => isPair(item) && String(item.key) === String(part));
			if (pair === undefined) return offset;
			offset = (pair.key as Node).range?.[0] ?? offset;
			node = pair.value;
		} else {
			const items: readonly unknown[] = (node as { items?: readonly unknown[] } | null)?.items ?? [];
			node = items[Number(part)];
			offset = (node as Node | undefined)?.range?.[0] ?? offset;
		}
	}
	return offset;
}

/** JSON is YAML, but a seed of a thousand organizations in JSON should not take YAML's time. */
function parseAsJson(text: string): unknown {
	if (!text.trimStart().startsWith("{")) return undefined;
	const read = readJson(text);
	return "value" in read ? read.value : undefined;
}

/**
 * The seed that `text` holds, checked. Throws a DocumentError with every problem, each with line and column; `file` is the
 * name that the problems carry.
 */
export function parseSeed(text: string, file: string): Seed {
	return parseChecked<Seed>(text, file, "the seed", findSeedMistakes);
}

/**
 * The rules that `text` holds, in the form of an organization's `rules` in a seed, checked. Throws a DocumentError like
 * parseSeed.
 */
export function parseRules(text: string, file: string): Rules {
	return parseChecked<Rules>(text, file, "the file of rules", findRulesMistakes);
}

/**
 * The offset at which a YAML text is nested too deep, or undefined. The parser keeps its own stack; what is built from its
 * tokens would use up the program's.
 */
function findTooDeep(text: string): number | undefined {
	const parser = new Parser();
	for (const lexeme of new Lexer().lex(text)) {
		const { offset } = parser;
		for (const _token of parser.next(lexeme));
		if (parser.stack.length > maxJsonDepth) return offset;
	}
	return undefined;
}

/** Returns what is wrong with the YAML without quoting the file: it can be a link to anything, such as a key. */
function syntaxWords({ message, code }: YAMLParseError): string {
	const isQuoting = /[:\\]|tag|directive|version/i.test(message);
	return isQuoting ? `this is not YAML (${code})` : message;
}

function parseChecked<T>(
	text: string,
	file: string,
	what: string,
	findMistakes: (value: unknown) => readonly SeedMistake[],
): T {
	const json = parseAsJson(text);
	if (json !== undefined && findMistakes(json).length === 0) return json as T;
	const lines = new LineCounter();
	const deepAt = findTooDeep(text);
	if (deepAt !== undefined) {
		const before = text.slice(0, deepAt).split("\n");
		const [line, column] = [before.length, (before.at(-1)?.length ?? 0) + 1];
		throw new DocumentError(
			[{ file, line, column, path: "", code: "too-deep", message: `a value is ${tooDeepMessage}` }],
			what,
		);
	}
	const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, prettyErrors: false });
	const problemAt = (offset: number, path: string, code: string, message: string): Problem => {
		const { line, col } = lines.linePos(offset);
		return { file, line: Math.max(line, 1), column: Math.max(col, 1), path, code, message };
	};
	if (document.errors.length > 0) {
		const problems = document.errors.map((error) => problemAt(error.pos[0], "", "syntax", syntaxWords(error)));
		throw new DocumentError(problems, what);
	}
	let value: unknown;
	try {
		value = document.toJS();
	} catch (error) {
		const [reason = ""] = (error instanceof Error ? error.message : String(error)).split(":");
		throw new DocumentError([problemAt(0, "", "syntax", reason)], what);
	}
	const mistakes = findMistakes(value);
	if (mistakes.length === 0) return value as T;
	throw new DocumentError(
		mistakes.map(({ path, code, message }) =>
			problemAt(offsetOf(document.contents, path), formatPath(path), code, message),
		),
		what,
	);
}
