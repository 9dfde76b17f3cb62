import { once } from "node:events";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { WebSocket } from "ws";
import { catalogued } from "../../../src/client/index.ts";
import type { Syscall } from "../../../src/syscalls/index.ts";
import { runCliHere } from "../../support/cli-here.ts";
import { BIN, runCli, startCli, type TestDaemon } from "../../support/daemon.ts";
import { lineTalk } from "../../support/line-talk.ts";
import { connectedClient, type McpVersion } from "../../support/mcp-client.ts";
import { sampled } from "../../support/sampled.ts";

export type Outcome = { readonly value: unknown } | { readonly error: unknown };

export interface Item {
  readonly event: string;
  readonly data: unknown;
  readonly id?: number;
}

/** One client of one surface, with one token. */
export interface Speaker {
  readonly call: (syscall: Syscall, input: Record<string, unknown>) => Promise<Outcome>;
  /** The first items of a stream; all of them when it ends earlier. */
  readonly follow: (syscall: Syscall, input: Record<string, unknown>, count: number) => Promise<readonly Item[]>;
  readonly close: () => Promise<void>;
}

export type Surface = (daemon: TestDaemon, token: string) => Promise<Speaker>;

export const SURFACES: { readonly [name: string]: Surface } = {
  HTTP: http,
  "command line": commandLine,
  "MCP 2025-11-25 over HTTP": (daemon, token) => mcpHttp(daemon, token, "2025-11-25"),
  "MCP 2026-07-28 over HTTP": (daemon, token) => mcpHttp(daemon, token, "2026-07-28"),
  "MCP over stdio": mcpStdio,
  "RPC over stdio": rpcStdio,
  WebSocket: webSocket,
};

async function http(daemon: TestDaemon, token: string): Promise<Speaker> {
  const ask = (syscall: Syscall, input: Record<string, unknown>, signal?: AbortSignal): Promise<Response> => {
    const { method, path } = syscall.http;
    const rest = { ...input };
    const filled = path.replace(/:(\w+)/g, (_whole, name: string) => {
      const value = String(rest[name]);
      delete rest[name];
      return encodeURIComponent(value);
    });
    const byQuery = method === "GET" || method === "DELETE";
    const query = Object.entries(rest).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
    return fetch(`${daemon.url}${filled}${byQuery && query.length > 0 ? `?${query.join("&")}` : ""}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", accept: "application/json" },
      ...(byQuery ? {} : { body: JSON.stringify(rest) }),
      ...(signal === undefined ? {} : { signal }),
    });
  };
  return {
    call: async (syscall, input) => {
      const response = await ask(syscall, input);
      if (syscall.kind === "stream" && response.status === 200) {
        await response.body?.cancel();
        return { value: "a stream" };
      }
      return outcomeOf(await response.json());
    },
    follow: async (syscall, input, count) => {
      const stop = new AbortController();
      const response = await ask(syscall, input, stop.signal);
      const items: Item[] = [];
      let rest = "";
      for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
        const frames = (rest + chunk).split("\n\n");
        rest = frames.pop() ?? "";
        items.push(...frames.filter((frame) => !frame.startsWith(":")).map(itemOf));
        if (items.length >= count) break;
      }
      stop.abort();
      return items.slice(0, count);
    },
    close: async () => undefined,
  };
}

function itemOf(frame: string): Item {
  const lines = frame.split("\n");
  const field = (name: string): string | undefined =>
    lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const id = field("id");
  const item = { event: field("event") ?? "", data: JSON.parse(field("data") ?? "null") };
  return id === undefined ? item : { ...item, id: Number(id) };
}

/** The other calls run the same commands in this process. */
const PROCESS_EVERY = sampled(1, 4);

async function commandLine(daemon: TestDaemon, token: string): Promise<Speaker> {
  const env = { NOMOS_URL: daemon.url, NOMOS_TOKEN: token };
  const words = (syscall: Syscall, input: Record<string, unknown>): string[] => [
    ...syscall.name.split("."),
    ...Object.entries(input).map(([name, value]) =>
      isFile(syscall, name, value)
        ? option(name, "-")
        : syscall.confidential?.includes(name) === true
          ? (PIPED[name] ?? "")
          : option(name, value),
    ),
  ];
  let calls = 0;
  return {
    call: async (syscall, input) => {
      const [family = "", ...rest] = words(syscall, input);
      calls += 1;
      const { exitCode, stdout, stderr } =
        calls % PROCESS_EVERY === 0
          ? await runCli([family, ...rest, "--json"], { home: daemon.home, env, input: pipedText(syscall, input) })
          : await runCliHere(family, rest, daemon.home, { env, input: pipedText(syscall, input) });
      if (stdout === "") throw new Error(`${syscall.name} printed nothing: ${stderr}`);
      const outcome = outcomeOf(JSON.parse(stdout));
      const code = "error" in outcome ? String(Reflect.get(Object(outcome.error), "code")) : null;
      if (code !== null && exitCode !== catalogued(code).exit)
        throw new Error(`${syscall.name} is refused with ${code} and exits with ${exitCode}`);
      return outcome;
    },
    follow: async (syscall, input, count) => {
      const child = startCli([...words(syscall, input), "--json"], { home: daemon.home, env });
      const { received } = lineTalk(child);
      const ended = once(child, "close");
      while (received.length < count && child.exitCode === null)
        await new Promise((resolve) => setTimeout(resolve, 20));
      child.kill("SIGTERM");
      await ended;
      return received.slice(0, count).map(({ event, data, id }) => item(event, data, id));
    },
    close: async () => undefined,
  };
}

/** A secret is never an argument: the word that says it comes from standard input. */
const PIPED: { readonly [member: string]: string } = { value: "--stdin", passphrase: "--stdin", entries: "-" };

/** Its text is read from a file, or from standard input. */
function isFile({ cli }: Syscall, name: string, value: unknown): boolean {
  return cli.files?.includes(name) === true && typeof value === "string";
}

function pipedText({ cli, confidential = [] }: Syscall, input: Record<string, unknown>): string {
  const { entries } = input;
  if (Array.isArray(entries)) return entries.map(({ name, value }) => `${name}=${value}\n`).join("");
  const piped = [...confidential, ...(cli.files ?? []).filter((name) => typeof input[name] === "string")];
  return String(piped.map((member) => input[member]).find((value) => value !== undefined) ?? "");
}

function option(name: string, value: unknown): string {
  const spelled = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  if (typeof value === "boolean") return value ? `--${spelled}` : `--no-${spelled}`;
  const isList = Array.isArray(value) && value.every((one) => typeof one === "string");
  if (isList) return `--${spelled}=${value.join(",")}`;
  return `--${spelled}=${typeof value === "object" ? JSON.stringify(value) : String(value)}`;
}

async function mcpHttp(daemon: TestDaemon, token: string, version: McpVersion): Promise<Speaker> {
  const headers = { authorization: `Bearer ${token}` };
  const transport = new StreamableHTTPClientTransport(new URL(`${daemon.url}/mcp?toolsets=all`), {
    requestInit: { headers },
  });
  return mcp(transport, version);
}

async function mcpStdio(daemon: TestDaemon, token: string): Promise<Speaker> {
  const { PATH = "" } = process.env;
  const env = { PATH, NOMOS_HOME: daemon.home, NOMOS_TOKEN: token };
  return mcp(
    new StdioClientTransport({ command: process.execPath, args: [BIN, "mcp", "--toolsets", "all"], env }),
    "2025-11-25",
  );
}

async function mcp(transport: Parameters<typeof connectedClient>[0], version: McpVersion): Promise<Speaker> {
  const client = await connectedClient(transport, version);
  // So that the client checks every answer against its listed schema.
  await client.listTools();
  const call: Speaker["call"] = async ({ name }, input) => {
    const result = await client.callTool({ name: name.replaceAll(/[.-]/g, "_"), arguments: input });
    return outcomeOf(result.structuredContent);
  };
  return {
    call,
    follow: async (syscall, input, count) => {
      const outcome = await call(syscall, { ...input, limit: count, waitMs: 2000 });
      const items = "value" in outcome ? Reflect.get(Object(outcome.value), "items") : [];
      return Array.isArray(items) ? items.slice(0, count) : [];
    },
    close: () => client.close(),
  };
}

/** The RPC protocol over any transport. */
interface Wire {
  readonly send: (message: object) => void;
  readonly heard: (fits: (message: Record<string, unknown>) => boolean) => Promise<Record<string, unknown>>;
  readonly received: readonly Record<string, unknown>[];
  readonly close: () => Promise<void>;
}

async function rpcStdio(daemon: TestDaemon, token: string): Promise<Speaker> {
  const child = startCli(["rpc"], { home: daemon.home, env: { NOMOS_TOKEN: token } });
  const { say, heard, received, end } = lineTalk(child);
  return rpc({ send: say, heard, received, close: async () => void (await end()) });
}

async function webSocket(daemon: TestDaemon, token: string): Promise<Speaker> {
  const headers = { authorization: `Bearer ${token}` };
  const socket = new WebSocket(`${daemon.url.replace("http", "ws")}/api/ws`, { headers });
  await once(socket, "open");
  const received: Record<string, unknown>[] = [];
  socket.on("message", (data) => received.push(JSON.parse(String(data))));
  const heard: Wire["heard"] = async (fits) => {
    while (true) {
      const found = received.find(fits);
      if (found !== undefined) return found;
      await once(socket, "message");
    }
  };
  return rpc({
    send: (message) => socket.send(JSON.stringify(message)),
    heard,
    received,
    close: async () => {
      socket.close();
      await once(socket, "close");
    },
  });
}

function rpc({ send, heard, received, close }: Wire): Speaker {
  let last = 0;
  const ask = async (method: string, params: Record<string, unknown>): Promise<Outcome> => {
    const id = ++last;
    send({ id, method, params });
    const answer = await heard((message) => message["id"] === id);
    return "error" in answer ? { error: answer["error"] } : { value: answer["result"] };
  };
  return {
    call: ({ name, kind }, input) =>
      kind === "stream" ? ask("subscribe", { method: name, params: input }) : ask(name, input),
    follow: async ({ name }, input, count) => {
      const opened = await ask("subscribe", { method: name, params: input });
      const subscription = "value" in opened ? Reflect.get(Object(opened.value), "subscription") : null;
      const mine = () => received.filter((message) => message["subscription"] === subscription);
      await heard(() => mine().length > count || mine().some(({ event }) => event === "closed"));
      await ask("unsubscribe", { subscription });
      const items = mine().filter(({ event }) => event !== "closed");
      return items.slice(0, count).map(({ event, data, cursor }) => item(event, data, cursor));
    },
    close,
  };
}

function item(event: unknown, data: unknown, id: unknown): Item {
  const made = { event: String(event), data };
  return id === undefined ? made : { ...made, id: Number(id) };
}

function outcomeOf(answer: unknown): Outcome {
  const error: unknown = Reflect.get(Object(answer), "error");
  const isRefusal = typeof error === "object" && error !== null && "remedy" in error;
  return isRefusal ? { error } : { value: answer };
}
