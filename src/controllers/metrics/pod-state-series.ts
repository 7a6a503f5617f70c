import { LABEL_ARCH, LABEL_CAPACITY_TYPE, LABEL_INSTANCE_TYPE, LABEL_NODEPOOL, LABEL_ZONE } from '../../apis/labels.ts';
import type { Node, Pod } from '../../kube/objects.ts';
import { isBound, isReady } from '../../kube/pods.ts';
import { Nodes, Pods } from '../../kube/resources.ts';
import type { Labels, Series } from '../../metrics/metrics.ts';
import type { ControllerContext } from '../context.ts';

/** One series for every pod: where and how it is (karpenter-core.md 11.4.23). */
export function podStateSeries({ informers }: Pick<ControllerContext, 'informers'>): readonly Series[] {
  const nodes = informers.reader(Nodes);
  const pods = informers.reader(Pods).list();
  return pods.map((pod) => ({ value: 1, labels: labelsOf(pod, nodes.get(pod.spec.nodeName ?? '')) }));
}

function labelsOf(pod: Pod, node: Node | undefined): Labels {
  const { name, namespace = '' } = pod.metadata;
  const labels = node?.metadata.labels ?? {};
  return {
    name,
    namespace,
    owner: ownerOf(pod),
    node: pod.spec.nodeName ?? '',
    nodepool: labels[LABEL_NODEPOOL] ?? '',
    zone: labels[LABEL_ZONE] ?? '',
    arch: labels[LABEL_ARCH] ?? '',
    capacity_type: labels[LABEL_CAPACITY_TYPE] ?? '',
    instance_type: labels[LABEL_INSTANCE_TYPE] ?? '',
    phase: pod.status?.phase ?? '',
    scheduled: String(isBound(pod)),
    ready: String(isReady(pod)),
    managed: String((labels[LABEL_NODEPOOL] ?? '') !== ''),
  };
}

/** The path that the first owner would be found at if its kind were made plural by an s. */
function ownerOf({ metadata: { namespace = '', ownerReferences = [] } }: Pod): string {
  const [owner] = ownerReferences;
  if (!owner) return '';
  return `/apis/${owner.apiVersion}/namespaces/${namespace}/${owner.kind.toLowerCase()}s/${owner.name}`;
}
