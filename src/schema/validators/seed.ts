import { compileSchemas } from "../compiler.ts";

export const validators = compileSchemas(["seed.json", "seed.json#/$defs/rules"]);
