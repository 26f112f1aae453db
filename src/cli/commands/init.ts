/** `init`: writes a first document. It never overwrites anything. */

import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { ConfigurationError, exitCodes } from "../../common/errors.ts";
import { quoteForShell } from "../../common/escape.ts";
import { commandText } from "../../plan/suggested-command.ts";
import { type InitResult, resultHead } from "../../render/result/result.ts";
import type { ServiceFlags } from "../connect.ts";
import { defaultDocument, schemaComment } from "../files/sources.ts";
import { writeNewFile } from "../files/write-file.ts";
import type { Flags } from "../flags/given-flags.ts";
import { localOrganizationId } from "../local-seed.ts";
import type { Call } from "../output/output.ts";
import { findNamedId } from "./selection.ts";

interface InitFlags extends Flags<"fenceCredentials" | "local" | "organization"> {
	readonly file?: string;
}

/** Writes the document and returns the next command. Throws ConfigurationError if the file exists. */
export async function init(call: Call<InitFlags & Omit<ServiceFlags, "file">>): Promise<InitResult> {
	const { flags, terminal } = call;
	if (flags.fenceCredentials === undefined) return writeFirst(call);
	const { writeFence } = await import("./fence.ts");
	const organizationId = flags.local === true ? localOrganizationId : findNamedId(flags.organization, terminal);
	if (organizationId === undefined) {
		throw new ConfigurationError("no organization is named", {
			hint: "use --organization ID, or set ORGSYNC_ORGANIZATION_ID",
		});
	}
	return writeFence(call, { organizationId, name: flags.fenceCredentials });
}

function writeFirst({ flags, terminal }: Call<InitFlags>): InitResult {
	const file = flags.file ?? defaultDocument;
	if (flags.local === true && flags.organization !== undefined) {
		throw new ConfigurationError(
			"--local and --organization cannot be used together: the local emulator has its own organization",
		);
	}
	const path = resolve(terminal.directory, file);
	if (existsSync(path)) refuseExisting(file, path);
	const organizationId = flags.local === true ? undefined : findNamedId(flags.organization, terminal);
	const text = schemaComment(path) + (flags.local === true ? localDocument : emptyDocument(organizationId));
	writeNewFile(file, text, terminal);
	const { local = false } = flags;
	return {
		...resultHead("init", exitCodes.inSync, null),
		file,
		organizationId: flags.local === true ? localOrganizationId : (organizationId ?? null),
		nextCommand: commandText({ command: "plan" }, { local, file: file === defaultDocument ? [] : [file] }),
	};
}

function refuseExisting(file: string, path: string): never {
	if (!statSync(path).isDirectory()) throw new ConfigurationError(`${file} already exists; init never overwrites`);
	throw new ConfigurationError(`${file} is a folder, and init writes one file`, {
		hint: `name the file: -f ${quoteForShell(join(file, defaultDocument))}`,
	});
}

function emptyDocument(organizationId: string | undefined): string {
	return `# What must be in one organization. A key that is left out is not managed.
organizationId: ${organizationId ?? '"${ORGSYNC_ORGANIZATION_ID}"'}

# Names for this file: the service knows only ids.
users: {}
#  alice: 00000000-0000-4000-8000-000000000001
#  pipeline: 00000000-0000-4000-8000-000000000003

userTags: []
#  - name: signers
#    id: 00000000-0000-4000-8000-000000000002   # optional; without it the tag is found by its name
#    previously: [approvers]                    # found by this name when \`signers\` is not there: then it is a rename
#    members: { exactly: [alice] }              # or { atLeast: [alice], never: [] }
#  - { name: admins, create: true, members: { exactly: [alice] } }

# The pipeline submits, and an admin approves: its key needs no place in the root quorum.
#policies:
#  - name: the pipeline submits and an admin approves
#    effect: allow
#    consensus: |-
#      approvers.any(user, user.id == '\${users.pipeline}')
#      && approvers.any(user, user.tags.contains('\${userTags.admins}'))
#    condition: |-
#      activity.resource == 'POLICY'
#      || activity.kind in ['CREATE_USER_TAG', 'UPDATE_USER_TAG', 'DELETE_USER_TAGS']

# What must not exist.
#absent:
#  policies: []
#  oauthProviders: {}
#  tvcApps: []
`;
}

const localDocument = `# What must be in one organization. A key that is left out is not managed.
organizationId: ${localOrganizationId}

# Names for this file: the service knows only ids.
users:
  alice: 3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c001
  bob: 3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c002
  carol: 3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c003

userTags:
  # The tag with this id is called \`approvers\` today: it is renamed, and gets exactly these members.
  - name: signers
    id: 91c0f5aa-6a77-4c07-8f0c-5f4f0e6f1001
    members: { exactly: [alice, bob] }
  # Found by its name. Bob has it, alice has not, no other user is changed.
  - name: oncall
    members: { atLeast: [bob], never: [alice] }

# What must not exist.
absent:
  policies: [1f0c4a6b-2f3d-4f6e-9b1a-5d8e7c6b2001]
  oauthProviders: { bob: [77aa1f2e-6a3f-4f0e-8a55-1d6f2b3c5001] }
  tvcApps: [c1d2e3f4-0a1b-4c2d-8e3f-4a5b6c7d3002]

# What can only be read: a difference is reported, never submitted.
expect:
  sessionProfiles:
    - { id: 5e55a0b1-7c8d-4e9f-8a0b-1c2d3e4f6001, name: default, expirationSeconds: "900" }
  mfaPolicies:
    alice:
      - { name: passkey-first, order: 1, requiredAuthenticationMethods: [{ any: [{ type: AUTHENTICATION_TYPE_PASSKEY }] }] }
  bootProofs:
    - { app: c1d2e3f4-0a1b-4c2d-8e3f-4a5b6c7d3001, deploymentLabel: prod-42, enclaveApp: signer }
  supportedAssets:
    "eip155:1": [{ symbol: ETH, decimals: 18 }]

protect: { userTags: [root-quorum] }
limits: { memberRemovals: 50%, policies: 5, oauthProviders: 5, tvcApps: 1 }
`;
