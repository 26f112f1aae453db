/** The TypeScript program that `orgsync export` writes fits the types of the committed SDK. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";
import { exportProgram } from "../../src/document/export/export-program.ts";
import { id, known, liveOf, liveTag } from "../plan/support-organizations.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The compiler's messages about a program of this text, in the folder of the repository. */
function compile(text: string): readonly string[] {
	const file = join(root, "exported-index.ts");
	const options: ts.CompilerOptions = {
		module: ts.ModuleKind.NodeNext,
		moduleResolution: ts.ModuleResolutionKind.NodeNext,
		target: ts.ScriptTarget.ES2022,
		types: ["node"],
		strict: true,
		noEmit: true,
		skipLibCheck: true,
		paths: { "@orgsync/pulumi": [join(root, "sdk/nodejs/index.ts")] },
	};
	const host = ts.createCompilerHost(options);
	const { getSourceFile, fileExists, readFile } = host;
	host.fileExists = (name) => name === file || fileExists.call(host, name);
	host.readFile = (name) => (name === file ? text : readFile.call(host, name));
	host.getSourceFile = (name, ...rest) =>
		name === file
			? ts.createSourceFile(name, text, ...(rest as [ts.ScriptTarget]))
			: getSourceFile.call(host, name, ...rest);
	const program = ts.createProgram([file], options, host);
	const source = program.getSourceFile(file);
	return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
		({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"),
	);
}

it("the exported TypeScript program fits the types of the SDK, removals in comments included", {
	timeout: 60_000,
}, () => {
	const live = liveOf({
		userTags: known([liveTag(1, '${x} */ `y` "\\', { members: known([id("user", 1)]) }), liveTag(2, "auditors")]),
		policies: known([{ id: id("policy", 1), name: "a\n*/" }]),
		oauthProviders: known([{ userId: id("user", 1), id: id("provider", 1), name: "" }]),
		tvcApps: known([{ id: id("app", 1), name: "signer" }]),
	});
	const users = known([{ id: id("user", 1), name: "alice */\n// bob" }]);
	const { text } = exportProgram({ live, users, sessionProfilesKnown: known(null) }, "pulumi-typescript");
	const opened = text.replaceAll(/^\/\/(?=new |\t|\}\);)/gm, "");
	expect(opened.match(/^new orgsync\./gm)).toHaveLength(5);
	// One mistake shows that the compiler looks at all of it.
	const wrong = 'new orgsync.TvcAppRemoval("wrong", { organizationId, app: "" });';
	expect(compile(`${opened}${wrong}`)).toEqual([
		expect.stringContaining("'app' does not exist in type 'TvcAppRemovalArgs'"),
	]);
});
