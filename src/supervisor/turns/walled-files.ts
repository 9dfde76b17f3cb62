import { type Files, HostError, type HostProcess } from "../../host/index.ts";

type Spawn = (argv: readonly string[], stdin: "none" | "pipe") => HostProcess;

/**
 * Reads and writes files through a process behind the session's walls. So the daemon writes nothing that the mounts forbid,
 * and a link placed in the path leads only where the session may go anyway.
 */
export function walledFiles(files: Files, spawn: Spawn): Files {
  return {
    ...files,
    write: async (_root, path, text) => {
      await using child = spawn(["/bin/sh", "-c", WRITE, "write", path], "pipe");
      const fed = feed(child, text);
      await finish(child, path, MESSAGE_BYTES_MAX);
      await fed;
    },
    range: async (_root, path, from, bytes) => {
      await using child = spawn(["/bin/sh", "-c", RANGE, "range", path, String(from + 1), String(bytes)], "none");
      const printed = await finish(child, path, bytes + SIZE_LINE_BYTES);
      const end = printed.indexOf(0x0a);
      const size = Number(printed.toString("utf8", 0, end));
      if (size < 0)
        throw new HostError("file_missing", `there is no file ${path}`, {
          remedy: "list the folder",
          details: { path },
        });
      return { bytes: printed.subarray(end + 1), size };
    },
    remove: async (_root, path) => {
      await using child = spawn(["/bin/sh", "-c", REMOVE, "remove", path], "none");
      await finish(child, path, MESSAGE_BYTES_MAX);
    },
    read: async (_root, path, maxBytes) => {
      await using child = spawn(["/bin/sh", "-c", READ, "read", path, String(maxBytes + 1)], "none");
      const bytes = await finish(child, path, maxBytes + 1);
      if (bytes.length <= maxBytes) return bytes.toString("utf8");
      throw new HostError("file_too_large", `${path} has more than ${maxBytes} bytes`, {
        remedy: `read files of at most ${maxBytes} bytes`,
        details: { path, maxBytes },
      });
    },
  };
}

/** Atomic: writes a temporary file, then renames it. */
const WRITE = `mkdir -p -- "$(dirname -- "$1")" && cat > "$1.$$.tmp" && mv -f -- "$1.$$.tmp" "$1"`;
const RANGE = `if [ ! -e "$1" ]; then echo -1; exit 0; fi; [ -f "$1" ] && wc -c < "$1" && tail -c "+$2" -- "$1" | head -c "$3"`;
const REMOVE = `[ -f "$1" ] && rm -- "$1"`;
const SIZE_LINE_BYTES = 32;
const READ = `[ -f "$1" ] && head -c "$2" -- "$1"`;
const MESSAGE_BYTES_MAX = 4096;

async function feed(child: HostProcess, text: string): Promise<void> {
  // A write error is ignored: the process's exit reports the cause.
  await child.stdin?.write(text).catch(() => undefined);
  await child.closeStdin();
}

async function finish(child: HostProcess, path: string, bytesMax: number): Promise<Buffer> {
  const pieces = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
  for await (const { stream, bytes } of child.output)
    if (pieces[stream].length < bytesMax) pieces[stream] = Buffer.concat([pieces[stream], bytes]);
  const { exitCode, failure } = await child.exited;
  if (failure !== undefined) throw failure;
  if (exitCode === 0) return pieces.stdout;
  const said = pieces.stderr.toString("utf8", 0, MESSAGE_BYTES_MAX).trim();
  throw new HostError("path_invalid", said === "" ? `${path} is no file` : said, {
    remedy: "name a file of the workspace",
  });
}
