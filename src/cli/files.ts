/**
 * Why a file cannot be used, in words for whoever named it.
 */

const words: Readonly<Record<string, string>> = {
	ENOENT: "there is no such file or folder",
	EACCES: "permission is denied",
	EPERM: "permission is denied",
	EISDIR: "it is a folder",
	ENOTDIR: "something in its path is no folder",
	ELOOP: "it is a symbolic link to itself",
	EROFS: "the disk is read-only",
	ENOSPC: "the disk is full",
	ENAMETOOLONG: "its name is too long",
};

/** The reason that the system gave, without its code and the path that the reader knows already. */
export function explainFileError(error: unknown): string {
	const { code } = error as { code?: unknown };
	const known = typeof code === "string" ? words[code] : undefined;
	return known ?? (error instanceof Error ? error.message : String(error));
}
