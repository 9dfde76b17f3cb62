import type { World } from "../../../tool.ts";
import { shownBytes, shownName } from "../../shared/shown.ts";
import { readWhole } from "../../shared/world-reads.ts";
import { binaryKind } from "../binary-kind.ts";
import { decodeText, TEXT_BYTES_MAX } from "../file-text.ts";

/** A file that can be changed and written back without a loss, or why it cannot. */
export async function readEditable(world: World, path: string): Promise<Editable> {
  const file = await readWhole(world, path, TEXT_BYTES_MAX);
  const name = shownName(path);
  if (!file.isWhole)
    return {
      problem: `${name} has ${shownBytes(file.size)}; files of at most ${shownBytes(TEXT_BYTES_MAX)} can be edited. Use a program in the terminal, such as sed.`,
    };
  const kind = binaryKind(file.bytes);
  const text = decodeText(file.bytes);
  if (kind !== null) return { problem: `${name} is ${kind.what} and cannot be edited as text.` };
  if (text === null)
    return {
      problem: `${name} is not valid UTF-8, so an edit would damage other parts of it. Convert it in the terminal first (\`iconv -f LATIN1 -t UTF-8\`), or change it with sed.`,
    };
  const bom = text.startsWith(BOM) ? BOM : "";
  return { text: text.slice(bom.length), bom, hash: file.hash };
}

export type Editable =
  | { readonly text: string; readonly bom: string; readonly hash: string }
  | { readonly problem: string };

/** Some editors on Windows begin a file with it; no model sends it, so it is put aside and back. */
const BOM = "\uFEFF";
