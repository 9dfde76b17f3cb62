import { join } from "node:path";
import { type Bundled, bundle } from "./bundle.ts";
import { writeDeclarations } from "./declarations.ts";
import { CLIENT_ENTRIES } from "./entries.ts";

export interface ClientBundleOptions {
  readonly root: string;
  /** The program's folder; the client gets its own in it. */
  readonly outDir: string;
  readonly declarations: boolean;
}

/** `nomos/client`: one bundle for browsers, one for Node, and the declarations of both. */
export async function bundleClient({ root, outDir, declarations }: ClientBundleOptions): Promise<Bundled> {
  const folder = join(outDir, "client");
  const bundled = await bundle({ root, outDir: folder, entries: CLIENT_ENTRIES });
  const lib = "es2024,dom,dom.asynciterable";
  if (declarations) await writeDeclarations({ root, folder, entry: CLIENT_ENTRIES.browser, lib, types: "" });
  return bundled;
}
