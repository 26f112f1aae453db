import { compileSchemas } from "../compiler.ts";

export const validators = compileSchemas(["document.json"]);
