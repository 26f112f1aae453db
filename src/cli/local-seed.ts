/** The seed of the local emulator: a small organization with objects of each kind. */

export const localOrganizationId = "0a5d6d8e-1c1f-4c8e-9f35-3b0f8d3f0a11";

/** Returns the seed as YAML. `publicKey` (compressed P-256 point, hex) becomes the API key of the user alice. */
export function localSeed(publicKey: string): string {
	return `organizations:
  - organizationId: ${localOrganizationId}
    organizationName: Acme
    rootQuorum: { threshold: 1, userIds: [3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c001] }
    users:
      - userId: 3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c001
        userName: alice
        apiKeys: [{ publicKey: "${publicKey}", apiKeyName: local }]
        mfaPolicies:
          - mfaPolicyId: 6c0d9a52-51d8-4a55-8d5b-07c8ce2f4001
            mfaPolicyName: passkey-first
            condition: "true"
            requiredAuthenticationMethods: [{ any: [{ type: AUTHENTICATION_TYPE_PASSKEY }] }]
            order: 1
            notes: ""
      - userId: 3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c002
        userName: bob
        oauthProviders:
          - providerId: 77aa1f2e-6a3f-4f0e-8a55-1d6f2b3c5001
            providerName: old-login
            issuer: https://login.example
            audience: acme
            subject: bob
      - userId: 3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c003
        userName: carol
    userTags:
      - tagId: 91c0f5aa-6a77-4c07-8f0c-5f4f0e6f1001
        tagName: approvers
        userIds: [3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c001, 3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c003]
      - tagId: 91c0f5aa-6a77-4c07-8f0c-5f4f0e6f1002
        tagName: oncall
        userIds: [3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c001]
      - tagId: 91c0f5aa-6a77-4c07-8f0c-5f4f0e6f1003
        tagName: root-quorum
        userIds: [3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c001]
    policies:
      - policyId: 1f0c4a6b-2f3d-4f6e-9b1a-5d8e7c6b2001
        policyName: everybody may export
        effect: EFFECT_ALLOW
        condition: activity.resource in ['WALLET', 'PRIVATE_KEY'] && activity.action == 'EXPORT'
        consensus: "true"
        notes: ""
      - policyId: 1f0c4a6b-2f3d-4f6e-9b1a-5d8e7c6b2002
        policyName: approvers sign
        effect: EFFECT_ALLOW
        condition: activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN'
        consensus: approvers.any(user, user.tags.contains('91c0f5aa-6a77-4c07-8f0c-5f4f0e6f1001'))
        notes: ""
      - policyId: 1f0c4a6b-2f3d-4f6e-9b1a-5d8e7c6b2003
        policyName: root-quorum administers
        effect: EFFECT_ALLOW
        condition: "true"
        consensus: approvers.any(user, user.tags.contains('91c0f5aa-6a77-4c07-8f0c-5f4f0e6f1003'))
        notes: ""
    tvcApps:
      - id: c1d2e3f4-0a1b-4c2d-8e3f-4a5b6c7d3001
        name: signer
        bootProof:
          ephemeralPublicKeyHex: "02"
          cloudAttestationDocB64: ""
          qosManifestB64: ""
          qosManifestEnvelopeB64: ""
          deploymentLabel: prod-42
          enclaveApp: signer
          owner: acme
          qosManifestVersion: "1"
      - id: c1d2e3f4-0a1b-4c2d-8e3f-4a5b6c7d3002
        name: retired
    sessionProfiles:
      - sessionProfileId: 5e55a0b1-7c8d-4e9f-8a0b-1c2d3e4f6001
        sessionProfileName: default
        scope: sign
        expirationSeconds: "900"
        notes: ""
    supportedAssets:
      "eip155:1":
        - caip19: eip155:1/slip44:60
          symbol: ETH
          decimals: 18
          name: Ether
`;
}
