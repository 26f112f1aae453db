import { defineConfig } from "vitest/config";

export default defineConfig({
	test: {
		include: ["test/**/*.test.ts"],
		globalSetup: ["test/shared.ts"],
		testTimeout: 30_000,
		// Whoever waits for something waits as long as a busy machine may need: the default is a second.
		expect: { poll: { timeout: 20_000 } },
		pool: "forks",
		// Most tests wait for processes of their own, the Pulumi engine above all: half of the cores would stand idle.
		maxWorkers: "100%",
	},
});
