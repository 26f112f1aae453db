/**
 * Sets at the start of each Node of the engine the V8 flag that @pulumi/pulumi sets while it is loaded. Node's compile
 * cache is void under other flags than it was written with, so each process would refuse and rewrite most of it.
 */
"use strict";
require("node:v8").setFlagsFromString("--allow-natives-syntax");
