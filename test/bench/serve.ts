/** A server in a process of its own, so that its work is not counted as ours. */
import { type ChildProcess, spawn } from "node:child_process";
import { availableParallelism } from "node:os";

/** The process and the address in the line of JSON that it prints first; `pinned` gives it one core where there are two. */
export async function serve(
	words: readonly string[],
	options: { readonly pinned?: boolean } = {},
): Promise<{ child: ChildProcess; url: string }> {
	const pinned = options.pinned === true && process.platform === "linux" && availableParallelism() > 1;
	const child = pinned
		? spawn("taskset", ["-c", "0", process.execPath, ...words], { stdio: ["ignore", "pipe", "inherit"] })
		: spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
	const first = await new Promise<string>((resolve, reject) => {
		let line = "";
		child.stdout?.setEncoding("utf8").on("data", (text: string) => {
			line += text;
			if (line.includes("\n")) resolve(line);
		});
		child.once("error", reject);
		child.once("exit", () => reject(new Error("the server ended before it listened")));
	});
	return { child, url: (JSON.parse(first) as { url: string }).url };
}
