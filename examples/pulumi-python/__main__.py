"""Who may sign and who is on call, as a Python program."""

import pulumi
import pulumi_orgsync as orgsync

alice = "3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c001"
bob = "3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c002"

# The tag is called `approvers` today: it is renamed, and gets exactly these members. One activity.
# Bob has it until 2030: after that, `up --refresh` removes him.
signers = orgsync.UserTag(
    "signers",
    name="signers",
    previously=["approvers"],
    members={"exactly": [alice, {"user": bob, "until": "2030-01-01T00:00:00Z"}]},
)

# What must not exist. All policies of one resource go with one activity.
orgsync.PolicyRemoval("oldPolicies", policy_ids=["1f0c4a6b-2f3d-4f6e-9b1a-5d8e7c6b2001"])

# A document; the path of a file works too. `expect` can only be read: a difference is a warning.
acme = orgsync.Organization(
    "acme",
    document={
        "organizationId": "0a5d6d8e-1c1f-4c8e-9f35-3b0f8d3f0a11",
        "users": {"alice": alice, "bob": bob},
        "userTags": [{"name": "oncall", "members": {"atLeast": ["bob"], "never": ["alice"]}}],
        "expect": {"mfaPolicies": {"alice": [{"name": "passkey-first", "order": 1}]}},
    },
)

# A live tag, read and not managed.
root_quorum = orgsync.UserTag.get("rootQuorum", "91c0f5aa-6a77-4c07-8f0c-5f4f0e6f1003")

# Asks the service in every preview and `up`.
found = orgsync.get_mfa_policies_output(user_id=alice)

pulumi.export("signersId", signers.tag_id)
pulumi.export("rootQuorum", root_quorum.name)
pulumi.export("firstMfaPolicy", found.mfa_policies[0].mfa_policy_name)
pulumi.export("differences", acme.summary.differences)
