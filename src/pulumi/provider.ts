/**
 * What Pulumi's dynamic provider process loads: one provider a resource, each a few lines over what the other files decide.
 * The engine finds them by the constant text in resources.ts, so these names never change.
 *
 * Traps that are met here: `configure` is called once for each provider and is not awaited by the engine, so that every
 * method awaits it; the process serves all resources of a phase, so that they share one session.
 */
import type { dynamic } from "@pulumi/pulumi";
import { explain, isRepetition, ResourceFailure } from "./failure.ts";
import type { Properties } from "./inputs.ts";
import type { KeptActivity } from "./kept-read.ts";
import { ownSurroundings } from "./process.ts";
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
import { Session } from "./session.ts";
import { configurationNamespace, type GivenSettings, readSettings, settingNames } from "./settings.ts";
import { checkTag, convergeTag, deleteTag, diffTag, readTag, type TagInputs, type TagOutputs } from "./user-tag.ts";

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

/** The session for these settings; one a process, because the engine starts a process for each Pulumi provider. */
function sessionFor(given: GivenSettings): Session {
	const key = JSON.stringify(given);
	const known = sessions.get(key);
	if (known !== undefined) return known;
	const session = new Session(readSettings(given, process.env), {
		...ownSurroundings(),
		say: (line) => console.log(line),
		signal: interruption.signal,
	});
	if (sessions.size === 0) process.on("SIGINT", endWhenDone);
	sessions.set(key, session);
	return session;
}

function readGiven(config: dynamic.Config): GivenSettings {
	return Object.fromEntries(
		settingNames.flatMap((name) => {
			const value = config.get(`${configurationNamespace}:${name}`);
			return typeof value === "string" && value !== "" ? [[name, value] as const] : [];
		}),
	);
}

/** Outputs may keep activities; until they have ended the resource is not what its inputs say. */
interface Waiting {
	readonly activities?: readonly KeptActivity[];
}

interface Methods<Inputs, Outputs extends Inputs & Waiting> {
	check(
		olds: Partial<Inputs>,
		news: Partial<Inputs>,
		session: Session,
	): Promise<{ inputs: Properties; failures: readonly dynamic.CheckFailure[] }>;
	diff(id: string, olds: Outputs, news: Partial<Inputs>): { changes: boolean; replaces: string[] };
	converge(
		inputs: Inputs,
		olds: Outputs | undefined,
		session: Session,
	): Promise<{ readonly id: string; readonly outs: Outputs }>;
	read(id: string, props: Outputs, session: Session): Promise<dynamic.ReadResult>;
	remove?(id: string, props: Outputs, session: Session): Promise<void>;
}

function makeProvider<Inputs, Outputs extends Inputs & Waiting>(
	methods: Methods<Inputs, Outputs>,
): () => dynamic.ResourceProvider {
	return () => {
		let given: GivenSettings = {};
		const configured = Promise.withResolvers<void>();
		const session = async (): Promise<Session> => {
			await configured.promise;
			return orExplain(() => sessionFor(given));
		};
		return {
			async configure({ config }) {
				given = readGiven(config);
				configured.resolve();
			},
			async check(olds, news) {
				try {
					const { inputs, failures } = await methods.check(plain(olds ?? {}), plain(news), await session());
					return { inputs: { ...inputs }, failures: [...failures] };
				} catch (error) {
					return {
						inputs: news,
						failures: [{ property: "", reason: error instanceof ResourceFailure ? error.message : explain(error) }],
					};
				}
			},
			async diff(id, olds, news) {
				const { changes, replaces } = methods.diff(id, plain(olds), plain(news));
				return { changes: changes || hasWaiting(olds), replaces };
			},
			create: async (inputs) =>
				uninterrupted(() =>
					withProvider(inputs, async () => methods.converge(plain(inputs), undefined, await session())),
				),
			async update(_id, olds, news) {
				const converge = async () => methods.converge(plain(news), plain(olds), await session());
				return { outs: (await uninterrupted(() => withProvider(news, converge))).outs };
			},
			read: async (id, props) => orExplain(async () => methods.read(id, plain(props), await session())),
			async delete(id, props) {
				const { remove } = methods;
				if (remove !== undefined) await uninterrupted(async () => remove(id, plain(props), await session()));
			},
		};
	};
}

/** What `work` gives; what it throws on purpose, without a stack. */
function orExplain<T>(work: () => T): T {
	const fail = (error: unknown): never => {
		throw error instanceof ResourceFailure ? error : new ResourceFailure(explain(error));
	};
	try {
		const value = work();
		return value instanceof Promise ? (value.catch(fail) as T) : value;
	} catch (error) {
		return fail(error);
	}
}

/** What `work` gives; the state that an error of it keeps has to name the provider as well, or nothing finds it again. */
async function withProvider<T>({ __provider }: Properties, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		throw error instanceof ResourceFailure ? error.with({ __provider }) : error;
	}
}

/** A refresh forgets that a resource failed; what its state keeps has to be settled all the same. */
function hasWaiting({ activities }: Waiting): boolean {
	return activities !== undefined && activities.length > 0;
}

/** The properties without Pulumi's own, which it puts back itself. */
function plain<T>(properties: Properties): T {
	const { __provider: _provider, ...rest } = properties;
	return rest as T;
}

function removal(row: RemovalRow): () => dynamic.ResourceProvider {
	return makeProvider<RemovalInputs, RemovalOutputs>({
		check: (olds, news, session) => checkRemoval(row, olds, news, session),
		diff: (_id, olds, news) => diffRemoval(row, olds, news),
		converge: (inputs, olds, session) => convergeRemoval(row, inputs, olds, session),
		read: (id, props, session) => readRemoval(row, id, props, session) as Promise<dynamic.ReadResult>,
	});
}

printOnce();

export const userTag = makeProvider<TagInputs, TagOutputs>({
	check: checkTag,
	diff: diffTag,
	converge: convergeTag,
	read: (id, props, session) => readTag(id, props, session) as Promise<dynamic.ReadResult>,
	remove: deleteTag,
});

export const oauthProviderRemoval = removal(oauthProviders);
export const policyRemoval = removal(policies);
export const tvcAppRemoval = removal(tvcApps);
