/**
 * One command of an engine over a state: what a program registers is checked, compared and changed by its provider, one
 * resource at a time as in an engine, and what it no longer registers is deleted.
 *
 * Only what orgsync's tests need of an engine is here.
 */
import { isDeepStrictEqual } from "node:util";
import { hideSecrets } from "../../engine/stack-files.ts";
import { ignoringChanges, withNames } from "./decide.ts";
import type {
	DeploymentOptions,
	Diagnostic,
	Operation,
	Registered,
	Registration,
	StateResource,
	Step,
} from "./model.ts";
import { type EngineProvider, PartFailure } from "./providers.ts";
import { asStored, type Values } from "./values.ts";

/** A resource failed; the diagnostics say why. */
export class StepFailure extends Error {}

export class Deployment {
	readonly diagnostics: Diagnostic[] = [];
	readonly steps: Step[] = [];
	readonly #options: DeploymentOptions;
	readonly #state: Map<string, StateResource>;
	/** The URNs, old and new, that the program registered. */
	readonly #registered = new Set<string>();
	readonly #replaced: StateResource[] = [];
	readonly #oldInputs = new Map<string, Values>();
	readonly #ended = Promise.withResolvers<void>();
	#asking = 0;
	#turn = Promise.resolve();
	hasFailed = false;

	constructor(options: DeploymentOptions) {
		this.#options = options;
		this.#state = options.isPreview ? new Map(options.state) : options.state;
	}

	log(diagnostic: Diagnostic): void {
		this.diagnostics.push(diagnostic);
	}

	fail(message: string, urn: string): StepFailure {
		this.hasFailed = true;
		this.log({ severity: "error", message, urn });
		if (this.isEnded && this.#asking === 0) this.#ended.resolve();
		return new StepFailure(message);
	}

	/** Whether a program may register more. */
	get isEnded(): boolean {
		return this.hasFailed && !this.#options.continueOnError;
	}

	/** Resolves once a failure has ended the run, and no provider is asked any more: then nothing waits for the program. */
	get ended(): Promise<void> {
		return this.#ended.promise;
	}

	/** A resource without a provider: the stack, a component, a provider. */
	registerPlain(asked: Registration, id = ""): Registered {
		const old = this.#takeOld(asked);
		this.#keep(asked, { id, inputs: asked.inputs, outputs: old?.outputs ?? asked.inputs });
		const isSame = isDeepStrictEqual(old?.inputs, asStored(asked.inputs));
		this.#step(old === undefined ? "create" : isSame ? "same" : "update", asked.urn);
		return { id, outputs: asked.inputs };
	}

	/** The engine's own resource that remembers a value: a new one has a new id. */
	registerStash(asked: Registration): Registered {
		const old = this.#takeOld(asked);
		const isSame = JSON.stringify(old?.inputs) === JSON.stringify(asStored(asked.inputs));
		const id = isSame
			? (old?.id ?? "")
			: this.#options.isPreview
				? ""
				: `stash-${this.#registered.size}-${this.steps.length}`;
		this.#keep(asked, { id, outputs: asked.inputs });
		this.#step(old === undefined ? "create" : isSame ? "same" : "replace", asked.urn);
		return { id, outputs: asked.inputs };
	}

	registerOutputs(urn: string, outputs: Values): void {
		const known = this.#state.get(urn);
		if (known !== undefined) this.#state.set(urn, { ...known, outputs: asStored(outputs) });
	}

	/** A resource of a provider. Throws StepFailure. */
	async register(asked: Registration): Promise<Registered> {
		const change = await this.#inTurn(() => this.#decide(asked));
		return change();
	}

	/** An engine decides about one resource at a time, and none after a failure; it makes changes side by side. */
	async #inTurn<T>(decide: () => Promise<T>): Promise<T> {
		const before = this.#turn;
		const turn = Promise.withResolvers<void>();
		this.#turn = turn.promise;
		await before;
		try {
			if (this.isEnded) throw new StepFailure("the engine has ended");
			return await decide();
		} finally {
			turn.resolve();
		}
	}

	/** What becomes of a resource: checked, and compared with its state. */
	async #decide(asked: Registration): Promise<() => Registered | Promise<Registered>> {
		const old = this.#takeOld(asked);
		if (!this.#isTarget(asked.urn)) {
			if (old !== undefined) this.#state.set(asked.urn, { ...old, urn: asked.urn });
			return () => old ?? { id: "", outputs: asked.inputs };
		}
		const provider = await this.#options.providerOf(asked.provider, asked.type);
		if (provider === undefined) return () => this.#registerUnasked(asked, old);
		const given = ignoringChanges(asked, old);
		const { inputs, failures } = await this.#ask(asked.urn, () => provider.check(asked.urn, old?.inputs ?? {}, given));
		if (failures.length > 0) throw this.#refuse(asked, inputs, failures);
		const checked = { ...asked, inputs: asStored(inputs) };
		if (old === undefined) return () => this.#create(provider, checked);
		const diff = withNames(
			await this.#ask(asked.urn, () => provider.diff(asked.urn, old.id, old.outputs, checked.inputs, old.inputs)),
			old.inputs,
			checked.inputs,
		);
		const replaces = diff.changes ? diff.names.filter((name) => asked.replaceOnChanges.includes(name)) : [];
		if (diff.replaces.length > 0 || replaces.length > 0 || this.#options.replaces.includes(asked.urn)) {
			if (asked.deleteBeforeReplace) await this.#delete(old, false);
			else this.#replaced.push(old);
			return () => this.#create(provider, checked, "replace", diff.names);
		}
		if (diff.changes || old.initErrors.length > 0) return () => this.#update(provider, checked, old, diff.names);
		this.#keep(checked, { id: old.id, outputs: old.outputs });
		this.#step("same", asked.urn);
		return () => old;
	}

	/** A resource that is read by its id. Throws StepFailure. */
	async read(asked: Registration, id: string): Promise<Registered> {
		this.#takeOld(asked);
		const provider = await this.#options.providerOf(asked.provider, asked.type);
		if (provider === undefined) return { id, outputs: {} };
		const found = await this.#ask(asked.urn, () => provider.read(asked.urn, id, asked.inputs, asked.inputs));
		if (found === undefined) throw this.fail(`resource '${id}' does not exist`, asked.urn);
		this.#keep(asked, { id, outputs: asStored(found.outputs), external: true });
		this.#step("read", asked.urn);
		return { id, outputs: found.outputs };
	}

	/** Deletes what the program did not register, unless it failed. */
	async deleteRest(): Promise<void> {
		if (this.hasFailed) return;
		for (const old of this.#replaced.toReversed()) await this.#delete(old, false);
		const rest = [...this.#state.values()].filter(({ urn }) => !this.#registered.has(urn)).toReversed();
		for (const old of rest) if (this.#isTarget(old.urn)) await this.#delete(old, true);
	}

	/** Deletes everything, the last that was made first. */
	async destroy(): Promise<void> {
		for (const old of [...this.#state.values()].toReversed()) {
			if (this.isEnded) return;
			if (this.#isTarget(old.urn)) await this.#delete(old, true);
		}
	}

	/** Reads each resource again. */
	async refresh(): Promise<void> {
		for (const old of [...this.#state.values()]) {
			const provider = isOfProvider(old) ? await this.#options.providerOf(old.provider, old.type) : undefined;
			if (provider === undefined) {
				this.#step("same", old.urn);
				continue;
			}
			try {
				const found = await this.#ask(old.urn, () => provider.read(old.urn, old.id, old.outputs, old.inputs));
				if (found === undefined) this.#state.delete(old.urn);
				else {
					const outputs = asStored(found.outputs);
					const inputs = found.inputs === undefined ? old.inputs : asStored(found.inputs);
					this.#state.set(old.urn, { ...old, outputs, inputs, initErrors: [] });
				}
				const isSame = isDeepStrictEqual(this.#state.get(old.urn)?.outputs, old.outputs);
				this.#oldInputs.set(old.urn, old.inputs);
				this.#step(found === undefined ? "delete" : isSame ? "same" : "update", old.urn);
			} catch (error) {
				if (!(error instanceof StepFailure)) throw error;
			}
		}
	}

	/** The state with which the command ends. */
	get state(): ReadonlyMap<string, StateResource> {
		return this.#state;
	}

	#isTarget(urn: string): boolean {
		return this.#options.targets.length === 0 || this.#options.targets.includes(urn);
	}

	#takeOld(asked: Registration): StateResource | undefined {
		if (this.#registered.has(asked.urn)) throw this.fail(`Duplicate resource URN '${asked.urn}'`, asked.urn);
		this.#registered.add(asked.urn);
		const urn = [asked.urn, ...asked.aliases].find((one) => this.#state.has(one));
		const old = urn === undefined ? undefined : this.#state.get(urn);
		if (urn !== undefined && urn !== asked.urn) this.#state.delete(urn);
		if (old !== undefined) this.#oldInputs.set(asked.urn, old.inputs);
		return old;
	}

	/** What a preview knows of a resource whose provider is not configured yet. */
	#registerUnasked(asked: Registration, old: StateResource | undefined): Registered {
		this.#keep(asked, { id: old?.id ?? "", outputs: asked.inputs });
		this.#step(old === undefined ? "create" : "update", asked.urn);
		return { id: old?.id ?? "", outputs: asked.inputs };
	}

	async #create(
		provider: EngineProvider,
		asked: Registration,
		operation: "create" | "replace" = "create",
		names: readonly string[] = [],
	): Promise<Registered> {
		const { isPreview } = this.#options;
		if (isPreview && !provider.supportsPreview) {
			this.#keep(asked, { id: "", outputs: asked.inputs });
			this.#step(operation, asked.urn, names);
			return { id: "", outputs: asked.inputs };
		}
		return this.#change(asked, operation, names, "", async () => {
			const { id, outputs } = await provider.create(asked.urn, asked.inputs, isPreview);
			return { id: isPreview ? "" : id, outputs };
		});
	}

	#update(
		provider: EngineProvider,
		asked: Registration,
		old: StateResource,
		names: readonly string[],
	): Promise<Registered> {
		const { isPreview } = this.#options;
		return this.#change(asked, "update", names, old.id, async () => {
			if (isPreview && !provider.supportsPreview) return { id: old.id, outputs: asked.inputs };
			return { id: old.id, outputs: await provider.update(asked.urn, old.id, old.outputs, asked.inputs, isPreview) };
		});
	}

	/** A create or an update; what failed in part is in the state with its errors. */
	async #change(
		asked: Registration,
		operation: Operation,
		names: readonly string[],
		id: string,
		work: () => Promise<Registered>,
	): Promise<Registered> {
		try {
			const { id: made, outputs } = await this.asking(work);
			this.#keep(asked, { id: made, outputs: asStored(outputs) });
			this.#step(operation, asked.urn, names);
			return { id: made, outputs };
		} catch (error) {
			const message = error instanceof Error ? error.message : String(error);
			if (error instanceof PartFailure) {
				this.#keep(asked, { id: error.id || id, outputs: asStored(error.properties), initErrors: [message] });
			}
			throw this.fail(message, asked.urn);
		}
	}

	async #delete(old: StateResource, isOfState: boolean): Promise<void> {
		if (old.protect) {
			this.fail("resource cannot be deleted, because it is protected", old.urn);
			return;
		}
		const provider = isOfProvider(old) ? await this.#options.providerOf(old.provider, old.type) : undefined;
		const asks = provider !== undefined && !this.#options.isPreview && !old.retainOnDelete && !old.external;
		try {
			if (asks) await this.#ask(old.urn, () => provider.delete(old.urn, old.id, old.outputs));
		} catch (error) {
			if (error instanceof StepFailure) return;
			throw error;
		}
		if (!isOfState) return;
		this.#state.delete(old.urn);
		this.#step("delete", old.urn);
	}

	async #ask<T>(urn: string, work: () => Promise<T>): Promise<T> {
		try {
			return await this.asking(work);
		} catch (error) {
			if (error instanceof StepFailure) throw error;
			throw this.fail(error instanceof Error ? error.message : String(error), urn);
		}
	}

	/** A question to a provider, whose end the engine awaits after a failure too. */
	async asking<T>(work: () => Promise<T>): Promise<T> {
		this.#asking += 1;
		try {
			return await work();
		} finally {
			this.#asking -= 1;
			if (this.isEnded && this.#asking === 0) this.#ended.resolve();
		}
	}

	#refuse(
		{ urn, type, name }: Registration,
		inputs: Values,
		failures: readonly { readonly property: string; readonly reason: string }[],
	): StepFailure {
		const [first, ...rest] = failures.map(({ property, reason }) => {
			const value =
				property === "" ? "" : `: property ${property} value {${JSON.stringify(hideSecrets(inputs[property]))}}`;
			return `${type} resource '${name}'${value} has a problem: ${reason}`;
		});
		for (const message of rest) this.fail(message, urn);
		return this.fail(first ?? "", urn);
	}

	#keep(
		{ urn, type, custom, inputs, parent, provider, retainOnDelete, protect }: Registration,
		more: Partial<StateResource>,
	): void {
		const stored = { id: "", outputs: {}, external: false, initErrors: [], ...more };
		this.#state.set(urn, {
			urn,
			type,
			custom,
			inputs: asStored(inputs),
			parent,
			provider,
			retainOnDelete,
			protect,
			...stored,
		});
	}

	#step(operation: Operation, urn: string, names: readonly string[] = []): void {
		const inputs = { old: this.#oldInputs.get(urn) ?? {}, new: this.#state.get(urn)?.inputs ?? {} };
		this.steps.push({ operation, urn, names, inputs });
	}
}

/** Whether a provider serves it: neither a component nor a provider. */
function isOfProvider({ custom, type }: Pick<StateResource, "custom" | "type">): boolean {
	return custom && !type.startsWith("pulumi:providers:") && !type.startsWith("pulumi:index:");
}
