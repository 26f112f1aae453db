/**
 * The program of Pulumi.yaml at the root: converges the organization of the document that the stack's configuration names
 * (`orgsync:document`), and exports what it found.
 */
import * as pulumi from "@pulumi/pulumi";
import { Organization } from "./index.ts";

const config = new pulumi.Config("orgsync");
const organizationId = config.get("organizationId");

export const { organizationId: organization, summary } = new Organization("organization", {
	document: config.get("document") ?? "examples/quickstart/document.yaml",
	...(organizationId === undefined ? {} : { organizationId }),
});
