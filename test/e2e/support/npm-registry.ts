import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** A registry of npm's on loopback: packuments and tarballs, as npm asks for them. */
export interface Registry extends AsyncDisposable {
  readonly url: string;
  /** The paths that were asked for. */
  readonly asked: readonly string[];
  /** The newest release of the package from now on. */
  readonly publish: (release: Release) => Promise<void>;
  /** Nobody answers any more. */
  readonly stop: () => Promise<void>;
}

export interface Release {
  readonly name: string;
  readonly version: string;
  /** The name of the program -> its source, as JavaScript. */
  readonly bin: Readonly<Record<string, string>>;
}

export async function startRegistry(): Promise<Registry> {
  const folder = await mkdtemp(join(tmpdir(), "nomos-registry-"));
  const packages = new Map<string, { latest: string; versions: Record<string, object> }>();
  const tarballs = new Map<string, Buffer>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://x").pathname);
    asked.push(path);
    const tarball = tarballs.get(path);
    const found = packages.get(path.slice(1));
    if (tarball !== undefined) response.writeHead(200, { "content-type": "application/octet-stream" }).end(tarball);
    else if (found !== undefined)
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ name: path.slice(1), "dist-tags": { latest: found.latest }, versions: found.versions }));
    else response.writeHead(404, { "content-type": "application/json" }).end('{"error":"Not found"}');
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    if (server.listening) await new Promise((done) => server.close(done));
  };
  return {
    url: `${url}/`,
    asked,
    stop,
    publish: async ({ name, version, bin }) => {
      const bytes = await packed(folder, { name, version, bin });
      const path = `/${name}/-/${name}-${version}.tgz`;
      tarballs.set(path, bytes);
      const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
      const known = packages.get(name) ?? { latest: version, versions: {} };
      const dist = { tarball: `${url}${path}`, integrity };
      known.versions[version] = { name, version, bin: binsOf(bin), dist };
      packages.set(name, { ...known, latest: version });
    },
    [Symbol.asyncDispose]: async () => {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function binsOf(bin: Release["bin"]): Record<string, string> {
  return Object.fromEntries(Object.keys(bin).map((program) => [program, `${program}.js`]));
}

async function packed(folder: string, { name, version, bin }: Release): Promise<Buffer> {
  const place = join(folder, `${name}-${version}`);
  await mkdir(join(place, "package"), { recursive: true });
  const manifest = { name, version, type: "module", bin: binsOf(bin) };
  await writeFile(join(place, "package", "package.json"), JSON.stringify(manifest));
  for (const [program, source] of Object.entries(bin))
    await writeFile(join(place, "package", `${program}.js`), `#!/usr/bin/env node\n${source}`, { mode: 0o755 });
  await promisify(execFile)("tar", ["-czf", "package.tgz", "package"], { cwd: place });
  return readFile(join(place, "package.tgz"));
}
