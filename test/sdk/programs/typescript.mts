/** The program of programs.test.ts in TypeScript. */
import { listUserTagsOutput, Organization, UserTag } from "@orgsync/pulumi";

const { ALICE: alice = "", BOB: bob = "", ONCALL: oncallId = "" } = process.env;

const signers = new UserTag("signers", { name: "signers", members: { exactly: [alice, bob] } });
const acme = new Organization("acme", { document: "acme.yaml" });

export const tagId = signers.tagId;
export const summary = acme.summary;
export const oncall = UserTag.get("oncall", oncallId).name;
export const tags = listUserTagsOutput().userTags.apply(({ length }) => length);
