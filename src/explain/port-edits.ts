import type { Container, Pod } from '../kube/objects.ts';
import type { Reason } from '../scheduling/types.ts';
import type { Edit } from './edit.ts';
import { type EditContext, podEdit } from './edit-context.ts';

/** Gives up the port of the host; a Service reaches the container without it. */
export function dropHostPort({ subject }: Reason, context: EditContext): Edit[] {
  return context.pod.spec.containers.flatMap(({ ports = [] }, c) =>
    ports.flatMap(({ hostPort }, p) =>
      hostPort !== undefined && String(hostPort) === subject
        ? [podEdit(context, `spec.containers[${c}].ports[${p}].hostPort`, subject, '', (pod) => without(pod, c, p))]
        : [],
    ),
  );
}

function without(pod: Pod, container: number, port: number): Pod {
  const changed = pod.spec.containers.map((own, c): Container => {
    if (c !== container || !own.ports) return own;
    return {
      ...own,
      ports: own.ports.map((entry, p) => {
        if (p !== port) return entry;
        const { hostPort: _, ...rest } = entry;
        return rest;
      }),
    };
  });
  return { ...pod, spec: { ...pod.spec, containers: changed } };
}
