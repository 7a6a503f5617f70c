import type { WatchEvent } from '../../kube/client.ts';
import type { KubeObject } from '../../kube/objects.ts';
import { expired, refusal } from '../api-refusals.ts';
import type { JsonObject } from '../kind.ts';
import { CompactedError } from '../store/store-errors.ts';
import type { StoreEvent } from '../store/watch-event.ts';
import { matcher, tooLargeVersion } from './list-objects.ts';
import { checkListQuery, type ListQuery } from './list-options.ts';
import type { RegistryDeps } from './registry-deps.ts';
import type { ResourceRequest } from './request.ts';
import { apiVersionOf } from './resource-definition.ts';

export type ObjectEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; readonly object: JsonObject }
  | (WatchEvent<KubeObject> & { readonly type: 'ERROR' });

export interface Watching {
  /** Stops the watch; no event comes after. */
  stop(): void;
}

const bookmarkEvery = 60_000;

/**
 * The watch verb: calls `emit` for what is there (where asked) and for each change from then on, until stopped.
 * A version that is too old gives one ERROR event. Throws ApiError for bad options.
 */
export function watchObjects(
  deps: RegistryDeps,
  request: ResourceRequest,
  query: ListQuery,
  emit: (event: ObjectEvent) => void,
): Watching {
  const { store, clock } = deps;
  const { resource, namespace } = request;
  checkListQuery(query, true);
  const matches = matcher(resource, query);
  const asked = watchVersion(query.resourceVersion);
  const initial = query.sendInitialEvents ?? asked === 0;
  if (asked > store.revision) throw tooLargeVersion(asked, store.revision);
  const prefix = resource.namespaced && namespace ? `${namespace}/` : '';
  const shown = (object: JsonObject): JsonObject => deps.kinds.shown(resource, object);
  let start = asked;
  if (initial || asked === 0) {
    start = store.revision;
    if (initial) {
      for (const [, object] of store.list(resource.collection, prefix)) {
        if (matches(object)) emit({ type: 'ADDED', object: shown(object) });
      }
      if (query.sendInitialEvents && query.allowWatchBookmarks) emit(bookmark(start, true));
    }
  }

  let cancelTimer: (() => void) | undefined;
  const bookmarkLater = (): void => {
    cancelTimer = clock.setTimeout(() => {
      emit(bookmark(store.revision, false));
      bookmarkLater();
    }, bookmarkEvery);
  };
  if (query.allowWatchBookmarks) bookmarkLater();
  try {
    const unsubscribe = store.subscribe(resource.collection, start, (event) => {
      if (!event.key.startsWith(prefix)) return;
      const seen = selected(event, matches);
      if (seen) emit({ type: seen.type, object: shown(seen.object) });
    });
    return {
      stop: () => {
        unsubscribe();
        cancelTimer?.();
      },
    };
  } catch (error) {
    cancelTimer?.();
    if (!(error instanceof CompactedError)) throw error;
    emit({ type: 'ERROR', object: expired(`too old resource version: ${asked} (${error.floor})`).status });
    return { stop: () => undefined };
  }

  function bookmark(revision: number, end: boolean): ObjectEvent {
    const metadata = {
      resourceVersion: String(revision),
      ...(end ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}),
    };
    return { type: 'BOOKMARK', object: { kind: resource.kind, apiVersion: apiVersionOf(resource), metadata } };
  }
}

function watchVersion(text: string | undefined): number {
  if (text === undefined || text === '') return 0;
  if (/^\d+$/.test(text)) return Number(text);
  throw refusal(
    500,
    '',
    `resourceVersion: Invalid value: "${text}": strconv.ParseUint: parsing "${text}": invalid syntax`,
  );
}

/** A change as a watcher with a selector sees it: objects enter and leave. A leaving one is shown as it last matched. */
function selected(
  event: StoreEvent,
  matches: (object: JsonObject) => boolean,
): { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: JsonObject } | undefined {
  const before = event.previous !== undefined && matches(event.previous);
  if (event.type === 'DELETED') return before ? { type: 'DELETED', object: event.object } : undefined;
  const after = matches(event.object);
  if (after) return { type: before ? 'MODIFIED' : 'ADDED', object: event.object };
  if (!before) return undefined;
  const last = event.previous as JsonObject;
  const metadata = { ...(last.metadata as JsonObject), resourceVersion: String(event.revision) };
  return { type: 'DELETED', object: { ...last, metadata } };
}
