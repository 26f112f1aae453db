/**
 * A process of its own that answers every request with one repeated unit and no end, as fast as the other side reads. With plain HTTP and
 * TLS; also as a proxy, whose answer to CONNECT has no end then. Argument: the name of an answer. It prints its two addresses.
 */
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { makeCertificate } from "./wire/certificate.ts";

const kibi = 1024;
const chunked = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";

/** What an answer begins with, and what follows for ever. */
const answers: Readonly<Record<string, readonly [string, string]>> = {
	"one chunk's extension": [`${chunked}1;a=`, "x".repeat(64 * kibi)],
	"one chunk's extensions": [`${chunked}1`, ";a=b".repeat(16 * kibi)],
	"chunks of one byte": [chunked, "1\r\n \r\n".repeat(10 * kibi)],
	"chunks of one byte with an extension": [chunked, `1;a=${"x".repeat(60 * kibi)}\r\n \r\n`],
	"the length of a chunk": [chunked, "0".repeat(64 * kibi)],
	headers: ["HTTP/1.1 200 OK\r\n", "a: b\r\n".repeat(10 * kibi)],
	"blanks before a header": ["HTTP/1.1 200 OK\r\na:", " ".repeat(64 * kibi)],
	"the reason of a status": ["HTTP/1.1 200 ", "b".repeat(64 * kibi)],
	"lines before the status": ["", "\r\n".repeat(32 * kibi)],
	"interim answers": ["", "HTTP/1.1 102 Processing\r\n\r\n".repeat(4 * kibi)],
	trailers: [`${chunked}0\r\n`, "a: b\r\n".repeat(10 * kibi)],
	"a body": ["HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n", " ".repeat(64 * kibi)],
};

const [name = ""] = process.argv.slice(2);
const [start, unit] = answers[name] ?? ["", ""];
const bytes = Buffer.from(unit);

function answer(socket: Socket): void {
	socket.on("error", () => undefined);
	socket.once("data", () => {
		socket.write(start);
		const flood = (): void => {
			while (!socket.destroyed && socket.write(bytes));
		};
		socket.on("drain", flood);
		flood();
	});
}

const servers = { http: createServer(answer), https: createTlsServer(makeCertificate("localhost"), answer) };
const addresses = Object.entries(servers).map(async ([scheme, server]) => {
	await once(server.listen(0, "127.0.0.1"), "listening");
	return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
console.log((await Promise.all(addresses)).join(" "));
