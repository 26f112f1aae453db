/**
 * `pulumi up` of a thousand tags over twenty organizations on the real engine, against the same program with a provider
 * that does nothing: what orgsync adds to what Pulumi costs anyway.
 */
import { nodeProject, startManyTags } from "./many-tags.ts";
import { type Measured, median } from "./run.ts";

const rounds = 3;

/** A provider that keeps its inputs and sends no request. */
const nothing = `export const providerOf = () => ({
	check: async (_olds, inputs) => ({ inputs: { ...inputs, onDestroy: "keep", tagId: inputs.resource } }),
	diff: async () => ({ changes: false }),
	create: async (inputs) => ({ id: inputs.tagId, outs: inputs }),
});`;

export async function benchPulumi(): Promise<Measured> {
	const tags = await startManyTags();
	try {
		const times = { orgsync: [] as number[], nothing: [] as number[] };
		for (let round = 0; round < rounds; round += 1) {
			for (const name of ["nothing", "orgsync"] as const) {
				const stack = await tags.addStack(nodeProject, name === "nothing" ? { provider: nothing } : {});
				times[name].push(await stack.run("up", "--yes", "--skip-preview", "--suppress-progress"));
			}
		}
		const [ours, bare] = [median(times.orgsync), median(times.nothing)];
		return {
			what: "pulumi up of 1,000 tags in 20 organizations, against a provider that does nothing",
			measured: `${(ours / bare).toFixed(2)} times (${(ours / 1000).toFixed(1)} s to ${(bare / 1000).toFixed(1)} s)`,
			aim: "at most 1.2 times",
		};
	} finally {
		tags.close();
	}
}
