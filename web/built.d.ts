/** Set by tools/bundle-web.ts: the paths of the workers, which have a hash in their name. */
declare const NOMOS_WORKERS: { readonly hub: string; readonly text: string; readonly notice: string };

declare module "*.css" {}
