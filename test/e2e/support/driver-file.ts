import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { newFolder } from "./talk.ts";

/** Writes a driver file with this text into a new folder. Returns its path. */
export async function plantDriver(text: string): Promise<string> {
  const file = join(await newFolder(), "driver.ts");
  await writeFile(file, text);
  return file;
}
