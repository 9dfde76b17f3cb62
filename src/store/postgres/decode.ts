import type { RecordedEvent } from "../port.ts";
import { bytes, columnsOf, decodeRow, type EventColumns } from "../sqlite/encoding.ts";
import type { Row } from "./connection.ts";

export const EVENT_COLUMNS = "e.seq, s.name AS stream, e.version, e.type, e.prev, e.header, e.hash, e.salt, e.data";
/** An event whose stream has lost its name must be found wanting, not left out: hence the outer join. */
export const EVENT_SOURCE = "events e LEFT JOIN streams s ON s.no = e.stream";

export function decodeEvent(row: Row): RecordedEvent {
  return decodeRow(withText(row));
}

export function eventColumns(row: Row): EventColumns {
  return columnsOf(withText(row));
}

export function utf8(value: unknown): string {
  return Buffer.from(bytes(value)).toString("utf8");
}

/** Names and types are kept as bytes. */
function withText(row: Row): Row {
  const { stream, type } = row;
  return {
    ...row,
    stream: stream instanceof Uint8Array ? utf8(stream) : stream,
    type: type instanceof Uint8Array ? utf8(type) : type,
  };
}
