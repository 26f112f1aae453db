/** Before the first test that needs the engine: makes it, with its progress in sight. A test runner keeps a test's own progress to itself. */
import { leaveOut, NotHere } from "../left-out.ts";
import { makeEngine } from "./make.ts";

export default async function setUp(): Promise<void> {
	try {
		await makeEngine(leaveOut);
	} catch (error) {
		if (!(error instanceof NotHere)) throw error;
		leaveOut(error);
	}
}
