/** The part of Trusted Types that is used; compilers do not know them yet. */
interface Policies {
  readonly createPolicy: (
    name: string,
    rules: { readonly createScriptURL: (url: string) => string },
  ) => { readonly createScriptURL: (url: string) => string };
}

const OWN_FILE = /^\/assets\/[\w-]+\.js$/;

let policy: ReturnType<Policies["createPolicy"]> | undefined;

/** The address of a worker, in the form the page's policy demands. Only files of this build are allowed. */
export function trustedUrl(path: string): string {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: Policies };
  if (trustedTypes === undefined) return ownFile(path);
  policy ??= trustedTypes.createPolicy("nomos", { createScriptURL: ownFile });
  return policy.createScriptURL(path);
}

function ownFile(path: string): string {
  if (!OWN_FILE.test(path)) throw new TypeError(`${path} is no file of the dashboard`);
  return path;
}
