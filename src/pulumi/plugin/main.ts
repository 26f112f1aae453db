#!/usr/bin/env node
/** `pulumi-resource-orgsync`: started by the engine with its address as the last argument; prints the port that it serves. */
import { readFileSync } from "node:fs";
import { serve } from "./server.ts";

const engine = process.argv.slice(2).find((word) => /^[^-].*:\d+$/.test(word));
const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as {
	version: string;
};
const { port } = await serve(engine, version);
process.stdout.write(`${port}\n`);
