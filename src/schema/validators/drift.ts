import { compileSchemas } from "../compiler.ts";

export const validators = compileSchemas(["drift.json"]);
