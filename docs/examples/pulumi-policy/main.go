// A user tag, and a policy that names it.
package main

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"orgsync.invalid/sdk/go/orgsync"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		alice := pulumi.String("3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c001")
		bob := pulumi.String("3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c002")
		treasury, err := orgsync.NewUserTag(ctx, "treasury", &orgsync.UserTagArgs{
			Name:    pulumi.String("treasury"),
			Create:  pulumi.Bool(true),
			Members: &orgsync.MembersArgs{Exactly: pulumi.Array{alice, bob}},
		})
		if err != nil {
			return err
		}
		_, err = orgsync.NewPolicy(ctx, "payments", &orgsync.PolicyArgs{
			Name:       pulumi.String("two of treasury sign"),
			Effect:     orgsync.EffectAllow,
			Consensus:  pulumi.String("approvers.filter(user, user.tags.contains('${userTags.treasury}')).count() >= 2"),
			Condition:  pulumi.String("activity.kind == 'SIGN_TRANSACTION'"),
			References: pulumi.StringMap{"treasury": treasury.TagId},
		})
		return err
	})
}
