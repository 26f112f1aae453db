/** An emulator on the file that is named, as a process of its own: it prints its address and waits to be killed. */
import { startEmulator } from "../../src/emulator/server.ts";

const [dataFile = "", seed = "{}"] = process.argv.slice(2);
const emulator = await startEmulator({ dataFile, seed: JSON.parse(seed) });
console.log(emulator.url);
