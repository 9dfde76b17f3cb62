import { newLogTree, openLogTree } from "../../../src/store/tree/log-tree.ts";
import { createTileFiles } from "../../../src/store/tree/tile-files.ts";
import { memoryLog } from "../../support/hashed-log.ts";

/** `grow-once.ts FOLDER SIZE`: grows a tree to a size in its own process, and prints when it begins. */
const [folder = "", size = "0"] = process.argv.slice(2);
const tiles = createTileFiles(folder);
const log = memoryLog(Number(size));
const tree = (await openLogTree(log, tiles)) ?? newLogTree(log, tiles);
console.log("growing");
await tree.advance();
