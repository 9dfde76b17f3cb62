import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { createWebFiles, type FileAsked } from "./web-files.ts";

const HTML = "text/html,application/xhtml+xml,*/*;q=0.8";

async function filesHere() {
  const root = await mkdtemp(join(tmpdir(), "nomos-web-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const folder = join(root, "web");
  await mkdir(join(folder, "assets"), { recursive: true });
  await writeFile(join(root, "secret.txt"), "outside");
  await writeFile(join(folder, "index.html"), "<!doctype html><title>Nomos</title>");
  await writeFile(join(folder, "assets/main-ABCD1234.js"), "plain");
  await writeFile(join(folder, "assets/main-ABCD1234.js.br"), "brotli");
  await writeFile(join(folder, "assets/main-ABCD1234.js.gz"), "gzip");
  const files = createWebFiles(folder);
  const get = (path: string, more: Partial<FileAsked> = {}) =>
    files.answer({ path, accept: "*/*", acceptEncoding: undefined, ifNoneMatch: undefined, ...more });
  const text = async (path: string, more: Partial<FileAsked> = {}) => (await get(path, more))?.body.toString() ?? null;
  return { root, folder, get, text };
}

proves(
  "DB-6",
  "the document and its pages are served with a strict policy, and asked for again each time",
  async () => {
    const { get, text } = await filesHere();
    for (const path of ["/", "/index.html"]) expect(await text(path)).toContain("Nomos");
    expect(await text("/ui/session/any", { accept: HTML })).toContain("Nomos");
    const found = (await get("/")) ?? expect.fail("it is there");
    expect(found.headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-cache",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "permissions-policy": expect.stringContaining("camera=()"),
    });
    const policy = found.headers["content-security-policy"] ?? "";
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    for (const part of ["default-src 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"])
      expect(policy).toContain(part);
    const again = await get("/", { ifNoneMatch: `W/${found.headers["etag"]}, "other"` });
    expect([again?.status, again?.body.length, again?.headers["content-security-policy"]]).toEqual([304, 0, policy]);
  },
);

proves("DB-6", "paths that would lead outside, and links, are not served", async () => {
  const { root, folder, text } = await filesHere();
  await symlink(join(root, "secret.txt"), join(folder, "link.txt"));
  await symlink(root, join(folder, "linked"));
  await writeFile(join(folder, ".hidden"), "hidden");
  const attempts = [
    ...["/../secret.txt", "/assets/../../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "//secret.txt"],
    ...["/..\\secret.txt", "/assets/..%5c..%5csecret.txt", "/index.html\0.js", "/index.html%00", "/./index.html"],
    ...["/link.txt", "/linked/secret.txt", "/.hidden", "/assets", "/assets/", join("/", root, "secret.txt")],
    ...["/assets/main-ABCD1234.js.br", "/constructor", "/__proto__"],
  ];
  for (const path of attempts) expect([path, await text(path)]).toEqual([path, null]);
});

test("a file has become a link since the folder was read: it is not served", async () => {
  const { root, folder, text } = await filesHere();
  expect(await text("/assets/main-ABCD1234.js")).toBe("plain");
  await rm(join(folder, "assets/main-ABCD1234.js"));
  await symlink(join(root, "secret.txt"), join(folder, "assets/main-ABCD1234.js"));
  expect(await text("/assets/main-ABCD1234.js")).toBeNull();
});

test("a browser gets the smallest file it accepts, and may keep a hashed one for good", async () => {
  const { folder, get, text } = await filesHere();
  const path = "/assets/main-ABCD1234.js";
  const as = (acceptEncoding: string) => text(path, { acceptEncoding });
  expect(await as("gzip, deflate, br")).toBe("brotli");
  expect(await as("gzip, br;q=0")).toBe("gzip");
  expect(await as("identity, gzip;q=0")).toBe("plain");
  const { headers } = (await get(path, { acceptEncoding: "br" })) ?? expect.fail("it is there");
  expect(headers).toMatchObject({
    "content-encoding": "br",
    "content-type": "text/javascript; charset=utf-8",
    "cache-control": "public, max-age=31536000, immutable",
    vary: "Accept-Encoding",
  });
  expect(headers["etag"]).not.toBe((await get(path))?.headers["etag"]);
  await writeFile(join(folder, "assets/icon.svg"), "<svg/>");
  await writeFile(join(folder, "assets/manifest.webmanifest"), "{}");
  const kept = async (name: string) => (await get(`/assets/${name}`))?.headers["cache-control"];
  await expect.poll(() => kept("icon.svg")).toBe("no-cache");
  expect(await kept("manifest.webmanifest")).toBe("no-cache");
});

test("an unknown path gets the document only where a page is wanted", async () => {
  const { text } = await filesHere();
  expect(await text("/ui/now", { accept: "application/json" })).toBeNull();
  expect(await text("/assets/gone.js")).toBeNull();
  expect(await text("/api/gone", { accept: HTML })).toBeNull();
});

test("a new build is found without a restart", async () => {
  const { folder, text } = await filesHere();
  expect(await text("/")).toContain("Nomos");
  await writeFile(join(folder, "assets/next-12345678.js"), "next");
  await writeFile(join(folder, "index.html"), "new");
  await utimes(join(folder, "index.html"), 1, 1);
  expect(await text("/")).toBe("new");
  expect(await text("/assets/next-12345678.js")).toBe("next");
});

test("nothing is built: the page says how to build it, with the same policy", async () => {
  const { folder, get } = await filesHere();
  await rm(folder, { recursive: true });
  const found = await get("/");
  expect(found?.status).toBe(503);
  expect(found?.body.toString()).toContain("npm run build");
  expect(found?.headers["content-security-policy"]).toContain("default-src 'none'");
});
