import { createInterface } from "node:readline";

/**
 * An agent for the Agent Client Protocol that keeps words in the memory of its own process, and nowhere else.
 * The server under test starts it, for the cases about an agent's process.
 *
 *   remember WORD, recall      the prompts it understands
 *   --last-words WORD          writes WORD to stderr and exits before the handshake
 */
interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly sessionId?: string; readonly prompt?: readonly { readonly text?: string }[] };
}

const EXIT_CODE = 7;

const heard: string[] = [];
const send = (message: object): void =>
  void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

createInterface({ input: process.stdin }).on("line", (line) => {
  const message: Message = JSON.parse(line);
  if (message.method === undefined || message.id === undefined) return;
  if (process.argv.includes("--last-words")) {
    process.stderr.write(`${process.argv.at(-1)}\n`, () => process.exit(EXIT_CODE));
    return;
  }
  const result = answer(message);
  if (result === null) send({ id: message.id, error: { code: -32_601, message: "no such method" } });
  else send({ id: message.id, result });
});
process.stdin.on("close", () => process.exit(0));

function answer({ method, params }: Message): object | null {
  if (method === "initialize") return { protocolVersion: 1, agentCapabilities: {}, authMethods: [] };
  if (method === "session/new") return { sessionId: "only" };
  if (method !== "session/prompt") return null;
  const [, command = "", word = ""] = /(\S+) ?(.*)$/.exec(params?.prompt?.at(-1)?.text ?? "") ?? [];
  if (command === "remember") heard.push(word);
  const text = command === "recall" ? `${heard.join(" ")}\n` : "noted\n";
  const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
  send({ method: "session/update", params: { sessionId: params?.sessionId, update } });
  return { stopReason: "end_turn" };
}
