import { compileSchemas, partsOfOperations } from "../compiler.ts";

export const validators = compileSchemas(partsOfOperations(["response"]));
