/**
 * The example as a story: `node examples/pulumi-node/run.ts`. It runs the real engine on the local emulator, in a
 * copy that it removes again.
 */
import { playInCopy } from "../pulumi-stage.ts";

const say = (text: string): boolean => process.stdout.write(`\n# ${text}\n`);

process.exitCode = await playInCopy(new URL(".", import.meta.url), async ({ pulumi, orgsync, node }) => {
	say("Test the program alone: no engine, no service.");
	if (await node("--test")) return 1;
	if (await pulumi("stack", "init", "local")) return 1;
	say("What would have to change? A preview submits nothing.");
	if (await pulumi("preview", "--diff")) return 1;
	say("Bring it in sync: five activities, each submitted once.");
	if (await pulumi("up", "--yes", "--skip-preview")) return 1;
	say("And again: no changes.");
	if (await pulumi("preview", "--expect-no-changes")) return 1;
	say("Outside Pulumi, someone renames a tag and removes bob from it.");
	const somebodyElse = ["--yes", "--quiet", "--journal", ".orgsync/someone-else.sqlite"];
	if (await orgsync("apply", "-f", "someone-else.yaml", ...somebodyElse)) return 1;
	say("A scheduled job would notice: exit code 7.");
	if ((await pulumi("preview", "--refresh", "--expect-no-changes")) !== 7) return 1;
	say("Bring it back in sync: one activity for both.");
	if (await pulumi("up", "--yes", "--skip-preview", "--refresh")) return 1;
	say("Take it down: only what `onDestroy` says is submitted, the tags stay.");
	return pulumi("destroy", "--yes", "--skip-preview");
});
