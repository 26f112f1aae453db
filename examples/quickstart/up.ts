/**
 * The quickstart with Pulumi: `npm run up`. The program of Pulumi.yaml applies the quickstart's document to the embedded
 * service, with the real engine; service and state are kept in `.orgsync`. Run it again: nothing to do.
 */
import { playIn, root } from "../pulumi-stage.ts";

process.exitCode = await playIn(
	root,
	async ({ pulumi }) =>
		(await pulumi("stack", "select", "--create", "local")) ||
		(await pulumi("up", "--yes", "--skip-preview", "--stack", "local")),
);
