import { createDocument } from "@mixmark-io/domino";

/** The part of the DOM that is used here. The compiler knows no DOM: this tree is Node's. */
export interface PageNode {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly textContent: string;
  readonly childNodes: Iterable<PageNode>;
  readonly parentNode: PageNode | null;
}

export interface PageElement extends PageNode {
  readonly getAttribute: (name: string) => string | null;
  readonly setAttribute: (name: string, value: string) => void;
  readonly removeAttribute: (name: string) => void;
  readonly hasAttribute: (name: string) => boolean;
  readonly querySelectorAll: (selector: string) => Iterable<PageElement>;
  readonly querySelector: (selector: string) => PageElement | null;
  readonly remove: () => void;
  readonly innerHTML: string;
}

export interface PageDocument extends PageElement {
  readonly title: string;
  readonly body: PageElement;
}

export function parsePage(html: string, url: string): PageDocument {
  const document = createDocument(html) as PageDocument;
  const base = document.querySelector("base[href]")?.getAttribute("href") ?? "";
  const baseURI = URL.parse(base, url)?.href ?? url;
  // Both throw in domino, and Readability asks for them.
  for (const name of ["baseURI", "documentURI"]) Object.defineProperty(document, name, { value: baseURI });
  makeIterable(document);
  for (const [name, selector] of LINKS) {
    for (const element of document.querySelectorAll(selector)) absolute(element, name, baseURI);
  }
  return document;
}

const LINKS = [
  ["href", "a[href]"],
  ["src", "img[src]"],
] as const;

/** Addresses that are no web pages go: a `data:` image is long and shows a model nothing. */
function absolute(element: PageElement, name: string, base: string): void {
  const url = URL.parse(element.getAttribute(name) ?? "", base);
  if (url !== null && /^(https?|mailto):$/.test(url.protocol)) element.setAttribute(name, url.href);
  else element.removeAttribute(name);
}

/** Some of domino's lists are older than iteration, and Readability walks all of them with `for ... of`. */
function makeIterable(document: PageDocument): void {
  const lists: object[] = [];
  for (const name of ["children", "childNodes", "attributes", "classList"])
    lists.push(Reflect.get(document.body, name));
  const byTag: unknown = Reflect.get(document, "getElementsByTagName");
  if (typeof byTag === "function") lists.push(byTag.call(document, "p"));
  for (const list of lists) {
    if (Symbol.iterator in list) continue;
    Object.defineProperty(Object.getPrototypeOf(list), Symbol.iterator, { value: Array.prototype[Symbol.iterator] });
  }
}
