/** What each instance type of a pool comes to for one pod. */
import { LABEL_CAPACITY_TYPE } from '../apis/labels.ts';
import { formatMilli } from '../kube/quantity.ts';
import type { InstanceType } from './instance-type.ts';
import type { Requirements } from './requirements.ts';
import type { Resources } from './resources.ts';

export interface TypeVerdict {
  readonly instanceType: string;
  /** The first question that it fails: a label key, `size`, `limits` or `on sale`; absent when it would do. */
  readonly refusedBy?: string;
  /** What was asked of the label, or what is short: what pod and daemons ask for, and the most there is. */
  readonly detail?: string;
  /** Per hour, the cheapest offering on sale that the labels of pool and pod allow; rules about other pods may leave dearer ones. */
  readonly offer?: { readonly capacityType: string; readonly price: number };
}

export function refusal({ name }: InstanceType, refusedBy: string, detail?: string): TypeVerdict {
  return { instanceType: name, refusedBy, ...(detail ? { detail } : {}) };
}

/** `cpu 4100m asked, 4 there`, for each resource of which even the roomiest way of buying the type has too little. */
export function shortage(asked: Resources, rooms: readonly Resources[]): string {
  return Object.keys(asked)
    .flatMap((name) => {
      const most = Math.max(...rooms.map((room) => room[name] ?? 0));
      const wanted = asked[name] ?? 0;
      return wanted > most ? [`${name} ${formatMilli(name, wanted)} asked, ${formatMilli(name, most)} there`] : [];
    })
    .join(', ');
}

/** `asked` is everything that pool and pod want of labels. */
export function wouldDo({ name, offerings }: InstanceType, asked: Requirements): TypeVerdict {
  const [cheapest] = offerings
    .filter(({ available, requirements }) => available && requirements.intersects(asked))
    .sort((a, b) => a.price - b.price);
  if (!cheapest) return { instanceType: name };
  return {
    instanceType: name,
    offer: { capacityType: cheapest.requirements.get(LABEL_CAPACITY_TYPE).any(), price: cheapest.price },
  };
}
