/**
 * What Pulumi's dynamic provider process loads: one provider a resource, each a few lines over what the other files decide.
 * The engine finds them by the constant text in resources.ts, so these names never change.
 *
 * Traps that are met here: `configure` is called once for each provider and is not awaited by the engine, so that every
 * method awaits it; the process serves all resources of a phase, so that they share one session.
 */
import { fstatSync } from "node:fs";
import type { dynamic } from "@pulumi/pulumi";
import { sameValue } from "../plan/value.ts";
import { openClaimsFolder } from "./claims.ts";
import { explain, isRepetition, ResourceFailure } from "./failure.ts";
import type { CheckFailure, MetaInputs, Properties } from "./inputs.ts";
import type { KeptActivity } from "./kept-read.ts";
import { engineAddress, ownSurroundings } from "./process.ts";
import { findProjectFolder } from "./project-folder.ts";
import {
	checkRemoval,
	convergeRemoval,
	diffRemoval,
	oauthProviders,
	policies,
	type RemovalInputs,
	type RemovalOutputs,
	type RemovalRow,
	readRemoval,
	tvcApps,
} from "./removals.ts";
import { inputInId, namesOfSecrets, SecretValues, seal, sealId } from "./secrets.ts";
import { Session } from "./session.ts";
import { configurationNamespace, type GivenSettings, readSettings, secretSettings, settingNames } from "./settings.ts";
import { type Checked, checkTag, convergeTag, diffTag } from "./user-tag.ts";
import { deleteTag } from "./user-tag-delete.ts";
import type { TagInputs, TagOutputs } from "./user-tag-inputs.ts";
import { isLookUp, lookUpTag, readTag, type TagRead } from "./user-tag-read.ts";

const sessions = new Map<string, Session>();
const interruption = new AbortController();
/** Calls under way that may submit something. */
let underWay = 0;

/**
 * The engine ends this process by SIGINT and waits five seconds for it, after every command. What is under way is finished,
 * so that its outcome reaches the state; then the process ends, also when no engine is left to end it.
 */
function endWhenDone(): void {
	interruption.abort();
	if (underWay === 0) process.exit(130);
}

/** How long an answer has to leave the process after an interruption. */
const farewellMs = 1000;

/** What `work` gives; it is not cut short by an interruption. */
async function uninterrupted<T>(work: () => Promise<T>): Promise<T> {
	underWay += 1;
	try {
		return await work();
	} finally {
		underWay -= 1;
		if (interruption.signal.aborted) setTimeout(endWhenDone, farewellMs);
	}
}

/** Keeps the dynamic provider from printing, under the stack, what the engine shows beside each resource that failed. */
function printOnce(): void {
	const print = console.error;
	console.error = (...words: unknown[]) => {
		if (!isRepetition(words[0])) print(...words);
	};
}

/** Secret values of all resources of this process, which nothing that is printed may show. */
const hidden = new SecretValues();

/** The session for these settings; one a process, because the engine starts a process for each Pulumi provider. */
function sessionFor(given: GivenSettings): Session {
	const key = JSON.stringify(given);
	const known = sessions.get(key);
	if (known !== undefined) return known;
	if (sessions.size === 0) watchEngine();
	const session = new Session(readSettings(given, process.env), {
		...ownSurroundings(),
		claimsFolder,
		warn: (line) => console.log(hidden.redact(line)),
		signal: interruption.signal,
	});
	sessions.set(key, session);
	return session;
}

const engine = engineAddress();
const claimsFolder = engine === undefined ? undefined : openClaimsFolder(engine, findProjectFolder(process.cwd()));

/**
 * Ends this process with its engine: at its signal, and when it is gone. The engine holds the other end of our standard
 * input and writes nothing to it, so that it ends when the engine was killed.
 */
function watchEngine(): void {
	process.on("SIGINT", endWhenDone);
	process.on("exit", () => claimsFolder?.close());
	if (engine === undefined || !isPipe(0)) return;
	process.stdin.on("end", endWhenDone).on("error", endWhenDone).resume();
}

function isPipe(descriptor: number): boolean {
	try {
		return fstatSync(descriptor).isFIFO();
	} catch {
		return false;
	}
}

function readGiven(config: dynamic.Config): GivenSettings {
	const textOf = (name: string): string | undefined => {
		const value = config.get(`${configurationNamespace}:${name}`);
		return typeof value === "string" && value !== "" ? value : undefined;
	};
	const given = Object.fromEntries(
		settingNames.flatMap((name) => {
			const value = textOf(name);
			return value === undefined ? [] : [[name, value] as const];
		}),
	);
	const secrets = textOf(secretSettings)?.split(" ") ?? [];
	hidden.add(settingNames.flatMap((name) => (secrets.includes(name) ? (given[name] ?? []) : [])));
	return given;
}

/** Outputs may keep activities; until they have ended the resource is not what its inputs say. */
interface Waiting {
	readonly activities?: readonly KeptActivity[];
}

interface Methods<Inputs, Outputs extends Inputs & Waiting> {
	check(olds: Partial<Inputs>, news: Partial<Inputs>, session: Session): Promise<Checked>;
	diff(olds: Outputs, news: Partial<Inputs>): { changes: boolean; replaces: string[] };
	converge(
		inputs: Inputs,
		olds: Outputs | undefined,
		session: Session,
	): Promise<{ readonly id: string; readonly outs: Outputs }>;
	read(id: string, props: Outputs, session: Session): Promise<TagRead>;
	/** Returns a line for the output, or undefined. */
	remove?(props: Outputs, session: Session): Promise<string | undefined>;
}

function makeProvider<Inputs extends MetaInputs, Outputs extends Inputs & Waiting>(
	methods: Methods<Inputs, Outputs>,
): () => dynamic.ResourceProvider {
	return () => {
		let given: GivenSettings = {};
		const configured = Promise.withResolvers<void>();
		const sessionOf = async (properties: object): Promise<Session> => {
			await configured.promise;
			const session = sessionFor(given);
			// The default organization is in no property yet.
			const { organizationId } = session.settings;
			if (namesOfSecrets(properties).includes("organizationId")) hidden.add(organizationId ? [organizationId] : []);
			return session;
		};
		return {
			async configure({ config }) {
				given = readGiven(config);
				configured.resolve();
			},
			async check(olds, news) {
				try {
					const [was, is] = [read<Partial<Inputs>>(olds ?? {}), read<Partial<Inputs>>(news)];
					const { inputs, failures, say } = await methods.check(was, is, await sessionOf(is));
					if (say !== undefined) console.log(hidden.redact(say));
					// What is about to be created cannot be out of sync.
					const isCreated = Object.keys(was).length === 0;
					const checked = isCreated ? stateOf(inputs) : seal(inputs);
					return { inputs: checked, failures: failures.map((failure) => hideFailure(failure, is)) };
				} catch (error) {
					return { inputs: news, failures: [{ property: "", reason: hide(error).message }] };
				}
			},
			diff: async (id, olds, news) => diff(methods, id, read(olds), read(news)),
			create: (inputs) =>
				converging(inputs, async () => {
					const { id, outs } = await methods.converge(read(inputs), undefined, await sessionOf(inputs));
					return { id: sealId(id, outs), outs: stateOf(outs) };
				}),
			update: (_id, olds, news) =>
				converging(news, async () => {
					const { outs } = await methods.converge(read(news), read(olds), await sessionOf(news));
					return { outs: stateOf(outs) };
				}),
			read: (id, props) =>
				withoutSecrets(async () => {
					const { props: seen, inputs, ...found } = await methods.read(id, read(props), await sessionOf(props));
					const sealed = { ...(seen && { props: seal(seen) }), ...(inputs && { inputs: seal(inputs) }) };
					return { ...found, ...sealed } as dynamic.ReadResult;
				}),
			delete: (_id, props) =>
				uninterrupted(() =>
					withoutSecrets(async () => {
						const said = await methods.remove?.(read(props), await sessionOf(props));
						if (said !== undefined) console.log(hidden.redact(said));
					}),
				),
		};
	};
}

/** The failure without secrets. Of a property that it names the engine prints the value, so it names none that is secret. */
function hideFailure({ property, reason }: CheckFailure, inputs: object): CheckFailure {
	const text = hidden.redact(reason);
	return namesOfSecrets(inputs).includes(property)
		? { property: "", reason: `${property}: ${text}` }
		: { property, reason: text };
}

/** What a state keeps of outputs: that live state differed was true before the update, and is no property of it. */
function stateOf(outputs: object): Record<string, unknown> {
	const { outOfSync: _outOfSync, ...kept } = outputs as Properties;
	return seal(kept);
}

/** What differs; besides what the resource finds, what concerns every resource. */
function diff<Inputs extends MetaInputs, Outputs extends Inputs & Waiting>(
	methods: Pick<Methods<Inputs, Outputs>, "diff">,
	id: string,
	olds: Outputs,
	news: Partial<Inputs>,
): dynamic.DiffResult {
	const { changes, replaces } = methods.diff(olds, news);
	// Ids are kept in plain text and never change: a secret in one asks for a resource with another.
	const exposed = inputInId(id, news);
	const sealedOtherwise = !sameValue(namesOfSecrets(olds), namesOfSecrets(news));
	const isDue = hasWaiting(olds) || news.outOfSync === true || sealedOtherwise || exposed !== undefined;
	return { changes: changes || isDue, replaces: exposed === undefined ? replaces : [...replaces, exposed] };
}

/**
 * What `work` gives, which may submit. The state that an error of it keeps has to name the provider as well, or nothing
 * finds it again.
 */
function converging<T>({ __provider }: Properties, work: () => Promise<T>): Promise<T> {
	return uninterrupted(() => withoutSecrets(work, { __provider }));
}

/** What `work` gives; what it throws shows no secret, in its message and in the state that it keeps. */
async function withoutSecrets<T>(work: () => Promise<T>, more: Properties = {}): Promise<T> {
	try {
		return await work();
	} catch (error) {
		throw hide(error, more);
	}
}

/** The error as one that the engine shows, without secrets. One that is not thrown on purpose is thrown. */
function hide(error: unknown, more: Properties = {}): ResourceFailure {
	const failure = error instanceof ResourceFailure ? error : new ResourceFailure(explainHidden(error));
	return failure.with(hidden.redact(failure.message), (id, properties) => ({
		id: sealId(id, properties),
		properties: { ...stateOf(properties), ...more },
	}));
}

function explainHidden(error: unknown): string {
	try {
		return explain(error);
	} catch (unexpected) {
		if (unexpected instanceof Error) {
			unexpected.message = hidden.redact(unexpected.message);
			unexpected.stack = hidden.redact(unexpected.stack ?? "");
		}
		throw unexpected;
	}
}

/** A refresh forgets that a resource failed; what its state keeps has to be settled all the same. */
function hasWaiting({ activities }: Waiting): boolean {
	return Array.isArray(activities) && activities.length > 0;
}

/** The properties without Pulumi's own, which it puts back itself. What is secret in them is hidden from now on. */
function read<T>(properties: Properties): T {
	const { __provider: _provider, ...rest } = properties;
	hidden.addFrom(rest);
	return rest as T;
}

function removal(row: RemovalRow): () => dynamic.ResourceProvider {
	return makeProvider<RemovalInputs, RemovalOutputs>({
		check: (olds, news, session) => checkRemoval(row, olds, news, session),
		diff: (olds, news) => diffRemoval(row, olds, news),
		converge: (inputs, olds, session) => convergeRemoval(row, inputs, olds, session),
		read: (id, props, session) => readRemoval(row, id, props, session),
	});
}

printOnce();

export const userTag = makeProvider<TagInputs, TagOutputs>({
	check: checkTag,
	diff: diffTag,
	converge: convergeTag,
	read: (id, props, session) => (isLookUp(props) ? lookUpTag(id, props, session) : readTag(id, props, session)),
	remove: deleteTag,
});

export const oauthProviderRemoval = removal(oauthProviders);
export const policyRemoval = removal(policies);
export const tvcAppRemoval = removal(tvcApps);
