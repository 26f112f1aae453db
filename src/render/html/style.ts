/** The style of the page: light, dark, phone, desktop and paper. It loads no font, image or address. */
export const style = `
:root {
	--ground: #f4f5f8; --card: #fff; --ink: #171a21; --soft: #555d6d; --line: #dde1e9; --code: #eef0f5;
	--good: #0a6637; --good-ground: #e2f4e9; --bad: #a11a2c; --bad-ground: #fce9eb; --warn: #764900; --warn-ground: #fdf0d5;
	--link: #1b4fa0; --shade: 0 1px 2px rgb(16 24 40 / .06), 0 4px 16px rgb(16 24 40 / .05);
}
@media screen { :root { color-scheme: light dark; } }
@media screen and (prefers-color-scheme: dark) {
	:root {
		--ground: #0e1116; --card: #171b22; --ink: #e7eaf0; --soft: #a2abba; --line: #2b313c; --code: #222833;
		--good: #74dca0; --good-ground: #11301f; --bad: #ff9da7; --bad-ground: #3b171d; --warn: #f3c474; --warn-ground: #33270e;
		--link: #9cc0ff; --shade: none;
	}
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif; }
.inside { max-width: 76rem; margin: 0 auto; padding: 0 1.5rem; }
h1, h2, h3 { margin: 0; line-height: 1.25; letter-spacing: -.01em; text-wrap: balance; }
h1 { display: flex; gap: .7rem; align-items: flex-start; font-size: clamp(1.35rem, 1rem + 1.6vw, 2rem); overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; } h3 { font-size: 1.02rem; }
p { margin: .4rem 0; overflow-wrap: anywhere; }
a { color: var(--link); }
code { font: .86em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
code { unicode-bidi: isolate; background: var(--code); border-radius: .3rem; padding: .1em .35em; }
ul, ol { margin: 0; padding: 0; list-style: none; }
[hidden] { display: none !important; }
.unseen, .id i { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.id { white-space: nowrap; } .id::after { content: "\u2026"; }
.copy { margin: 0 .15em; padding: 0 .3em; border: 0; border-radius: .3rem; background: none; color: var(--soft); font: inherit; font-size: .8em; cursor: pointer; } .copy:not(.done, .failed)::before { content: "" / ""; display: inline-block; width: .5em; height: .6em; border: .1em solid; border-radius: .15em; box-shadow: .22em -.18em 0 -.08em; } .copy.done::before { content: "\u2713" / ""; } .copy.failed::before { content: "\u00d7" / ""; } .copy:hover, .copy:focus-visible { color: var(--link); background: var(--code); }
.soft, .kind, .note { color: var(--soft); font-size: .9rem; }
.paper { display: none; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: .3rem; }

.head { background: var(--card); border-top: .4rem solid var(--good); border-bottom: 1px solid var(--line); padding: 1.6rem 0 1.3rem; }
.head.attention { border-top-color: var(--warn); } .head.bad { border-top-color: var(--bad); }
.brand { margin: 0 0 .8rem; font-size: .85rem; letter-spacing: .04em; color: var(--soft); }
.brand b { color: var(--ink); }
.lead { font-size: 1.05rem; max-width: 60rem; }
.danger { color: var(--bad); font-weight: 650; font-size: 1.05rem; max-width: 60rem; }
.badge { flex: none; display: inline-grid; place-items: center; width: 1.5em; height: 1.5em; margin-right: .1em; border-radius: 50%; font-weight: 700; font-size: .82em; line-height: 1; background: var(--good-ground); color: var(--good); border: 1.5px solid currentcolor; }
.badge.attention { background: var(--warn-ground); color: var(--warn); } .badge.bad { background: var(--bad-ground); color: var(--bad); }
.facts { display: flex; flex-wrap: wrap; gap: .7rem; margin: 1.2rem 0 .8rem; }
.facts div { display: flex; flex-direction: column-reverse; min-width: 8.5rem; padding: .6rem .9rem; border: 1px solid var(--line); border-radius: .7rem; background: var(--ground); }
.facts dt { color: var(--soft); font-size: .85rem; } .facts dd { margin: 0; font-size: 1.6rem; font-weight: 650; line-height: 1.2; font-variant-numeric: tabular-nums; }
.facts .a dd { color: var(--good); } .facts .r dd { color: var(--bad); } .facts .w dd { color: var(--warn); }

main { padding-top: 1.4rem !important; }
.card { margin: 0 0 1.1rem; padding: 1.1rem 1.3rem 1.2rem; background: var(--card); border: 1px solid var(--line); border-radius: .9rem; box-shadow: var(--shade); }
.card.bad { border-left: .35rem solid var(--bad); } .card.attention { border-left: .35rem solid var(--warn); }
.card > h2, .card > h3 { margin-bottom: .7rem; }
.organization { margin: 2rem 0; } .organization > h2 { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; font-size: 1.25rem; }
.number { display: inline-block; min-width: 1.7em; padding: 0 .5em; border-radius: 1em; background: var(--code); color: var(--soft); font-size: .8em; font-weight: 600; text-align: center; font-variant-numeric: tabular-nums; }
.overview li { display: flex; gap: .7rem; align-items: center; padding: .45rem 0; border-top: 1px solid var(--line); }
.overview li:first-child { border-top: 0; } .overview + details { margin-top: .6rem; }
.overview a { overflow-wrap: anywhere; } .overview code, .organization > h2 code { padding: 0; background: none; }
.lines li { display: flex; gap: .7rem; align-items: baseline; padding: .4rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
.lines li > * { min-width: 0; } .lines li:first-child { border-top: 0; }
.word { flex: none; padding: .05em .6em; border-radius: 1em; font-size: .82rem; font-weight: 600; white-space: nowrap; background: var(--code); }
.word.good { background: var(--good-ground); color: var(--good); } .word.bad { background: var(--bad-ground); color: var(--bad); } .word.attention { background: var(--warn-ground); color: var(--warn); }
.changes > li { display: flex; gap: .8rem; padding: .65rem 0; border-top: 1px solid var(--line); break-inside: avoid; }
.changes > li:first-child { border-top: 0; padding-top: .2rem; }
.changes p { margin: .25rem 0 0; } .changes .word { white-space: normal; }
.changes > li > div { min-width: 0; flex: 1; overflow-wrap: anywhere; }
.mark { flex: none; display: inline-grid; place-items: center; width: 1.65rem; height: 1.65rem; border-radius: .4rem; font-weight: 700; font-size: .95rem; line-height: 1; background: var(--code); color: var(--soft); }
.people { display: flex; flex-wrap: wrap; gap: .3rem .35rem; align-items: baseline; }
.chip { padding: .05em .6em; border-radius: 1em; background: var(--code); font-size: .88rem; overflow-wrap: anywhere; }
.chip.a, .mark.a, td.a { background: var(--good-ground); color: var(--good); } .chip.r, .mark.r, td.r { background: var(--bad-ground); color: var(--bad); } .mark.w, td.w { background: var(--warn-ground); color: var(--warn); }
.doubt { color: var(--warn); font-size: .92rem; }
.fields { margin: .4rem 0 0; } .fields div { display: grid; grid-template-columns: minmax(7rem, 12rem) 1fr 1fr; gap: .2rem 1rem; padding: .25rem 0; }
.fields dt { font-weight: 600; } .fields dd { margin: 0; min-width: 0; }
pre { margin: .2rem 0 0; padding: .5rem .7rem; border-radius: .5rem; background: var(--code); font: .86em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; }
pre mark { border-radius: .2rem; background: var(--good-ground); color: var(--good); font-weight: 650; } .live mark { background: var(--bad-ground); color: var(--bad); }
summary > h2, summary > h3 { display: inline; color: var(--ink); } .card:has(> details > summary > :is(h2, h3)) { padding-block: .7rem; } .card > details[open] > summary { margin-bottom: .7rem; }
summary { cursor: pointer; padding: .2rem 0; color: var(--link); width: fit-content; } details[open] > summary { margin-bottom: .5rem; }

.bar { display: flex; flex-wrap: wrap; gap: .6rem 1.4rem; align-items: center; margin-bottom: .6rem; }
.find { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; }
.find output { color: var(--soft); font-size: .9rem; }
input[type=search] { font: inherit; min-width: 0; width: 14rem; padding: .35rem .7rem; color: var(--ink); background: var(--ground); border: 1px solid var(--soft); border-radius: .5rem; }
.check { display: inline-flex; gap: .45rem; align-items: center; } .check input { width: 1.1rem; height: 1.1rem; accent-color: var(--link); }
.legend { display: flex; flex-wrap: wrap; gap: .4rem 1.1rem; margin: 0 0 .7rem; font-size: .9rem; color: var(--soft); } .legend li { display: flex; gap: .45rem; align-items: center; }
.scroll { max-height: 80vh; max-width: 100%; width: fit-content; overflow: auto; border: 1px solid var(--line); border-radius: .6rem; position: relative; }
.grid { border-collapse: separate; border-spacing: 0; font-size: .9rem; }
.grid th { background: var(--card); font-weight: 600; text-align: left; }
.grid thead th { position: sticky; top: 0; z-index: 1; vertical-align: bottom; border-bottom: 1px solid var(--line); }
.grid th:first-child { position: sticky; left: 0; z-index: 2; border-right: 1px solid var(--line); padding: .25rem .8rem; }
.grid thead th:first-child { z-index: 3; padding-bottom: .5rem; }
.u { min-width: 2rem; padding: .5rem 0; } .u.n { padding: .5rem .35rem; } .u > span { display: block; margin: 0 auto; max-height: 9.5rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; writing-mode: vertical-rl; transform: rotate(180deg); line-height: 1.2; } .u.n > span { max-height: 15rem; }
.u .who { display: block; max-height: 15rem; overflow: hidden; text-overflow: ellipsis; font-size: .85em; font-weight: 400; }
.grid tbody th > div { display: flex; gap: .9rem; justify-content: space-between; align-items: center; }
.name { max-width: 18rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.balance { flex: none; color: var(--soft); font-weight: 500; font-size: .85em; font-variant-numeric: tabular-nums; white-space: nowrap; }
.grid td { min-width: 2rem; height: 2rem; padding: 0; text-align: center; font-weight: 700; border-left: 1px solid var(--line); }
.grid tr + tr > * { border-top: 1px solid var(--line); }
td i, .balance i { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
td.k, td.x { color: var(--soft); font-weight: 500; } td.x { background: repeating-linear-gradient(45deg, transparent 0 4px, var(--code) 4px 6px); } .mark.m, td.m { font-size: .85em; outline: 1px dashed currentcolor; outline-offset: -3px; }
.reach { margin-top: .8rem; } .reach td { min-width: 3.4rem; padding: 0 .3rem; white-space: nowrap; } .reach .u { min-width: 3.4rem; } .reach .name { max-width: 22rem; white-space: normal; }
tbody tr:hover > * { box-shadow: inset 0 1px 0 var(--soft), inset 0 -1px 0 var(--soft); }
.q { display: none; } .matrix.finding .q, .matrix:has(.everybody:checked) .q { display: table-cell; }

.rows { border-collapse: collapse; width: 100%; } .rows th, .rows td { padding: .5rem .8rem; text-align: left; vertical-align: top; border-top: 1px solid var(--line); } .rows thead th { border-top: 0; }
.rows p { margin: .15rem 0; } .rows tbody th { font-weight: 400; width: 55%; } .lead + .scroll { margin-top: .7rem; }
.within { padding-left: 1.2rem; color: var(--soft); } .within li { padding: .25rem 0; border: 0; }

.rounds { border-left: 2px solid var(--line); margin-left: .55rem; padding-left: 1.4rem; }
.rounds > li { position: relative; padding-bottom: .8rem; } .rounds > li:last-child { padding-bottom: 0; }
.rounds > li::before { content: ""; position: absolute; left: -1.98rem; top: .35rem; width: 1rem; height: 1rem; border-radius: 50%; background: var(--card); border: 3px solid var(--link); }
.round { margin: 0 0 .5rem; font-weight: 600; }
.steps { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 21rem), 1fr)); gap: .6rem; }
.steps li { padding: .55rem .8rem; border: 1px solid var(--line); border-radius: .6rem; background: var(--ground); break-inside: avoid; }
.steps li:target { border-color: var(--link); box-shadow: 0 0 0 2px var(--link); } .steps p { margin: .15rem 0; }
.step { font-weight: 650; color: var(--soft); font-size: .88rem; margin-right: .2rem; font-variant-numeric: tabular-nums; }
footer { padding-top: .4rem !important; padding-bottom: 2.5rem !important; color: var(--soft); font-size: .85rem; }

@media (max-width: 40rem) {
	.inside { padding: 0 .9rem; } .card { padding: .9rem .9rem 1rem; border-radius: .7rem; }
	.facts div { min-width: calc(50% - .35rem); flex: 1; } .facts dd { font-size: 1.35rem; }
	.grid th:first-child { padding: .25rem .5rem; } .grid tbody th > div { flex-direction: column; align-items: flex-start; gap: 0; padding: .15rem 0; line-height: 1.25; } .name { max-width: 9.5rem; }
	.fields div { grid-template-columns: 1fr; } .fields dd { padding-left: .8rem; }
	.find, .find input { width: 100%; } .lines li { flex-wrap: wrap; gap: .2rem .6rem; }
	.rounds { padding-left: 1rem; margin-left: .4rem; } .rounds > li::before { left: -1.58rem; }
}
@media print {
	body { background: #fff; font-size: 10pt; } .inside { max-width: none; padding: 0; } .head { padding: 0 0 .6rem; border-top: 0; }
	.card { box-shadow: none; break-inside: auto; padding: .6rem .8rem; } .card > h2, .card > h3, .round { break-after: avoid; }
	.bar, .copy, details > summary:not(:has(h2, h3)) { display: none; } summary { list-style: none; } .id { white-space: normal; } .id::after { content: none; } .id i { all: unset; } details::details-content { content-visibility: visible; block-size: auto; }
	.scroll { max-height: none; overflow: visible; border: 0; } .grid th { position: static !important; } .grid { font-size: 8pt; } .grid tr { break-inside: avoid; }
	.u { min-width: 1.5rem; } .grid td { min-width: 1.5rem; height: 1.5rem; } .matrix.wide > * { display: none; } .matrix.wide > .paper { display: block; }
	.facts div, .chip, .word, .mark { border: 1px solid var(--line); } a { color: inherit; }
}
`;
