import { camelCase } from "./camel-case.ts";
import { type CallName, type CallOptions, type Client, createClient, type InputOf, type OutputOf } from "./client.ts";
import { ClientError } from "./client-error.ts";
import { SYSCALL_NAMES } from "./entries.ts";
import type { Families } from "./families.generated.ts";
import type { StreamOptions } from "./follow.ts";
import { STREAMS } from "./manifest.generated.ts";
import type { Fetch, UnknownMembers } from "./request.ts";
import { withRetries } from "./retries.ts";
import { type Ran, type RunOptions, runToEnd } from "./run-to-end.ts";

export interface ConnectOptions {
  /** `http://127.0.0.1:4200`. In Node: default `$NOMOS_URL`, else the daemon of the home. In a browser: the page's origin. */
  readonly url?: string;
  /** In Node: default `$NOMOS_TOKEN`, else the operator's token in the home. */
  readonly token?: string;
  /** Node only: default `$NOMOS_HOME`, else `~/.nomos`. */
  readonly home?: string;
  /** How often a call whose answer was lost is sent again; default 6, about six seconds. 0: never. */
  readonly retriesMax?: number;
  /** Replaces the transport. */
  readonly fetch?: Fetch;
  /** Told which members of an input the daemon did not know and ignored. */
  readonly onUnknown?: UnknownMembers;
}

/** Every syscall as `nomos.<family>.<verb>(input, options)`. A refusal is thrown as a `ClientError`. */
export interface Nomos extends Families {
  readonly url: string;
  /** A syscall by its name: `nomos.call("session.show", { id })`. */
  readonly call: <N extends CallName>(name: N, input: InputOf<N>, options?: CallOptions) => Promise<OutputOf<N>>;
  /** Starts a session with a prompt and follows it to the end of the turn. */
  readonly run: (input: InputOf<"session.start"> & { readonly prompt: string }, options?: RunOptions) => Promise<Ran>;
}

export type Connect = (options?: ConnectOptions) => Promise<Nomos>;

const RETRIES_MAX = 6;

export interface Reached {
  readonly url: string;
  readonly token: string;
  readonly retriesMax?: number | undefined;
  readonly fetch?: Fetch | undefined;
  readonly onUnknown?: UnknownMembers | undefined;
}

export function createNomos({ url, token, retriesMax, fetch, onUnknown }: Reached): Nomos {
  return nomosOf(createClient({ url, token, onUnknown, ...(fetch === undefined ? {} : { fetch }) }), retriesMax);
}

/** The families of syscalls over any client, such as one that calls a daemon in the same process. */
export function nomosOf(client: Client, retriesMax = RETRIES_MAX): Nomos {
  const callByName = withRetries(client.callByName, retriesMax);
  return {
    ...familiesOf(client, callByName),
    url: client.url,
    // The daemon's answer has the shape of the syscall table that these types were generated from.
    call: async <N extends CallName>(name: N, input: InputOf<N>, options?: CallOptions) =>
      (await callByName(name, { ...input }, options)) as OutputOf<N>,
    run: (input, options) =>
      runToEnd(
        {
          start: async () => (await callByName("session.start", { ...input }, options)) as OutputOf<"session.start">,
          show: async (id) => (await callByName("session.show", { id }, options)) as OutputOf<"session.show">,
          stream: (id) => client.stream("session.stream", { id }, options),
        },
        options,
      ),
  };
}

export function isMissing(field: "url" | "token"): ClientError {
  return new ClientError("usage", {
    message: `\`${field}\` is missing.`,
    remedy: 'Write connect({ url: "http://127.0.0.1:4200", token }). `nomos token issue` makes a token.',
    details: { field },
  });
}

/** The generated interface has exactly the names of the generated list. */
function familiesOf(client: Client, callByName: Client["callByName"]): Families {
  const families: Record<string, Record<string, unknown>> = {};
  for (const name of SYSCALL_NAMES) {
    const [family = "", verb = ""] = camelCase(name).split(".");
    families[family] ??= {};
    families[family][verb] = STREAMS.includes(name)
      ? (input: object = {}, options?: StreamOptions) => client.streamByName(name, { ...input }, options)
      : (input: object = {}, options?: CallOptions) => callByName(name, { ...input }, options);
  }
  return families as unknown as Families;
}
