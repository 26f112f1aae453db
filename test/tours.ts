/** The pages whose commands the tests run. */
import type { Scene } from "./transcript.ts";

/** Markdown files whose commands are run, and the folder that a reader is in at first. */
export const tours = [
	["README.md", "."],
	["examples/quickstart/README.md", "examples/quickstart"],
	["examples/team/README.md", "."],
	["docs/document.md", "."],
	["docs/commands.md", "."],
	["docs/output.md", "."],
	["docs/saved-plans.md", "."],
	["docs/drift.md", "."],
	["docs/exactly-once.md", "."],
	["docs/approve.md", "."],
	["docs/guards.md", "."],
	["docs/access.md", "."],
	["docs/powers.md", "."],
	["docs/testing.md", "."],
	["docs/credentials.md", "."],
	["docs/policies-as-code.md", "."],
	["docs/lint.md", "."],
] as const;

/** Whether the command is npm's, for someone who has cloned the project. */
export const isForTheClone = ({ block, command }: Scene): boolean => block === "sh" && command.startsWith("npm ");
