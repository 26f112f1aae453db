/** Words of docs/internals/service.md that tests compare with the schemas and the pages. */

/** Networks of `list_supported_assets` (docs/internals/service.md#networks). */
export const caip2Networks = [
	"eip155:1",
	"eip155:11155111",
	"eip155:8453",
	"eip155:84532",
	"eip155:137",
	"eip155:80002",
	"eip155:56",
	"eip155:97",
	"eip155:10",
	"eip155:11155420",
	"eip155:143",
	"eip155:10143",
	"eip155:42161",
	"eip155:4217",
	"eip155:42431",
	"eip155:421614",
	"solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
	"solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1",
] as const;

/** Authentication methods of an MFA policy's steps (docs/internals/service.md#mfa-policy). */
export const authenticationTypes = [
	"AUTHENTICATION_TYPE_EMAIL_OTP",
	"AUTHENTICATION_TYPE_SMS_OTP",
	"AUTHENTICATION_TYPE_PASSKEY",
	"AUTHENTICATION_TYPE_API_KEY",
	"AUTHENTICATION_TYPE_OAUTH",
	"AUTHENTICATION_TYPE_SESSION",
] as const;
