import type { Condition } from './objects.ts';

interface Conditioned {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** What an object's status says under a type; undefined when it says nothing. */
export function findCondition(object: Conditioned | undefined, type: string): Condition | undefined {
  return object?.status?.conditions?.find((condition) => condition.type === type);
}

export function conditionIsTrue(object: Conditioned | undefined, type: string): boolean {
  return findCondition(object, type)?.status === 'True';
}
