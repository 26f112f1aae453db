/**
 * The program of Pulumi.yaml at the root: converges the organization of the document that the stack's configuration names
 * (`orgsync:document`, with the variables of `orgsync:env`), and exports what it found.
 */
import * as pulumi from "@pulumi/pulumi";
import { Organization } from "./index.ts";

const config = new pulumi.Config("orgsync");
const organizationId = config.get("organizationId");
const env = (config.get("env") ?? "").split(/[\s,]+/).filter((name) => name !== "");

export const { organizationId: organization, summary } = new Organization("organization", {
	document: config.get("document") ?? "examples/quickstart/document.yaml",
	env,
	...(organizationId === undefined ? {} : { organizationId }),
});
