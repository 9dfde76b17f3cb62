/** A sign-in of a browser or phone: its label begins with what it is. */
export function isDevice({ label }: { readonly label: string }): boolean {
  return /^(?:browser|phone)(?:: |$)/.test(label);
}
