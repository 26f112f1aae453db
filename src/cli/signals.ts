const signals = ["SIGINT", "SIGTERM"] as const;

/** Calls the listener for Ctrl-C and SIGTERM, in place of the end of the process, until the returned function is called. */
export function onSignals(listener: (signal: NodeJS.Signals) => void): () => void {
	for (const signal of signals) process.on(signal, listener);
	return () => {
		for (const signal of signals) process.off(signal, listener);
	};
}
