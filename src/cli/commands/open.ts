import { ClientError } from "../../client/index.ts";
import { expectWords, parseArguments } from "../arguments.ts";
import { connect } from "../daemon/connect.ts";
import { EVERYDAY } from "../everyday.ts";
import { openBrowser } from "../screen/open-browser.ts";
import { EXIT, type RunCommand, type Terminal } from "../terminal.ts";

const NO_PORT = "A program has this home open without a port, so it has no address.";

export const run: RunCommand = async (terminal, { args, json }) => {
  const { values, positionals } = parseArguments(args, {
    address: { type: "boolean" },
    label: { type: "string" },
    phone: { type: "boolean" },
    print: { type: "boolean" },
  });
  expectWords(positionals, [], EVERYDAY.open.usage);
  const client = await connect(terminal);
  if (values.address === true) {
    if (new URL(client.url).port === "0") throw new ClientError("listen_required", { message: NO_PORT });
    if (json) terminal.printJson({ url: client.url });
    else terminal.print(client.url);
    return EXIT.ok;
  }
  const label = values.label === undefined ? {} : { label: values.label };
  const isPhone = values.phone === true;
  const { url, expiresAt } = await client.call("dashboard.open", { for: isPhone ? "phone" : "browser", ...label });
  if (json) {
    terminal.printJson({ url, expiresAt });
    return EXIT.ok;
  }
  if (isPhone) await printCode(terminal, url);
  terminal.print(url);
  if (!terminal.isScreen) return EXIT.ok;
  const isOpen = !isPhone && values.print !== true && (await openBrowser(terminal.environment, url));
  const where = isPhone ? "Scan the code, or open the link on your phone" : "Open the link in a browser";
  terminal.complain(isOpen ? "Opened in your browser." : `${where}: it works once, within ten minutes.`);
  return EXIT.ok;
};

/** Not for a pipe, nor where lines are read aloud. */
async function printCode(terminal: Terminal, url: string): Promise<void> {
  if (!terminal.isScreen || !terminal.hasCursor) return;
  const { qrLines } = await import("../print/qr-lines.ts");
  for (const line of qrLines(url)) terminal.print(line);
}
