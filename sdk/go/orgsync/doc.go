// Keeps an organization in sync with a Pulumi program: the fewest activities, each submitted exactly once. Resources adopt the live user tags, and remove policies, OAuth providers and TVC apps that must not exist.
package orgsync
