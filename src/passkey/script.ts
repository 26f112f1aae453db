/** The page's only script: shows the server's views and asks the browser to sign the body that it got, with its own challenge. */
export const script = `"use strict";
const base = location.pathname.replace(/\\/+$/, "");
const view = document.querySelector("#view");
let current = null, untilMs = 0, isOver = false, isBusy = false;

const bytesOf = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
const textOf = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
const utf8 = (text) => new TextEncoder().encode(text);

const show = (nodes) => {
	view.replaceChildren(...nodes);
	for (const time of view.querySelectorAll("time")) time.textContent = new Date(time.dateTime).toLocaleTimeString();
	view.querySelector("#yes")?.addEventListener("click", () => run(answer));
	view.querySelector("#no")?.addEventListener("click", () => run(refuse));
	view.querySelector("h1")?.focus();
};
const say = (text) => {
	const problem = view.querySelector("#problem");
	if (!problem) return;
	problem.textContent = text;
	problem.hidden = false;
};
const run = async (work) => {
	if (isBusy || !current) return;
	isBusy = true;
	for (const button of view.querySelectorAll("button")) button.disabled = true;
	try {
		await work(current);
	} catch (error) {
		say(messages[error?.name] ?? "The browser did not sign (" + (error?.name ?? "unknown error") + ").");
	}
	isBusy = false;
	for (const button of view.querySelectorAll("button")) button.disabled = false;
};
const messages = {
	NotAllowedError: "The browser did not sign: you cancelled, time ran out, or there is no passkey for localhost here. Nothing was submitted. You can try again, or refuse.",
	InvalidStateError: "This authenticator has a passkey for this user already.",
	NotSupportedError: "This authenticator cannot make the kind of passkey that the service takes.",
	SecurityError: "The browser allows no passkey on this page. Open it as http://localhost, not by an address or another name.",
	TypeError: "orgsync does not answer. It may have ended; the terminal has the details.",
};
const post = async (part, message) => {
	const response = await fetch(base + "/" + part, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(message) });
	if (response.ok) return;
	const { message: problem } = await response.json();
	say("This does not count: " + problem + ". Nothing was submitted.");
};
const refuse = ({ id }) => post("refuse", { id });
const answer = async (task) => post("answer", { id: task.id, answer: await (task.kind === "create" ? create(task) : sign(task)) });
const sign = async ({ body, credentialIds }) => {
	const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(body)));
	const challenge = utf8([...digest].map((byte) => byte.toString(16).padStart(2, "0")).join(""));
	const allowCredentials = credentialIds.map((id) => ({ type: "public-key", id: bytesOf(id) }));
	const publicKey = { rpId: "localhost", challenge, allowCredentials, userVerification: "required", timeout: Math.max(1000, untilMs - Date.now()) };
	const { rawId, response } = await navigator.credentials.get({ publicKey });
	return { credentialId: textOf(rawId), authenticatorData: textOf(response.authenticatorData), clientDataJson: textOf(response.clientDataJSON), signature: textOf(response.signature) };
};
const create = async ({ challenge, userName }) => {
	const publicKey = {
		rp: { id: "localhost", name: "orgsync on this machine" },
		user: { id: crypto.getRandomValues(new Uint8Array(32)), name: userName, displayName: userName },
		challenge: utf8(challenge),
		pubKeyCredParams: [{ type: "public-key", alg: -7 }],
		authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
		attestation: "none",
		timeout: Math.max(1000, untilMs - Date.now()),
	};
	const { rawId, response } = await navigator.credentials.create({ publicKey });
	return { credentialId: textOf(rawId), attestationObject: textOf(response.attestationObject), authenticatorData: textOf(response.getAuthenticatorData()), clientDataJson: textOf(response.clientDataJSON), transports: response.getTransports?.() ?? [] };
};

const events = new EventSource(base + "/events");
events.addEventListener("message", ({ data }) => {
	const message = JSON.parse(data);
	current = message.task;
	untilMs = Date.now() + message.limitMs;
	document.title = message.title;
	show(new DOMParser().parseFromString(message.html, "text/html").body.childNodes);
	if (current && !window.PublicKeyCredential) say("This browser has no passkeys (WebAuthn). Open this page in another one.");
	if (message.isOver) { isOver = true; events.close(); }
});
events.addEventListener("error", () => {
	if (isOver) return;
	events.close();
	current = null;
	document.title = "orgsync: no connection";
	show(document.querySelector("#lost").content.cloneNode(true).childNodes);
});
`;
