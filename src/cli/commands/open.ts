import { expectWords, parseArguments } from "../arguments.ts";
import { connect } from "../daemon/connect.ts";
import { EVERYDAY } from "../everyday.ts";
import { openBrowser } from "../screen/open-browser.ts";
import { EXIT, type RunCommand } from "../terminal.ts";

export const run: RunCommand = async (terminal, { args, json }) => {
  const { values, positionals } = parseArguments(args, {
    address: { type: "boolean" },
    label: { type: "string" },
    print: { type: "boolean" },
  });
  expectWords(positionals, [], EVERYDAY.open.usage);
  const client = await connect(terminal);
  if (values.address === true) {
    if (json) terminal.printJson({ url: client.url });
    else terminal.print(client.url);
    return EXIT.ok;
  }
  const label = values.label === undefined ? {} : { label: values.label };
  const { url, expiresAt } = await client.call("dashboard.open", { for: "browser", ...label });
  if (json) {
    terminal.printJson({ url, expiresAt });
    return EXIT.ok;
  }
  terminal.print(url);
  if (!terminal.isScreen) return EXIT.ok;
  const isOpen = values.print !== true && (await openBrowser(terminal.environment, url));
  terminal.complain(
    isOpen ? "Opened in your browser." : "Open this link in a browser: it works once, within ten minutes.",
  );
  return EXIT.ok;
};
