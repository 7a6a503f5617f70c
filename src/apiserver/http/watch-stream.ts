import type { ServerResponse } from 'node:http';
import type { Clock } from '../../kube/clock.ts';
import type { JsonObject } from '../kind.ts';
import type { ObjectTexts } from '../object-texts.ts';
import type { ListQuery } from '../registry/list-options.ts';
import type { ObjectEvent, Watching } from '../registry/watch-objects.ts';
import { partialMetadata, tableOf } from '../table/table.ts';
import { type ProtobufWriter, protobufType } from './answer.ts';
import type { Presentation } from './present.ts';

/** Events that may wait for a slow client before its watch is ended; it will list again. */
const mostWaiting = 100_000;
const leastTimeout = 1800;

export interface WatchStreamDeps {
  readonly clock: Clock;
  readonly texts: ObjectTexts;
  /** For a stream of protobuf instead of JSON lines. */
  readonly protobuf?: ProtobufWriter;
}

/**
 * Streams a watch, as JSON lines or frames of protobuf, until its time is up, the client goes, or the client is too slow.
 * `begin` starts the watch; what it throws is thrown on, and nothing has been sent by then.
 */
export function streamWatch(
  { clock, texts, protobuf }: WatchStreamDeps,
  response: ServerResponse,
  query: ListQuery,
  presentation: Presentation,
  begin: (emit: (event: ObjectEvent) => void) => Watching,
): void {
  const waiting: (string | Uint8Array)[] = [];
  let open = false;
  let blocked = false;
  let ended = false;
  let watching: Watching | undefined;
  let cancelTimer: (() => void) | undefined;
  const encode = protobuf ? frameEncoder(presentation, protobuf) : eventEncoder(presentation, texts);

  const end = (): void => {
    if (ended) return;
    ended = true;
    watching?.stop();
    cancelTimer?.();
    if (!response.destroyed) response.end();
  };
  const flush = (): void => {
    blocked = false;
    while (open && !blocked && waiting.length > 0) {
      const batch = waiting.splice(0, 1000);
      blocked = !response.write(protobuf ? Buffer.concat(batch as Uint8Array[]) : batch.join(''));
    }
  };
  const emit = (event: ObjectEvent): void => {
    if (ended) return;
    waiting.push(encode(event));
    if (waiting.length > mostWaiting) end();
    else if (open && !blocked) flush();
    if (event.type === 'ERROR' && open) end();
  };

  watching = begin(emit);
  response.statusCode = 200;
  response.setHeader('Content-Type', protobuf ? `${protobufType};stream=watch` : 'application/json');
  response.setHeader('Transfer-Encoding', 'chunked');
  response.flushHeaders();
  response.on('drain', flush);
  response.on('close', end);
  open = true;
  flush();
  const seconds = query.timeoutSeconds && query.timeoutSeconds > 0 ? query.timeoutSeconds : leastTimeout;
  cancelTimer = clock.setTimeout(end, seconds * 1000);
}

function frameEncoder({ form }: Presentation, protobuf: ProtobufWriter): (event: ObjectEvent) => Uint8Array {
  return (event) => {
    const object = event.object as JsonObject;
    const whole = event.type === 'ERROR' || form === 'object';
    return protobuf.encodeEvent(event.type, whole ? object : partialMetadata(object));
  };
}

function eventEncoder(presentation: Presentation, texts: ObjectTexts): (event: ObjectEvent) => string {
  let first = true;
  const line = (type: string, object: string): string => `{"type":"${type}","object":${object}}\n`;
  return (event) => {
    if (event.type === 'ERROR' || presentation.form === 'object') return line(event.type, texts.of(event.object));
    const object = event.object as JsonObject;
    if (presentation.form !== 'Table') return line(event.type, JSON.stringify(partialMetadata(object)));
    const table = tableOf(
      event.type === 'BOOKMARK' ? { columns: [], row: () => [] } : presentation.view(),
      [object],
      {},
      presentation.includeObject,
      presentation.context,
    );
    const shown = first ? table : { ...table, columnDefinitions: null };
    first = false;
    return line(event.type, JSON.stringify(shown));
  };
}
