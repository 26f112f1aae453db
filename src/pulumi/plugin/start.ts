/** Starts the plugin as it is published: Node keeps what it compiles of it, so that the next `pulumi up` starts faster. */
import module from "node:module";
import { setFlagsFromString } from "node:v8";
import { useCompileCache } from "../../common/compile-cache.ts";

useCompileCache(process.env);
await import("./main.ts");
// The engine ends its plugins with SIGKILL, before Node would write at their exit. Without a folder this does nothing.
module.flushCompileCache();
// With hundreds of resources, less memory than V8's own choice: a young generation that does not grow, and no code of the compiler that
// pays off only in a process that lives longer. Not earlier: V8 takes no code that was compiled with other flags, and Node's own modules
// are such code.
for (const flag of ["--semi-space-growth-factor=1", "--no-turbofan", "--no-maglev-inlining"]) setFlagsFromString(flag);
