/** The search among several organizations: in their list, and in their sections below it. */
export const fleetScript = `for (const card of document.querySelectorAll(".fleet")) {
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
