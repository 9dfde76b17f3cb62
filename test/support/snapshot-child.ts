import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openSnapshotStore } from "../../src/host/snapshots/snapshot-store.ts";
import { finish, treeAt } from "./rewinds.ts";
import { chanceOf, disturb } from "./world.ts";

/**
 * Works on a tree until it is killed: changes it, takes snapshots, restores, and prints the answers. It prints
 * `restoring` before a restore begins, as a caller would record it first.
 */
const [folder = "", seed = "1", bwrapPath = ""] = process.argv.slice(2);
const chance = chanceOf(Number(seed));
const tree = treeAt(join(folder, "tree"));
const store = openSnapshotStore(join(folder, "store"));
const said = join(folder, "said");
const ids: string[] = existsSync(said) ? (readFileSync(said, "utf8").match(/(?<=^taken )\w+/gm) ?? []) : [];
const say = (line: string): void => void process.stdout.write(`${line}\n`);

while (true) {
  for (let acts = 0; acts < 6; acts += 1) disturb(tree.root, chance);
  const { id } = await finish(store.take(tree));
  ids.push(id);
  say(`taken ${id}`);
  if (chance() < 0.2) await finish(store.tidy());
  if (chance() < 0.2) await finish(store.sweep(ids, false));
  const to = ids[Math.floor(chance() * ids.length)] ?? id;
  say(`restoring ${id} ${to}`);
  await finish(store.restore(tree, to, bwrapPath));
  say(`restored ${to}`);
}
