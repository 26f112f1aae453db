/** The page's only script, without which it is complete. It makes no HTML, so no name can become code. */
import { fleetScript } from "./script-fleet.ts";
import { shortenScript } from "./script-shorten.ts";

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
