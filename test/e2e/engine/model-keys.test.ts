import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startGitHub } from "../../engine/github.ts";
import { answer, failing } from "../../engine/model-server/index.ts";
import { eventually, expectOk, newFolder, PATIENCE } from "../support/talk.ts";
import { begin, COMPLETED, openStage, play, type Stage } from "./support/scenes.ts";

vi.setConfig(PATIENCE);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

interface Test {
  readonly ok: boolean;
  readonly says: string;
}
interface Listed {
  readonly models: readonly { readonly name: string; readonly key: object | null }[];
}

const tested = async (model: string) =>
  expectOk(await stage.daemon().call<Test>("POST", "/api/models/test", { model }));
const keyOf = async (model: string) =>
  expectOk(await stage.daemon().call<Listed>("GET", "/api/models?limit=1000")).models.find(({ name }) => name === model)
    ?.key;
const configure = async (name: string, provider: object) =>
  expectOk(
    await stage.daemon().call("PUT", "/api/config", { config: { models: { providers: { [name]: provider } } } }),
  );

test("a login instead of a key: the list, the test and a turn say that it is missing, and use it once it is there", async () => {
  await using github = await startGitHub();
  const { queue, requests, model } = stage.scene();
  const baseUrl = `${stage.server.url}/${model.split("/")[0]}/v1`;
  const options = { clientId: "mine", loginUrl: github.url, apiUrl: github.url };
  await configure("gh", { api: "copilot", baseUrl, options, models: { large: {} } });
  expect(await keyOf("gh/large")).toEqual({ source: "login", isThere: false });
  expect(await tested("gh/large")).toMatchObject({ ok: false, says: "Nobody is logged in at GitHub Copilot." });
  const { id } = await begin(stage.daemon(), "gh/large");
  expect((await play(stage.daemon(), id, "hello")).error?.code).toBe("model_auth");
  expect(requests()).toEqual([]);

  expectOk(await stage.daemon().call("POST", "/api/models/gh/login", {}));
  await eventually("logged in", async () => (await keyOf("gh/large"))?.["isThere" as never] === true);
  queue(answer("ok"), answer("hello"));
  expect(await tested("gh/large")).toMatchObject({ ok: true });
  expect(await play(stage.daemon(), id, "again")).toMatchObject(COMPLETED);
  expect(requests().map(({ headers }) => headers["authorization"])).toEqual(["Bearer short-1", "Bearer short-1"]);
});

test("a key file: the list says whether it can be read, and the test names it when its key is wrong", async () => {
  const { queue, model } = stage.scene();
  const file = join(await newFolder(), "keys", "acme");
  const baseUrl = `${stage.server.url}/${model.split("/")[0]}/v1`;
  await configure("filed", { api: "openai-chat", baseUrl, key: { file }, models: { large: {} } });
  const key = (isThere: boolean) => ({ source: `file ${file}`, isThere });
  expect(await keyOf("filed/large")).toEqual(key(false));
  await mkdir(join(file, ".."), { recursive: true });
  await writeFile(file, "my-own-key\n");
  expect(await keyOf("filed/large")).toEqual(key(true));
  queue(failing(401, { error: { message: "no such key" } }));
  expect((await tested("filed/large")).says).toBe(
    `filed rejects the key (401): no such key; it comes from the file ${file}.`,
  );
  await rm(file);
  expect((await tested("filed/large")).says).toContain(`${file} cannot be read (ENOENT)`);
});
