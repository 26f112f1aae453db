/** Shows times in the reader's zone and ids as short as is unique; tooltips, copies and paper have the whole. */
export const shortenScript = `const idPattern = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;
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
