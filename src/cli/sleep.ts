/** Resolves after so many milliseconds, or once the signal is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
	return new Promise((resolve) => {
		const end = (): void => {
			clearTimeout(timer);
			signal?.removeEventListener("abort", end);
			resolve();
		};
		const timer = setTimeout(end, ms);
		signal?.addEventListener("abort", end);
		if (signal?.aborted === true) end();
	});
}
