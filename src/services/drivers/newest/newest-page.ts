import { isAbsolute } from "node:path";
import { NomosError } from "../../../contract/index.ts";
import { isInside, readSmallFile, writeFileAtomic } from "../../../host/index.ts";
import type { NewestChecked } from "./newest-checks.ts";

const TITLE = "# Newest releases of agents";
const PAGE_BYTES_MAX = 1_048_576;

/** The result of `driver.check` with `latest`, as Markdown. `day`: when they were tried. */
export function newestPage(checked: readonly NewestChecked[], day: string): string {
  if (checked.length === 0) return `${TITLE}\n\nNo agent is installed.\n`;
  const rows = checked.map(({ slug, package: name, installed, latest, state, isSupported, says }) => {
    const range = latest === null || isSupported ? "" : " Outside of the range that Nomos runs.";
    return [`\`${slug}\``, `\`${name}\``, installed ?? "-", latest ?? "-", state, `${says}${range}`];
  });
  const lines = [["agent", "package", "installed", "newest", "state", "seen"], Array(6).fill("---"), ...rows];
  const table = lines.map((cells) => `| ${cells.map(cell).join(" | ")} |`).join("\n");
  return `${TITLE}\n\nTried on ${day}, each in a copy of its own: installed by npm, started, a session opened without a prompt.\n\n${table}\n`;
}

/** Text of an agent must not end a cell. */
function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ");
}

/** A page replaces an earlier page, and no other file. */
export async function refuseOtherFile(home: string, file: string): Promise<void> {
  if (!isAbsolute(file)) refuse(file, "the path is not absolute");
  if (isInside(home, file)) refuse(file, "it lies in the home");
  const before = await readSmallFile(file, PAGE_BYTES_MAX).catch(() => "");
  if (before !== null && !before.startsWith(TITLE)) refuse(file, "there is another file already");
}

export async function writeNewestPage(home: string, file: string, page: string): Promise<void> {
  await refuseOtherFile(home, file);
  try {
    await writeFileAtomic(file, Buffer.from(page), { mode: 0o644 });
  } catch (thrown) {
    refuse(file, thrown instanceof Error ? thrown.message : String(thrown));
  }
}

function refuse(file: string, reason: string): never {
  throw new NomosError("invalid_request", { field: "write", file, reason }, { message: `${file}: ${reason}.` });
}
