import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { openApi } from "../../src/surfaces/index.ts";
import { SYSCALLS } from "../../src/syscalls/index.ts";
import { agentsPage } from "./agents-page.ts";
import { aip46Schemas } from "./aip46-schemas.ts";
import { cliPage } from "./cli-page.ts";
import { clientDetails, clientErrors, clientManifest } from "./client-manifest.ts";
import { clientFamilies, clientTypes } from "./client-types.ts";
import { configurationPage } from "./configuration-page.ts";
import { errorsPage } from "./errors-page.ts";
import { escapePage } from "./escape-page.ts";
import { eventsPage } from "./events-page.ts";
import { limitsPage } from "./limits-page.ts";
import { longRunsPage } from "./long-runs-page.ts";
import { mutationPage } from "./mutation-page.ts";
import { permissionsPage } from "./permissions-page.ts";
import { redactionFilter } from "./redaction-filter.ts";
import { syscallsPage } from "./syscalls-page.ts";
import { testTimesPage } from "./test-times-page.ts";

/** Path -> expected text. Everything follows from the sources; nothing is written by hand. */
export async function generatedFiles(root: string): Promise<ReadonlyMap<string, string>> {
  const files: Readonly<Record<string, string>> = {
    "src/client/manifest.generated.ts": clientManifest(),
    "src/client/details.generated.ts": clientDetails(),
    "src/client/errors.generated.ts": clientErrors(),
    "src/client/types.generated.ts": clientTypes(),
    "src/client/families.generated.ts": clientFamilies(),
    "src/redaction/filter/filter.generated.ts": await redactionFilter(root),
    "docs/reference/agents.md": agentsPage(),
    "docs/reference/cli.md": cliPage(),
    "docs/reference/configuration.md": configurationPage(),
    "docs/reference/errors.md": errorsPage(),
    "docs/reference/escape-attempts.md": escapePage(),
    "docs/reference/events.md": eventsPage(root),
    "docs/reference/limits.md": limitsPage(root),
    "docs/reference/long-runs.md": longRunsPage(),
    "docs/reference/mutation.md": mutationPage(),
    "docs/reference/openapi.json": `${JSON.stringify(openApi(SYSCALLS, packageVersion(root), null), null, 2)}\n`,
    "docs/reference/permissions.md": permissionsPage(),
    "docs/reference/syscalls.md": syscallsPage(),
    "docs/reference/test-times.md": testTimesPage(),
    ...aip46Schemas(),
  };
  return new Map(Object.entries(files).map(([path, text]) => [path, formatted(root, path, text)]));
}

/** Files that are missing or whose text on disk differs. */
export async function staleFiles(root: string): Promise<readonly string[]> {
  const files = [...(await generatedFiles(root))];
  const found = await Promise.all(files.map(([path]) => readFile(join(root, path), "utf8").catch(() => null)));
  return files.flatMap(([path, text], at) => (found[at] === text ? [] : [path]));
}

export async function writeGenerated(root: string): Promise<readonly string[]> {
  const stale = await staleFiles(root);
  for (const [path, text] of await generatedFiles(root)) {
    if (!stale.includes(path)) continue;
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return stale;
}

/** Files that the linter checks must be formatted. */
function formatted(root: string, path: string, text: string): string {
  if (!path.endsWith(".ts")) return text;
  const biome = join(root, "node_modules", ".bin", "biome");
  return execFileSync(biome, ["format", `--stdin-file-path=${path}`], { cwd: root, input: text, encoding: "utf8" });
}

function packageVersion(root: string): string {
  const { version }: { version: string } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return version;
}
