"""The program of programs.test.ts in Python."""

import os

import pulumi
import pulumi_orgsync as orgsync

signers = orgsync.UserTag(
    "signers",
    name="signers",
    members={"exactly": [os.environ["ALICE"], os.environ["BOB"]]},
)
acme = orgsync.Organization("acme", document="acme.yaml")
oncall = orgsync.UserTag.get("oncall", os.environ["ONCALL"])

pulumi.export("tagId", signers.tag_id)
pulumi.export("summary", acme.summary)
pulumi.export("oncall", oncall.name)
pulumi.export("tags", len(orgsync.list_user_tags().user_tags))
