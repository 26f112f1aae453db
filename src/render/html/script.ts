/** The page's only script, without which it is complete. It makes no HTML, so no name can become code. */

/** The search among several organizations: in their list, and in their sections below it. */
const fleetScript = `for (const card of document.querySelectorAll(".fleet")) {
	const input = card.querySelector("input[type=search]");
	const output = card.querySelector("output");
	const rows = [...card.querySelectorAll("li")].map((row) => [row, row.textContent.toLowerCase()]);
	const sections = [...document.querySelectorAll(".organization")];
	const rest = card.querySelector("details");
	const find = () => {
		const word = input.value.trim().toLowerCase();
		const shown = new Set();
		for (const [row, text] of rows) {
			row.hidden = !text.includes(word);
			const link = row.querySelector("a");
			if (!row.hidden && link) shown.add(link.getAttribute("href").slice(1));
		}
		for (const section of sections) section.hidden = !shown.has(section.id);
		if (rest) rest.open = word !== "";
		output.textContent = word === "" ? "" : rows.filter(([row]) => !row.hidden).length + " of " + rows.length + " organizations";
	};
	input.addEventListener("input", find);
	input.closest(".find").hidden = false;
}
`;

/** Shows times in the reader's zone and ids as short as is unique; tooltips, copies and paper have the whole. */
const shortenScript = `const idPattern = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;
const timePattern = /\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?Z/g;
const texts = (pattern) => {
	const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	const found = [];
	while (walker.nextNode()) {
		const node = walker.currentNode;
		const parent = node.parentElement;
		if (parent.closest("script, style, bdi, .grid, footer") || (parent.closest("code") && /\\s/.test(parent.closest("code").textContent))) continue;
		if (node.data.search(pattern) >= 0) found.push(node);
	}
	return found;
};
const replaceIn = (node, pattern, make) => {
	const parts = [];
	let at = 0;
	for (const match of node.data.matchAll(pattern)) {
		parts.push(node.data.slice(at, match.index), ...make(match[0]));
		at = match.index + match[0].length;
	}
	node.replaceWith(...parts, node.data.slice(at));
};
const zone = { year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", timeZoneName: "short" };
const localTime = (text) => {
	const date = new Date(text);
	return Number.isNaN(date.getTime()) ? text : date.toLocaleString(undefined, zone);
};
for (const node of texts(timePattern)) {
	const given = node.parentElement.closest("time");
	if (given) {
		given.title = node.data;
		node.data = localTime(node.data);
		continue;
	}
	replaceIn(node, timePattern, (text) => {
		const time = document.createElement("time");
		time.dateTime = time.title = text;
		time.textContent = localTime(text);
		return [time];
	});
}
const idNodes = texts(idPattern);
const ids = new Set(idNodes.flatMap((node) => node.data.match(idPattern)));
const shortLength = (id) => [8, 13, 18, 23].find((length) => {
	for (const other of ids) if (other !== id && other.startsWith(id.slice(0, length))) return false;
	return true;
});
const lengths = new Map([...ids].map((id) => [id, ids.size > 2000 ? undefined : shortLength(id)]));
for (const node of idNodes) {
	const canCopy = navigator.clipboard && !node.parentElement.closest("a, button, label, summary, .chip");
	replaceIn(node, idPattern, (id) => {
		const length = lengths.get(id);
		if (length === undefined) return [id];
		const short = document.createElement("span");
		short.className = "id";
		short.title = id;
		const rest = document.createElement("i");
		rest.textContent = id.slice(length);
		short.append(id.slice(0, length), rest);
		if (!canCopy) return [short];
		const button = document.createElement("button");
		button.type = "button";
		button.className = "copy";
		button.title = "Copy the whole id";
		button.setAttribute("aria-label", "Copy " + id);
		button.addEventListener("click", async () => {
			const isCopied = await navigator.clipboard.writeText(id).then(() => true, () => false);
			button.classList.add(isCopied ? "done" : "failed");
			setTimeout(() => button.classList.remove("done", "failed"), 1500);
		});
		return [short, button];
	});
}
`;

export const script = `"use strict";
for (const matrix of document.querySelectorAll(".matrix")) {
	const input = matrix.querySelector("input[type=search]");
	if (!input) continue;
	const output = matrix.querySelector("output");
	const head = [...matrix.querySelectorAll("thead th")];
	const rows = [...matrix.querySelectorAll("tbody tr")].map((row) => [...row.cells]);
	const users = head.map((cell) => cell.textContent.toLowerCase());
	const tags = rows.map((cells) => cells[0].querySelector(".name").textContent.toLowerCase());
	const moves = (cell) => cell.classList.contains("a") || cell.classList.contains("r") || cell.classList.contains("w");
	const has = (cell) => moves(cell) || cell.classList.contains("k");
	const find = () => {
		const word = input.value.trim().toLowerCase();
		matrix.classList.toggle("finding", word !== "");
		const columns = users.map((name, at) => at > 0 && name.includes(word));
		const lines = tags.map((name) => name.includes(word));
		const showColumns = users.map((_, at) => at === 0 || columns[at] || rows.some((cells, row) => lines[row] && moves(cells[at])));
		const showRows = rows.map((cells, row) => lines[row] || cells.some((cell, at) => columns[at] && has(cell)));
		head.forEach((cell, at) => { cell.hidden = !showColumns[at]; });
		rows.forEach((cells, row) => {
			cells[0].parentNode.hidden = !showRows[row];
			if (showRows[row]) cells.forEach((cell, at) => { if (cell.hidden === showColumns[at]) cell.hidden = !showColumns[at]; });
		});
		const seen = (list) => list.filter(Boolean).length;
		output.textContent = word === "" ? "" : seen(showRows) + " of " + rows.length + " " + (input.dataset.rows || "tags") + ", " + (seen(showColumns) - 1) + " of " + (users.length - 1) + " users";
	};
	input.addEventListener("input", find);
	input.closest(".find").hidden = false;
}
${fleetScript}${shortenScript}const folded = () => document.querySelectorAll("details:not([open])");
let opened = [];
addEventListener("beforeprint", () => { opened = [...folded()]; for (const one of opened) one.open = true; });
addEventListener("afterprint", () => { for (const one of opened) one.open = false; });
`;
