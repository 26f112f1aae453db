"""A user tag, and a policy that names it."""

import pulumi_orgsync as orgsync

alice = "3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c001"
bob = "3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c002"

treasury = orgsync.UserTag(
    "treasury", name="treasury", create=True, members={"exactly": [alice, bob]}
)
orgsync.Policy(
    "payments",
    name="two of treasury sign",
    effect=orgsync.Effect.ALLOW,
    consensus="approvers.filter(user, user.tags.contains('${userTags.treasury}')).count() >= 2",
    condition="activity.kind == 'SIGN_TRANSACTION'",
    references={"treasury": treasury.tag_id},
)
