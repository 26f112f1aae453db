/**
 * The folder of a project. Paths in its configuration, and the journal, are relative to it.
 */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

const projectFiles = ["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"];

/** The nearest parent folder with a Pulumi.yaml, because a program may run below it; without one, `folder` itself. */
export function findProjectFolder(folder: string): string {
	for (let place = folder; ; place = dirname(place)) {
		if (projectFiles.some((name) => existsSync(join(place, name)))) return place;
		if (dirname(place) === place) return folder;
	}
}
