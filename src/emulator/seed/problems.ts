/** Problems of a seed by their place in the data, and what collects those of one organization. */

export type Path = readonly (string | number)[];

export interface SeedProblem {
	readonly path: Path;
	readonly code: string;
	readonly message: string;
}

/** Returns a path like `organizations[0].users[1].userId`; the empty string for the seed itself. */
export function formatPath(path: Path): string {
	return path.map((part, index) => (typeof part === "number" ? `[${part}]` : index === 0 ? part : `.${part}`)).join("");
}

export type ProblemCollector = ReturnType<typeof makeProblemCollector>;

/** Returns an empty collector. `userIds` are the lower-case ids of the organization's users. */
export function makeProblemCollector(userIds: ReadonlySet<string>) {
	const problems: SeedProblem[] = [];
	const seen = new Map<string, Set<string>>();
	const report = (path: Path, code: string, message: string): void => {
		problems.push({ path, code, message });
	};
	return {
		problems,
		userIds,
		report,
		/** Reports `value` when it came before in the same `scope`. `label` names it in the message. */
		unique(scope: string, value: string, path: Path, label: string): void {
			const values = seen.get(scope) ?? new Set();
			if (values.has(value)) report(path, "duplicate", `${label} is used twice`);
			seen.set(scope, values.add(value));
		},
		limit(count: number, max: number, path: Path, label: string): void {
			if (count > max) report(path, "limit", `${count} ${label}; the limit is ${max}`);
		},
	};
}
