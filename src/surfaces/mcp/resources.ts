import {
  type ListResourcesResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from "@modelcontextprotocol/server";
import { ERROR_CATALOGUE, errorBody, type NomosError, toNomosError } from "../../contract/index.ts";
import type { Actor } from "../../domains/index.ts";
import { dispatch, type ListedDocument, mayCall, type Services, type Syscall } from "../../syscalls/index.ts";
import { documentOf } from "./content.ts";
import { type UriPattern, uriPattern } from "./uri-pattern.ts";

/** A syscall whose answer is a resource with a URI. */
export interface Document {
  readonly syscall: Syscall;
  readonly pattern: UriPattern;
  readonly title: string;
  readonly mediaType: string;
}

export interface Resources {
  readonly list: (actor: Actor, cursor: string | undefined, signal: AbortSignal) => Promise<ListResourcesResult>;
  readonly templates: (actor: Actor) => ResourceTemplateType[];
  readonly read: (actor: Actor, uri: string, signal: AbortSignal) => Promise<ReadResourceResult>;
  /** The syscall of a URI, and the input that the URI contains. */
  readonly find: (uri: string) => { readonly document: Document; readonly input: Record<string, string> } | null;
  readonly documents: readonly Document[];
}

const PAGE_SIZE = 50;

export function createResources(services: Services, table: readonly Syscall[]): Resources {
  const documents = table.flatMap((syscall): Document[] => {
    const spelled = syscall.mcp?.resource;
    if (spelled === undefined) return [];
    const { uri, title, mediaType } = spelled;
    return [{ syscall, pattern: uriPattern(uri), title, mediaType }];
  });
  const find: Resources["find"] = (uri) => {
    for (const document of documents) {
      const input = document.pattern.match(uri);
      if (input !== null) return { document, input };
    }
    return null;
  };
  const call = async (actor: Actor, syscall: Syscall, input: Record<string, unknown>, signal: AbortSignal) => {
    const output = await dispatch(services, syscall, { actor, input, key: null, signal });
    return "value" in output ? output.value : null;
  };

  return {
    documents,
    find,
    templates: (actor) =>
      documents
        .filter(({ syscall, pattern }) => !pattern.isFixed && mayCall(services, syscall, actor))
        .map(({ syscall, pattern, title, mediaType }) => ({
          name: syscall.name,
          title,
          description: `${syscall.summary}.`,
          uriTemplate: pattern.template,
          mimeType: mediaType,
        })),
    list: async (actor, cursor, signal) => {
      const sources = sourcesFor(services, table, actor);
      const at = cursor === undefined ? START : parseCursor(cursor, sources.length);
      const source = sources[at.source];
      const fixed = at === START ? fixedDocuments(services, documents, actor) : [];
      if (source === undefined) return { resources: fixed };
      const asked = { ...source.input, limit: PAGE_SIZE, ...(at.after === null ? {} : { after: at.after }) };
      const value = await call(actor, source.syscall, asked, signal).catch(rethrow);
      const page = source.syscall.mcp?.lists?.(value, asked) ?? { documents: [], next: null };
      const next = nextCursor(at, page.next, sources.length);
      const resources = [...fixed, ...page.documents.map(resourceOf)];
      return next === null ? { resources } : { resources, nextCursor: next };
    },
    read: async (actor, uri, signal) => {
      const found = find(uri);
      if (found === null) throw new ResourceNotFoundError(uri);
      const { syscall } = found.document;
      try {
        return documentOf(syscall, await call(actor, syscall, found.input, signal), found.input, uri);
      } catch (thrown) {
        const error = toNomosError(thrown);
        if (ERROR_CATALOGUE[error.code].status === 404) throw new ResourceNotFoundError(uri, error.message);
        throw protocolError(error);
      }
    },
  };
}

/** For a refusal where MCP allows no result: a protocol error. */
export function protocolError(error: NomosError): ProtocolError {
  const code =
    ERROR_CATALOGUE[error.code].status < 500 ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
  return new ProtocolError(code, error.message, errorBody(error).error);
}

interface Source {
  readonly syscall: Syscall;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Syscalls whose answers list resources. A session's own token gets those about its session, others get the rest. */
function sourcesFor(services: Services, table: readonly Syscall[], actor: Actor): readonly Source[] {
  const isOwn = actor.sessionId !== null;
  const input = actor.sessionId === null ? {} : { id: actor.sessionId };
  return table
    .filter(({ mcp, about: of }) => mcp?.lists !== undefined && (of === "session") === isOwn)
    .filter((syscall) => mayCall(services, syscall, actor))
    .map((syscall) => ({ syscall, input }));
}

function fixedDocuments(services: Services, documents: readonly Document[], actor: Actor): Resource[] {
  return documents
    .filter(({ pattern, syscall }) => pattern.isFixed && mayCall(services, syscall, actor))
    .map(({ pattern, syscall, title, mediaType }) => ({
      uri: pattern.template,
      name: syscall.name,
      title,
      description: `${syscall.summary}.`,
      mimeType: mediaType,
    }));
}

function resourceOf({ uri, name, title, mediaType, bytes }: ListedDocument): Resource {
  return {
    uri,
    name,
    description: title ?? name,
    mimeType: mediaType,
    ...(title === undefined ? {} : { title }),
    ...(bytes === undefined ? {} : { size: bytes }),
  };
}

interface Place {
  readonly source: number;
  readonly after: string | null;
}

const START: Place = { source: 0, after: null };

function nextCursor(at: Place, after: string | null, sources: number): string | null {
  const place: Place = after === null ? { source: at.source + 1, after: null } : { source: at.source, after };
  return place.source >= sources ? null : Buffer.from(JSON.stringify(place)).toString("base64url");
}

function parseCursor(cursor: string, sources: number): Place {
  const text = Buffer.from(cursor, "base64url").toString("utf8");
  const [, source, after] = /^\{"source":(\d{1,3}),"after":(null|"[^"\\]{1,64}")\}$/.exec(text) ?? [];
  if (source === undefined || after === undefined || Number(source) >= sources)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "This cursor was not given by resources/list.");
  return { source: Number(source), after: after === "null" ? null : after.slice(1, -1) };
}

function rethrow(thrown: unknown): never {
  throw protocolError(toNomosError(thrown));
}
