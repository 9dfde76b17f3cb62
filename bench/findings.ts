/** By figure: what a profile showed where an aim was missed, and what would meet it. Shown only while it is missed. */
export const FINDINGS: { readonly [figure: string]: string } = {};
