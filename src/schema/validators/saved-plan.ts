import { compileSchemas } from "../compiler.ts";

export const validators = compileSchemas(["saved-plan.json"]);
