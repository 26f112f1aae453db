/** Starts the plugin as it is published: Node keeps what it compiles of it, so that the next `pulumi up` starts faster. */
import module from "node:module";
import { useCompileCache } from "../../common/compile-cache.ts";

useCompileCache(process.env);
await import("./main.ts");
// The engine ends its plugins with SIGKILL, before Node would write at their exit. Without a folder this does nothing.
module.flushCompileCache();
