import type { Resource } from '../../src/kube/client.ts';
import { ApiError } from '../../src/kube/errors.ts';
import type { KubeObject } from '../../src/kube/objects.ts';

/** An object of any kind, for tests that look at what the API makes of it. */
export interface AnyObject extends KubeObject {
  readonly [key: string]: unknown;
}

/** A kind of version v1 by its names. */
export function resource(group: string, plural: string, kind: string, namespaced = true): Resource<AnyObject> {
  return { group, version: 'v1', plural, kind, namespaced };
}

/** Code and message with which the API refuses a request; empty when it doesn't. */
export async function refusal(request: Promise<unknown>): Promise<string> {
  try {
    await request;
    return '';
  } catch (error) {
    if (error instanceof ApiError) return `${error.code} ${error.message}`;
    throw error;
  }
}
