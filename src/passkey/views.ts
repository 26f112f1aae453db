/** What the page shows. Every view is made here from escaped text; the script makes no HTML of its own. */
import { badge } from "../render/html/badge.ts";
import { bdi, type Html, html, trusted } from "../render/html/html.ts";
import { style } from "../render/html/style.ts";
import { capitalize, count } from "../say/count.ts";
import { challengeOf, relyingParty } from "./assertion.ts";
import type { SignedRequest, SignedWords } from "./words.ts";

export interface View {
	readonly title: string;
	readonly html: Html;
}

/** The style of the page: that of plans, with buttons. */
export const pageStyle = `${style}
.act { display: flex; flex-wrap: wrap; gap: .7rem; align-items: center; margin: 1rem 0 .2rem; }
button.do { font: inherit; font-weight: 600; padding: .6rem 1.3rem; border-radius: .6rem; border: 1.5px solid var(--link); background: var(--link); color: var(--card); cursor: pointer; }
button.do.plain { background: none; color: var(--link); } button.do:disabled { opacity: .55; cursor: default; }
pre { margin: .5rem 0; padding: .7rem .9rem; max-height: 24rem; overflow: auto; background: var(--code); border-radius: .6rem; white-space: pre-wrap; overflow-wrap: anywhere; font: .86em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
#problem { padding: .6rem .9rem; border-radius: .6rem; background: var(--bad-ground); color: var(--bad); }
h1:focus { outline: none; }
`;

type Tone = Parameters<typeof badge>[0];

function frame(tone: Tone, heading: string, lead: Html | null, body: Html | null): Html {
	return html`<header class="head ${tone}"><div class="inside">
<p class="brand">orgsync <b>passkey</b></p>
<h1 tabindex="-1">${badge(tone)}<span>${heading}</span></h1>
${lead}</div></header>
<main class="inside">${body}</main>`;
}

/** Returns the page before its script has put a view in place. */
export function renderShell(script: string): string {
	const lost = frame(
		"attention",
		"No connection to orgsync",
		html`<p class="lead">orgsync has ended, or the connection to it was lost. Nothing more can be signed here.</p>
<p class="soft">If orgsync still waits in its terminal, reload this page.</p>`,
		null,
	);
	return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>orgsync passkey</title>
<style>${trusted(pageStyle)}</style>
</head>
<body>
<div id="view"><main class="inside"><noscript><p>This page needs JavaScript: only a script can ask for a passkey.</p></noscript></main></div>
<template id="lost">${lost}</template>
<script>${trusted(script)}</script>
</body>
</html>
`.html;
}

export function signView(words: SignedWords, { body, type }: SignedRequest, untilMs: number, done: number): View {
	const lead =
		type === undefined
			? html`<p class="lead">orgsync asks for your passkey because it has no API key for queries. A query changes nothing.</p>`
			: html`<p class="lead">Sign this only if it is what you want. orgsync sends it as soon as you have signed.</p>`;
	const exact = html`<section class="card plain"><details><summary>The exact body that you sign, and its SHA-256</summary>
<pre>${body}</pre><p class="soft">SHA-256 <code>${challengeOf(body)}</code></p></details></section>`;
	const act = renderAct("Sign with passkey", "Without your signature, nothing is submitted.", untilMs);
	const number = done === 0 ? "" : ` (request ${done + 1})`;
	return {
		title: `Sign: ${words.heading}`,
		html: frame("attention", `${words.heading}${number}`, lead, html`${words.html}${exact}${act}`),
	};
}

function renderAct(label: string, otherwise: string, untilMs: number): Html {
	const time = new Date(untilMs).toISOString();
	return html`<section class="card plain" aria-label="Agree or refuse"><p id="problem" role="alert" hidden></p>
<div class="act"><button type="button" class="do" id="yes">${label}</button><button type="button" class="do plain" id="no">Refuse</button></div>
<p class="soft">Open until <time datetime="${time}">${time}</time>. ${otherwise} Ctrl-C in the terminal ends orgsync.</p></section>`;
}

/** Returns the view of the request to make a passkey. */
export function createView(userName: string, untilMs: number): View {
	const lead = html`<p class="lead">Your browser and your authenticator make it. The private key never leaves the authenticator.</p>`;
	const about = html`<section class="card plain" aria-labelledby="about"><h2 id="about">What it is good for</h2>
<p>For <code>${relyingParty}</code> only, so for the signing page of orgsync on this machine. It opens no other site, and not the dashboard of the service.</p>
<p>Any page that a program serves at <code>http://${relyingParty}</code> can ask for it. Agree only on a page of orgsync that you opened.</p>
<dl class="fields"><div><dt>User</dt><dd>${bdi(userName)}</dd></div></dl></section>`;
	const act = renderAct("Create passkey", "Otherwise, nothing is created.", untilMs);
	return {
		title: "orgsync: create a passkey",
		html: frame("attention", `Create a passkey for ${relyingParty}`, lead, html`${about}${act}`),
	};
}

/** What was done on a page, of one and of several: `request signed`, `requests signed`. */
export type DoneWords = readonly [one: string, many: string];

export function idleView(done: number, words: DoneWords): View {
	const heading = done === 0 ? "Nothing to do here yet" : `${count(done, ...words)}`;
	const lead = html`<p class="lead">orgsync continues in its terminal. Keep this page open: further requests appear here.</p>`;
	return { title: "orgsync: please wait", html: frame("good", heading, lead, null) };
}

/** Returns the view after the command has ended. */
export function doneView(done: number, words: DoneWords): View {
	const lead = html`<p class="lead">The result is in the terminal. You can close this page.</p>`;
	const heading = `Done: ${done === 0 ? `no ${words[0]}` : count(done, ...words)}`;
	return { title: "orgsync: done", html: frame("good", heading, lead, null) };
}

/** Returns the view after nothing can be signed any more. `because` is the message of the error. */
export function endedView(because: string, done: number): View {
	const before = done === 0 ? "" : ` ${count(done, "request was", "requests were")} signed before.`;
	const lead = html`<p class="lead">Nothing was submitted for it.${before} The terminal has the details. You can close this page.</p>`;
	return { title: "orgsync: not signed", html: frame("bad", capitalize(because), lead, null) };
}

/** Returns the view of every tab but the first. */
export function secondTabView(): View {
	const lead = html`<p class="lead">A request is signed in one tab only. Continue there, or close it: then the request appears here.</p>
<p class="soft">If you did not open it, press Ctrl-C in the terminal: another program may know the address.</p>`;
	return { title: "orgsync: open elsewhere", html: frame("attention", "This page is open in another tab", lead, null) };
}
