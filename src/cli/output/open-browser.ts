/** Opens an address in the user's browser. */
import { spawn } from "node:child_process";
import type { Terminal } from "./output.ts";

/** Starts the browser of `BROWSER` or the desktop; false without a terminal or a desktop, and with `BROWSER=none`. */
export function openBrowser(url: string, { environment, stderr }: Terminal, platform = process.platform): boolean {
	const command = stderr.isTTY === true ? findBrowser(environment, platform) : undefined;
	if (command === undefined) return false;
	const [file = "", ...parameters] = command;
	const child = spawn(file, [...parameters, url], { detached: true, stdio: "ignore" });
	// The address is on the terminal, too.
	child.on("error", () => undefined);
	child.unref();
	return true;
}

function findBrowser(
	{ BROWSER, DISPLAY, WAYLAND_DISPLAY }: Terminal["environment"],
	platform: string,
): readonly string[] | undefined {
	if (BROWSER !== undefined && BROWSER !== "") return BROWSER === "none" ? undefined : [BROWSER];
	if (platform === "darwin") return ["open"];
	if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
	const hasDesktop = [DISPLAY, WAYLAND_DISPLAY].some((name) => name !== undefined && name !== "");
	return hasDesktop ? ["xdg-open"] : undefined;
}
