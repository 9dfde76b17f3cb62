import { readFileSync } from "node:fs";
import { join } from "node:path";
import wabt from "wabt";

const SOURCE = "src/redaction/filter/filter.wat";

/** The redactor's filter, assembled: the product loads bytes and needs no assembler. */
export async function redactionFilter(root: string): Promise<string> {
  const { parseWat } = await wabt();
  const module = parseWat(SOURCE, readFileSync(join(root, SOURCE), "utf8"), { simd: true });
  const base64 = Buffer.from(module.toBinary({}).buffer).toString("base64");
  module.destroy();
  const lines = base64.match(/.{1,100}/g) ?? [];
  return [
    `// Written by \`npm run docs\` from ${SOURCE}.`,
    "export const FILTER_WASM_BASE64 =",
    `${lines.map((line) => `  "${line}"`).join(" +\n")};`,
    "",
  ].join("\n");
}
