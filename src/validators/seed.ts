import { compileSchemas } from "../schema-compiler.ts";

export const validators = compileSchemas(["seed.json", "seed.json#/$defs/rules"]);
