import { createWriteStream } from "node:fs";
import { text } from "node:stream/consumers";
import type { ReadOrder } from "./order.ts";
import { readPage } from "./read-page.ts";

/** The reader's process: one page, then it ends. A page that takes too much time or memory ends it, and nothing else. */
const order: ReadOrder = JSON.parse(await text(process.stdin));
createWriteStream("", { fd: 1 }).end(JSON.stringify(readPage(order)));
