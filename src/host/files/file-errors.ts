import { HostError } from "../host-error.ts";

export function notAFile(path: string): HostError {
  return new HostError("path_invalid", `${path} is not a file`, { remedy: "name a file", details: { path } });
}

/** For a `catch`: what is not there is refused by name, any other error is thrown on. */
export function missingFile(path: string, thrown: unknown): never {
  const isGone = thrown instanceof Error && "code" in thrown && (thrown.code === "ENOENT" || thrown.code === "ENOTDIR");
  if (!isGone) throw thrown;
  throw new HostError("file_missing", `there is no file ${path}`, { remedy: "list the folder", details: { path } });
}
