// Keeps an organization in sync with a Pulumi program: the fewest activities, each submitted exactly once. Resources create and adopt user tags and policies, and remove what must not exist.
package orgsync
