/** A box that scrolls by itself can be reached by keyboard; one that does not is no stop on the way. Used as a ref. */
export function reachable(element: HTMLElement | null): void {
  if (element === null) return;
  if (element.scrollWidth > element.clientWidth) element.tabIndex = 0;
  else element.removeAttribute("tabindex");
}
