import type { Labels } from '../../kube/label-requirement.ts';
import type { Pod } from '../../kube/objects.ts';

/** All that a selector can see of a pod. */
export interface LabelShape {
  readonly namespace: string;
  readonly labels: Labels;
  readonly terminating: boolean;
}

/** Gives pods with equal labels the same shape, so that thousands of replicas are matched once. */
export class LabelShapes {
  readonly #shapes = new Map<string, LabelShape>();

  of({ metadata }: Pod): LabelShape {
    const { namespace = '', labels = {}, deletionTimestamp } = metadata;
    const terminating = deletionTimestamp !== undefined;
    const key = JSON.stringify([namespace, terminating, Object.entries(labels).sort()]);
    const known = this.#shapes.get(key);
    if (known !== undefined) return known;
    const shape = { namespace, labels, terminating };
    this.#shapes.set(key, shape);
    return shape;
  }
}
