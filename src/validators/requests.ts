import { compileSchemas, partsOfOperations } from "../schema-compiler.ts";

export const validators = compileSchemas(partsOfOperations(["request", "parameters"]));
