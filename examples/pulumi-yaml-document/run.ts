/**
 * The example as a story: `node examples/pulumi-yaml-document/run.ts`. It runs the real engine on the embedded service, in
 * a copy that it removes again, and goes from the command line to Pulumi and back.
 */
import { playInCopy } from "../pulumi-stage.ts";

const say = (text: string): boolean => process.stdout.write(`\n# ${text}\n`);

process.exitCode = await playInCopy(new URL(".", import.meta.url), async ({ pulumi, orgsync }) => {
	say("The command line brings the tags in sync; the document is the same for both.");
	if (await orgsync("apply", "--only", "userTag", "--yes", "--quiet")) return 1;
	if (await pulumi("stack", "init", "local")) return 1;
	say("Pulumi adopts the tags, and submits the other three activities.");
	if (await pulumi("up", "--yes", "--skip-preview")) return 1;
	say("And again: no changes.");
	if (await pulumi("preview", "--expect-no-changes")) return 1;
	say("Back to the command line: it has nothing to do either.");
	if (await orgsync("drift")) return 1;
	say("Destroy the stack: nothing is submitted, the organization stays as it is.");
	if (await pulumi("destroy", "--yes", "--skip-preview")) return 1;
	return orgsync("drift");
});
