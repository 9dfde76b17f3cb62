import type { StreamItem } from "../../client/index.ts";
import type { Terminal } from "../terminal.ts";
import { spell } from "./spell.ts";
import { oneLine } from "./table.ts";

/** Prints one item of a raw stream: JSON lines for a program; for a person, only items with something new. */
export function printItem(terminal: Terminal, item: StreamItem, json: boolean): void {
  if (json) terminal.printJson(item);
  else if (item.event === "line") terminal.print(item.data.line);
  else if (item.event === "event") {
    const { seq, at, stream, type, data } = item.data;
    terminal.print(`${seq} ${at} ${stream} ${type} ${oneLine(spell(data))}`);
  } else if (item.event === "gap") terminal.print(`(${item.data.dropped} pieces were not shown)`);
}
