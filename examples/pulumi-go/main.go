// Who may sign and who is on call, as a Go program.
package main

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"orgsync.invalid/sdk/go/orgsync"
)

const (
	alice = "3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c001"
	bob   = "3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c002"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		// The tag is called `approvers` today: it is renamed, and gets exactly these members. One activity.
		// Bob has it until 2030: after that, `up --refresh` removes him.
		signers, err := orgsync.NewUserTag(ctx, "signers", &orgsync.UserTagArgs{
			Name:       pulumi.String("signers"),
			Previously: pulumi.ToStringArray([]string{"approvers"}),
			Members: &orgsync.MembersArgs{Exactly: pulumi.Array{
				pulumi.String(alice),
				orgsync.MemberWindowArgs{User: pulumi.String(bob), Until: pulumi.String("2030-01-01T00:00:00Z")},
			}},
		})
		if err != nil {
			return err
		}

		// What must not exist. All policies of one resource go with one activity.
		_, err = orgsync.NewPolicyRemoval(ctx, "oldPolicies", &orgsync.PolicyRemovalArgs{
			PolicyIds: pulumi.ToStringArray([]string{"1f0c4a6b-2f3d-4f6e-9b1a-5d8e7c6b2001"}),
		})
		if err != nil {
			return err
		}

		// A document; the path of a file works too. `expect` can only be read: a difference is a warning.
		acme, err := orgsync.NewOrganization(ctx, "acme", &orgsync.OrganizationArgs{
			Document: pulumi.ToMap(map[string]any{
				"organizationId": "0a5d6d8e-1c1f-4c8e-9f35-3b0f8d3f0a11",
				"users":          map[string]any{"alice": alice, "bob": bob},
				"userTags": []any{map[string]any{
					"name":    "oncall",
					"members": map[string]any{"atLeast": []any{"bob"}, "never": []any{"alice"}},
				}},
				"expect": map[string]any{
					"mfaPolicies": map[string]any{"alice": []any{map[string]any{"name": "passkey-first", "order": 1}}},
				},
			}),
		})
		if err != nil {
			return err
		}

		// A live tag, read and not managed.
		rootQuorum, err := orgsync.GetUserTag(ctx, "rootQuorum", pulumi.ID("91c0f5aa-6a77-4c07-8f0c-5f4f0e6f1003"), nil)
		if err != nil {
			return err
		}

		// Asks the service in every preview and `up`.
		found, err := orgsync.GetMfaPolicies(ctx, &orgsync.GetMfaPoliciesArgs{UserId: alice})
		if err != nil {
			return err
		}

		ctx.Export("signersId", signers.TagId)
		ctx.Export("rootQuorum", rootQuorum.Name)
		ctx.Export("firstMfaPolicy", pulumi.StringPtrFromPtr(found.MfaPolicies[0].MfaPolicyName))
		ctx.Export("differences", acme.Summary.Differences())
		return nil
	})
}
