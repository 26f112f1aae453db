/**
 * A document as a Pulumi program: the YAML file says what must be, this converges it.
 */
import { Organization } from "orgsync/pulumi";

export const { organizationId, summary } = new Organization("acme", { document: "orgsync.yaml" });
