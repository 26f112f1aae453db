import { compileSchemas } from "../schema-compiler.ts";

export const validators = compileSchemas(["drift.json"]);
