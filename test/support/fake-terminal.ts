import { PassThrough } from "node:stream";
import { inOneLine } from "../../src/cli/screen/harmless.ts";
import { rendered, type Text } from "../../src/cli/screen/styled.ts";
import type { Terminal } from "../../src/cli/terminal.ts";

export interface FakeTerminal {
  readonly terminal: Terminal;
  /** Output and errors without styles; not cleaned, so that a test sees which code relies on the writer. */
  readonly lines: string[];
}

export function fakeTerminal(given: Partial<Terminal> = {}): FakeTerminal {
  const lines: string[] = [];
  const keep = (line: Text): void => void lines.push(plainText(line));
  const terminal: Terminal = {
    version: "0",
    home: "",
    cwd: "",
    environment: {},
    isScreen: true,
    isKeyboard: () => true,
    hasCursor: true,
    columns: 40,
    rows: 24,
    painted: plainText,
    plain: plainText,
    print: keep,
    complain: keep,
    printJson: (value) => keep(JSON.stringify(value)),
    printContent: () => undefined,
    drawLine: () => undefined,
    clearScreen: () => undefined,
    openPage: () => ({ draw: (drawn) => drawn.forEach(keep), close: () => undefined }),
    outliveReader: () => undefined,
    rawOutput: new PassThrough(),
    readInput: async () => "",
    ...given,
  };
  return { terminal, lines };
}

export function plainText(line: Text): string {
  return rendered(line, inOneLine, false);
}
