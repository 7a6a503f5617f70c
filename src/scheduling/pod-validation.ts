/** Pods that are refused before they are tried (karpenter-core.md 3.4.2). */
import { LABEL_NODEPOOL } from '../apis/labels.ts';
import { requirementProblems } from '../apis/requirement-problems.ts';
import type { LabelRules } from '../apis/restricted-labels.ts';
import type { Pod } from '../kube/objects.ts';
import { Requirements } from './requirements.ts';
import type { PodError } from './types.ts';
import type { Volumes } from './volumes.ts';

/** What upstream says about pods that want none of its nodes; it keeps this to its log. */
const OPTED_OUT = `configured to not run on a Karpenter provisioned node (requirement=${LABEL_NODEPOOL} DoesNotExist)`;

/** All that is wrong with the pod; undefined when it may be tried. */
export function podProblem(pod: Pod, volumes: Volumes, rules: LabelRules): PodError | undefined {
  if (!pod.spec.nodeSelector && !pod.spec.affinity?.nodeAffinity && !pod.spec.volumes?.length) return undefined;
  const optedOut = wantsNoPool(pod);
  const labels = labelProblems(pod, rules);
  const volume = volumes.problem(pod);
  const messages = [...(optedOut ? [OPTED_OUT] : []), ...labels, ...(volume ? [volume.message] : [])];
  if (messages.length === 0) return undefined;
  const code = volume && labels.length === 0 && !optedOut ? volume.code : 'RestrictedLabel';
  return { code, message: messages.join('; '), optedOut };
}

function wantsNoPool(pod: Pod): boolean {
  if (!pod.spec.affinity?.nodeAffinity) return false;
  return Requirements.fromPod(pod).find(LABEL_NODEPOOL)?.operator === 'DoesNotExist';
}

function labelProblems(pod: Pod, rules: LabelRules): string[] {
  if (!pod.spec.nodeSelector && !pod.spec.affinity?.nodeAffinity) return [];
  const selector = Object.entries(pod.spec.nodeSelector ?? {}).map(([key, value]) => ({
    key,
    operator: 'In',
    values: [value],
  }));
  const required = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const problems = selector.flatMap((requirement) => requirementProblems(requirement, rules));
  for (const term of required?.nodeSelectorTerms ?? []) {
    if (term.matchFields?.length) problems.push('node selector term with matchFields is not supported');
    for (const requirement of term.matchExpressions ?? []) problems.push(...requirementProblems(requirement, rules));
  }
  return problems;
}
