import type { StreamItem } from "../../client/index.ts";
import type { Terminal } from "../terminal.ts";
import { spell } from "./spell.ts";
import { oneLine } from "./table.ts";

/** One item of a raw stream: for a program a line of JSON each, for a person those that say something new. */
export function printItem(terminal: Terminal, item: StreamItem, json: boolean): void {
  if (json) terminal.printJson(item);
  else if (item.event === "line") terminal.print(item.data.line);
  else if (item.event === "event") {
    const { seq, at, stream, type, data } = item.data;
    terminal.print(`${seq} ${at} ${stream} ${type} ${oneLine(spell(data))}`);
  } else if (item.event === "gap") terminal.print(`(${item.data.dropped} pieces were not shown)`);
}
