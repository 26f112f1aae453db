/** Starts the plugin as it is published: Node keeps what it compiles of it, so that the next `pulumi up` starts faster. */
import module from "node:module";
import { setFlagsFromString } from "node:v8";
import { useCompileCache } from "../../common/compile-cache.ts";

useCompileCache(process.env);
await import("./main.ts");
// The engine ends its plugins with SIGKILL, before Node would write at their exit. Without a folder this does nothing.
module.flushCompileCache();
// With a thousand resources, a third less memory: a small young generation, and no code of the middle compiler. Not earlier: V8
// takes no code that was compiled with other flags, and Node's own modules are such code.
for (const flag of ["--optimize-for-size", "--no-maglev"]) setFlagsFromString(flag);
