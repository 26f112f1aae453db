/**
 * Where a project is: paths in its configuration, and what orgsync keeps, are from the folder of Pulumi.yaml.
 */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

const projectFiles = ["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"];

/** The nearest folder upward that holds Pulumi.yaml: a program may run in a folder below it. Without one, `folder` itself. */
export function findProjectFolder(folder: string): string {
	for (let place = folder; ; place = dirname(place)) {
		if (projectFiles.some((name) => existsSync(join(place, name)))) return place;
		if (dirname(place) === place) return folder;
	}
}
