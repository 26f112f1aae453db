/**
 * A service of its own for the client's tests. It shares no code with src/: paths, types and header rules are written
 * out here a second time from docs/internals/service.md, so that a mistake made once cannot cancel itself out. Loopback only.
 */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { p256 } from "@noble/curves/p256";

/** docs/internals/service.md#operations, once more: path to activity type, or to the member that a query answers. */
export const submitTypes: Readonly<Record<string, string>> = {
	"/public/v1/submit/update_user_tag": "ACTIVITY_TYPE_UPDATE_USER_TAG",
	"/public/v1/submit/delete_oauth_providers": "ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS",
	"/public/v1/submit/delete_policies": "ACTIVITY_TYPE_DELETE_POLICIES",
	"/public/v1/submit/delete_tvc_app_and_deployments": "ACTIVITY_TYPE_DELETE_TVC_APP_AND_DEPLOYMENTS",
	"/public/v1/submit/init_import_private_key": "ACTIVITY_TYPE_INIT_IMPORT_PRIVATE_KEY",
};

export const queryAnswers: Readonly<Record<string, unknown>> = {
	"/public/v1/query/get_session_profile": { sessionProfile: { sessionProfileId: "s", notes: null, unheardOf: 1 } },
	"/public/v1/query/get_mfa_policy": { mfaPolicy: { mfaPolicyId: "m", requiredAuthenticationMethods: [], order: 1 } },
	"/public/v1/query/get_mfa_policies": { mfaPolicies: [] },
	"/public/v1/query/get_mfa_status": { mfaStatuses: [] },
	"/public/v1/query/get_latest_boot_proof": { bootProof: { awsAttestationDocB64: "AA==", enclaveApp: "e" } },
	"/public/v1/query/get_policy_evaluations": { policyEvaluations: [] },
	"/public/v1/query/list_user_tags": { userTags: [{ tagId: "t", tagName: "審査員" }] },
	"/public/v1/query/list_supported_assets": { assets: [{ symbol: "USDC", decimals: 6 }] },
};

/** Everything that came in with one request. */
interface Received {
	readonly method: string;
	readonly path: string;
	/** Names and values as they came, in order. */
	readonly rawHeaders: readonly string[];
	readonly body: string;
	/** What is wrong with it under the rules written here; empty when nothing is. */
	readonly mistakes: readonly string[];
}

export interface Reply {
	readonly status?: number;
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: unknown;
	/** Writes the answer by hand instead. */
	readonly act?: (request: IncomingMessage, response: ServerResponse) => void;
}

export interface IndependentServer {
	readonly url: string;
	readonly received: readonly Received[];
	/** Replies for the next requests, in order; then the good answer again. */
	script(...replies: readonly Reply[]): void;
	close(): Promise<void>;
}

const allowedHeaders = ["host", "connection", "accept", "content-type", "content-length", "x-stamp"];

export async function startIndependentServer(publicKey: string): Promise<IndependentServer> {
	const received: Received[] = [];
	const replies: Reply[] = [];
	const sockets = new Set<Socket>();
	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on("data", (chunk: Buffer) => chunks.push(chunk));
		request.on("end", () => {
			const body = Buffer.concat(chunks);
			received.push(inspectRequest(request, body, publicKey));
			const reply = replies.shift() ?? goodReply(request.url ?? "", body);
			if (reply.act !== undefined) return reply.act(request, response);
			const text = typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body ?? {});
			response.writeHead(reply.status ?? 200, { "content-type": "application/json", ...reply.headers });
			response.end(text);
		});
	});
	server.on("connection", (socket) => {
		sockets.add(socket);
		socket.on("close", () => sockets.delete(socket));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		received,
		script: (...next) => void replies.splice(0, replies.length, ...next),
		close: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				for (const socket of sockets) socket.destroy();
			}),
	};
}

function goodReply(path: string, body: Buffer): Reply {
	if (path in queryAnswers) return { body: queryAnswers[path] };
	return { body: { activity: goodActivity(body.toString("utf8")) } };
}

/** A COMPLETED activity for these bytes, in the shapes of real answers (docs/internals/service.md#activity-object). */
export function goodActivity(body: string): Record<string, unknown> {
	const { type, organizationId, parameters } = JSON.parse(body) as Record<string, unknown>;
	return {
		id: "01900000-0000-7000-8000-000000000001",
		organizationId,
		status: "ACTIVITY_STATUS_COMPLETED",
		type,
		intent: { someIntent: parameters },
		result: { someResult: { done: true } },
		votes: [],
		fingerprint: `sha256:${createHash("sha256").update(body).digest("hex")}`,
		canApprove: false,
		canReject: true,
		createdAt: { seconds: "1767225600", nanos: "250000000" },
		updatedAt: { seconds: "1767225601", nanos: "0" },
		failure: null,
	};
}

function inspectRequest(request: IncomingMessage, body: Buffer, publicKey: string): Received {
	const mistakes: string[] = [];
	const path = request.url ?? "";
	const { headers, method = "", rawHeaders } = request;
	if (method !== "POST") mistakes.push(`method ${method}`);
	if (!(path in submitTypes) && !(path in queryAnswers)) mistakes.push(`path ${path}`);
	if (headers.accept !== "application/json") mistakes.push(`accept ${headers.accept}`);
	if (headers["content-type"] !== "application/json") mistakes.push(`content-type ${headers["content-type"]}`);
	if (headers["content-length"] !== String(body.length)) mistakes.push(`content-length ${headers["content-length"]}`);
	const names = rawHeaders.filter((_value, index) => index % 2 === 0).map((name) => name.toLowerCase());
	if (new Set(names).size !== names.length) mistakes.push("a header came twice");
	for (const name of names) if (!allowedHeaders.includes(name)) mistakes.push(`header ${name}`);
	mistakes.push(...inspectStamp(String(headers["x-stamp"]), body, publicKey), ...inspectBody(path, body));
	return { method, path, rawHeaders, body: body.toString("utf8"), mistakes };
}

function inspectStamp(value: string, body: Buffer, publicKey: string): readonly string[] {
	if (!/^[A-Za-z0-9_-]+$/.test(value)) return ["the stamp is not base64url without padding"];
	const stamp = JSON.parse(Buffer.from(value, "base64url").toString("utf8")) as Record<string, string>;
	if (Object.keys(stamp).sort().join() !== "publicKey,scheme,signature") return ["the stamp has other members"];
	if (stamp.scheme !== "SIGNATURE_SCHEME_TK_API_P256") return ["the stamp has another scheme"];
	if (stamp.publicKey !== publicKey) return ["the stamp is of another key"];
	const signature = Buffer.from(stamp.signature ?? "", "hex");
	const hash = createHash("sha256").update(body).digest();
	return p256.verify(signature, hash, Buffer.from(publicKey, "hex"), { lowS: false, format: "der" })
		? []
		: ["the stamp is not of this body"];
}

function inspectBody(path: string, body: Buffer): readonly string[] {
	const value = JSON.parse(body.toString("utf8")) as Record<string, unknown>;
	const type = submitTypes[path];
	if (type === undefined) return typeof value.organizationId === "string" ? [] : ["no organizationId"];
	const mistakes: string[] = [];
	if (value.type !== type) mistakes.push(`type ${String(value.type)}`);
	if (!/^\d{13}$/.test(String(value.timestampMs)) || typeof value.timestampMs !== "string") {
		mistakes.push("timestampMs is not a text of milliseconds");
	}
	const names = Object.keys(value).sort().join();
	if (names !== "organizationId,parameters,timestampMs,type") mistakes.push(`members ${names}`);
	return mistakes;
}
