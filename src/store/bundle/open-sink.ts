import { openFolderSink } from "./folder-sink.ts";
import type { BundlePlace } from "./place-bundle.ts";
import type { BundleSink } from "./sink.ts";
import { openTarSink } from "./tar-sink.ts";

export function openSink({ temporary, form }: Pick<BundlePlace, "temporary" | "form">): Promise<BundleSink> {
  return form === "tar" ? openTarSink(temporary, Math.floor(Date.now() / 1000)) : openFolderSink(temporary);
}
