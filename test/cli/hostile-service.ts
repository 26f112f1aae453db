/**
 * A service that says what no emulator says: it hands every request on to one, and changes texts in the answers.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/**
 * The address of a service that answers as the one at `url`, each text of its JSON as `change` returns it, and the `Date` of each
 * answer as `changeDate` returns it for its number, from 0.
 */
export async function startHostileService(
	url: string,
	change: (text: string, key: string) => string,
	changeDate: (date: string, count: number) => string = (date) => date,
): Promise<string> {
	let count = 0;
	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on("data", (chunk: Buffer) => chunks.push(chunk));
		request.on("end", () => {
			const stamp = request.headers["x-stamp"];
			void fetch(`${url}${request.url}`, {
				method: "POST",
				body: Buffer.concat(chunks),
				headers: { "content-type": "application/json", ...(typeof stamp === "string" ? { "x-stamp": stamp } : {}) },
			}).then(async (answer) => {
				const value: unknown = JSON.parse(await answer.text(), (key, item) =>
					typeof item === "string" ? change(item, key) : item,
				);
				const given = answer.headers.get("date");
				const date = given === null ? {} : { date: changeDate(given, count++) };
				response.writeHead(answer.status, { "content-type": "application/json", ...date });
				response.end(JSON.stringify(value));
			});
		});
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
