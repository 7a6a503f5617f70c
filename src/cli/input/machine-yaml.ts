import type { Event } from 'js-yaml';
import type { InputDocument } from './read-documents.ts';

/**
 * The documents of a YAML text as programs write it, ten times faster than the parser that knows everything: a saved cluster
 * has millions of lines. Undefined for what that parser has to see: text that is malformed, because it says where and why;
 * anchors and aliases, because it knows how many are too many; tags and directives.
 */
export async function readMachineYaml(text: string): Promise<readonly InputDocument[] | undefined> {
  const { constructFromEvents, CORE_SCHEMA, EVENT_ID, parseEvents } = await import('js-yaml');
  let events: readonly Event[];
  let values: readonly unknown[];
  try {
    const parsed = parseEvents(text, {});
    events = parsed;
    if (events.some(isUnusual)) return undefined;
    values = constructFromEvents(parsed, { source: text, schema: CORE_SCHEMA, maxAliases: 0 });
  } catch {
    return undefined;
  }
  const lines = new Lines(text);
  const starts = events.flatMap((event, i) => (event.type === EVENT_ID.DOCUMENT ? [startOf(events[i + 1])] : []));
  return values.flatMap((value, i) =>
    value === null || value === undefined ? [] : [{ value, index: i + 1, line: lines.at(starts[i] ?? 0) }],
  );
}

/** Programs write these only where they mean to; anything else comes from a person. */
function isUnusual(event: Event): boolean {
  if ('directives' in event) return event.directives.length > 0;
  return ('anchorStart' in event && event.anchorStart >= 0) || ('tagStart' in event && event.tagStart >= 0);
}

function startOf(event: Event | undefined): number {
  if (!event) return 0;
  if ('start' in event) return event.start;
  return 'valueStart' in event ? event.valueStart : 0;
}

/** Line numbers of rising positions. */
class Lines {
  readonly #text: string;
  #position = 0;
  #line = 1;

  constructor(text: string) {
    this.#text = text;
  }

  at(position: number): number {
    for (let end = this.#text.indexOf('\n', this.#position); end >= 0 && end < position; ) {
      this.#line++;
      this.#position = end + 1;
      end = this.#text.indexOf('\n', this.#position);
    }
    return this.#line;
  }
}
