import type { Conditioned } from '../../apis/conditions.ts';
import type { Resource } from '../../kube/client.ts';
import type { Condition } from '../../kube/objects.ts';
import type { StatusKind } from '../../metrics/definitions/statuses.ts';
import type { Labels } from '../../metrics/metrics.ts';
import { statusLabelName } from '../metrics/node-labels.ts';

/** What is measured of a kind. */
export interface StatusOf<T extends Conditioned> {
  readonly kind: StatusKind;
  readonly resource: Resource<T>;
  /** The conditions that the object has, or ought to have. */
  readonly conditionsOf: (object: T) => readonly Condition[];
  /** Keys of the object's labels that its metrics have too. */
  readonly labels: readonly string[];
  /** Also under the names that all kinds share, which upstream has kept for old dashboards. */
  readonly deprecated: boolean;
}

/** Labels of the object that belong to its metrics. */
export function ownLabels({ labels }: { readonly labels: readonly string[] }, { metadata }: Conditioned): Labels {
  return Object.fromEntries(labels.map((key) => [statusLabelName(key), metadata.labels?.[key] ?? '']));
}

/** Which kind it is, for the metrics that all kinds share. */
export function kindLabels({ resource }: { readonly resource: Resource }): Labels {
  return { group: resource.group, kind: resource.kind };
}
