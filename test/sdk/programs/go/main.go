// The program of programs.test.ts in Go.
package main

import (
	"os"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"orgsync.invalid/sdk/go/orgsync"
	// So that the whole SDK is compiled.
	_ "orgsync.invalid/sdk/go/orgsync/config"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		signers, err := orgsync.NewUserTag(ctx, "signers", &orgsync.UserTagArgs{
			Name:    pulumi.String("signers"),
			Members: &orgsync.MembersArgs{Exactly: pulumi.ToStringArray([]string{os.Getenv("ALICE"), os.Getenv("BOB")})},
		})
		if err != nil {
			return err
		}
		acme, err := orgsync.NewOrganization(ctx, "acme", &orgsync.OrganizationArgs{
			Document: pulumi.Any("acme.yaml"),
		})
		if err != nil {
			return err
		}
		oncall, err := orgsync.GetUserTag(ctx, "oncall", pulumi.ID(os.Getenv("ONCALL")), nil)
		if err != nil {
			return err
		}
		tags, err := orgsync.ListUserTags(ctx, nil)
		if err != nil {
			return err
		}
		ctx.Export("tagId", signers.TagId)
		ctx.Export("summary", acme.Summary)
		ctx.Export("oncall", oncall.Name)
		ctx.Export("tags", pulumi.Int(len(tags.UserTags)))
		return nil
	})
}
