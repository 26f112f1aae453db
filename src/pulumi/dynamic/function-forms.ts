/** The two forms of a function: of plain values, which returns a promise, and of outputs. */
import * as pulumi from "@pulumi/pulumi";
import { defined } from "../../common/defined.ts";
import type { Properties } from "../inputs/inputs.ts";
import { SecretValues } from "../inputs/secrets.ts";
import { ResourceFailure } from "../resources/failure.ts";
import type { Session } from "../session/session.ts";
import type { GivenSettings } from "../settings/settings.ts";
import { isMocked, programError, programSession } from "./configuration.ts";
import { knownSettings, type Provider } from "./provider-resource.ts";

export interface FunctionOptions {
	/** The Provider with address, key and organization; defaults to the stack configuration. */
	readonly provider?: Provider;
}

/** The arguments, each of them a value or an output. */
export type Outputs<Args> = { readonly [Name in keyof Args]: pulumi.Input<NonNullable<Args[Name]>> };

type Parameters<Args extends object> =
	Record<never, never> extends Args
		? [args?: Args, options?: FunctionOptions]
		: [args: Args, options?: FunctionOptions];

/** What a function does. */
export interface Work<Args extends object, Answer> {
	/** Its name, by which mocks know it. */
	readonly name: string;
	/** How its errors begin. */
	readonly label: string;
	/** Throws ResourceFailure, and errors of the program. */
	run(args: Args, session: Session): Promise<Answer>;
	/** What mocks have to return, for example `{ inSync: … }`. */
	readonly mockedShape: string;
	/** The answer in what mocks return; undefined if it is not there. */
	readMocked(result: Properties): Answer | undefined;
}

/** The function of plain values, and the function of outputs. */
export function makeForms<Args extends object, Answer>(work: Work<Args, Answer>) {
	return [makeFunction(work), makeOutputFunction(work)] as const;
}

/** The function of plain values. Rejects while the Provider's arguments are unknown, as in a preview. */
function makeFunction<Args extends object, Answer>(work: Work<Args, Answer>) {
	return async (...[args = {} as Args, options]: Parameters<Args>): Promise<Answer> => {
		const provider = isMocked() ? undefined : options?.provider;
		if (provider === undefined) return call(work, args, undefined);
		const settings = await knownSettings(provider);
		if (settings !== undefined) return call(work, args, settings);
		throw programError(`${work.label}: the Provider's arguments are not known yet: use the …Output function`);
	};
}

/** The function of outputs. The result is unknown while an argument is. */
function makeOutputFunction<Args extends object, Answer>(work: Work<Args, Answer>) {
	return (...[args = {} as Outputs<Args>, options]: Parameters<Outputs<Args>>): pulumi.Output<Answer> =>
		pulumi
			// The settings hold a secret key, which does not make the answer a secret.
			.all([pulumi.output(args), pulumi.unsecret(pulumi.output(options?.provider?.settings))])
			.apply(([known, settings]) =>
				hideArguments(args, () => call(work, known as unknown as Args, settings), known as object),
			) as pulumi.Output<Answer>;
}

async function call<Args extends object, Answer>(
	work: Work<Args, Answer>,
	args: Args,
	given: GivenSettings | undefined,
): Promise<Answer> {
	if (isMocked()) return callMocks(work, args);
	try {
		return await work.run(args, programSession(given));
	} catch (error) {
		throw error instanceof ResourceFailure ? programError(error.message) : error;
	}
}

async function callMocks<Args extends object, Answer>(work: Work<Args, Answer>, args: Args): Promise<Answer> {
	const { name, label, mockedShape } = work;
	const token = `orgsync:index:${name}`;
	const answer = work.readMocked((await pulumi.runtime.invoke(token, defined(args))) ?? {});
	if (answer !== undefined) return answer;
	throw programError(`${label}: the mocks return nothing for it: return ${mockedShape} for ${token}`);
}

/** Returns the result of `work`. If the arguments are secret, its error shows none of their values. */
async function hideArguments<Answer>(args: object, work: () => Promise<Answer>, known: object): Promise<Answer> {
	try {
		return await work();
	} catch (error) {
		if (!pulumi.RunError.isInstance(error) || !(await pulumi.isSecret(pulumi.output(args)))) throw error;
		const hidden = new SecretValues();
		hidden.addFrom({ ...known, secretInputs: Object.keys(known) });
		throw programError(hidden.redact(error.message));
	}
}
