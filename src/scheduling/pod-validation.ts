/** Pods that are refused before they are tried (karpenter-core.md 3.4.2). */
import {
  CAPACITY_TYPE_ON_DEMAND,
  CAPACITY_TYPE_RESERVED,
  CAPACITY_TYPE_SPOT,
  GROUP,
  LABEL_CAPACITY_TYPE,
  LABEL_HOSTNAME,
  LABEL_NODEPOOL,
  NORMALIZED_LABELS,
} from '../apis/labels.ts';
import type { NodeSelectorRequirement, Pod } from '../kube/objects.ts';
import { Requirements } from './requirements.ts';
import type { PodError } from './types.ts';
import type { Volumes } from './volumes.ts';

export interface PodValidationContext {
  readonly volumes: Volumes;
  readonly wellKnown: ReadonlySet<string>;
  /** Beyond karpenter.sh. */
  readonly restrictedDomains: ReadonlySet<string>;
}

const CAPACITY_TYPES = [CAPACITY_TYPE_ON_DEMAND, CAPACITY_TYPE_RESERVED, CAPACITY_TYPE_SPOT];
const OPERATORS = ['DoesNotExist', 'Exists', 'Gt', 'Gte', 'In', 'Lt', 'Lte', 'NotIn'];
const NUMERIC: ReadonlySet<string> = new Set(['Gt', 'Gte', 'Lt', 'Lte']);
/** What upstream says about pods that want none of its nodes; it keeps this to its log. */
const OPTED_OUT = `configured to not run on a Karpenter provisioned node (requirement=${LABEL_NODEPOOL} DoesNotExist)`;

/** All that is wrong with the pod; undefined when it may be tried. */
export function podProblem(pod: Pod, context: PodValidationContext): PodError | undefined {
  const { nodeSelector, affinity, volumes } = pod.spec;
  if (!nodeSelector && !affinity?.nodeAffinity && !volumes?.length) return undefined;
  const optedOut = wantsNoPool(pod);
  const labels = labelProblems(pod, context);
  const volume = context.volumes.problem(pod);
  const messages = [...(optedOut ? [OPTED_OUT] : []), ...labels, ...(volume ? [volume.message] : [])];
  if (messages.length === 0) return undefined;
  const code = volume && labels.length === 0 && !optedOut ? volume.code : 'RestrictedLabel';
  return { code, message: messages.join('; '), optedOut };
}

function wantsNoPool(pod: Pod): boolean {
  if (!pod.spec.affinity?.nodeAffinity) return false;
  return Requirements.fromPod(pod).find(LABEL_NODEPOOL)?.operator === 'DoesNotExist';
}

function labelProblems(pod: Pod, context: PodValidationContext): string[] {
  if (!pod.spec.nodeSelector && !pod.spec.affinity?.nodeAffinity) return [];
  const selector = Object.entries(pod.spec.nodeSelector ?? {}).map(([key, value]) => ({
    key,
    operator: 'In',
    values: [value],
  }));
  const required = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const problems = selector.flatMap((requirement) => requirementProblems(requirement, context));
  for (const term of required?.nodeSelectorTerms ?? []) {
    if (term.matchFields?.length) problems.push('node selector term with matchFields is not supported');
    for (const requirement of term.matchExpressions ?? []) problems.push(...requirementProblems(requirement, context));
  }
  return problems;
}

function requirementProblems(requirement: NodeSelectorRequirement, context: PodValidationContext): string[] {
  const { operator, values = [] } = requirement;
  const key = NORMALIZED_LABELS[requirement.key] ?? requirement.key;
  const problems: string[] = [];
  if (!OPERATORS.includes(operator)) {
    problems.push(`key ${key} has an unsupported operator ${operator} not in [${OPERATORS.join(' ')}]`);
  }
  if (isRestricted(key, context)) problems.push(restrictedMessage(key, context));
  if (key === LABEL_CAPACITY_TYPE && operator === 'In' && !values.some((value) => CAPACITY_TYPES.includes(value))) {
    const known = `map[${CAPACITY_TYPES.map((type) => `${type}:{}`).join(' ')}]`;
    const given = `[${values.join(' ')}]`;
    problems.push(`no valid values found in ${given} for ${key}, expected one of: ${known}, got: ${given}`);
  }
  if (operator === 'In' && values.length === 0) problems.push(`key ${key} with operator In must have a value defined`);
  if (NUMERIC.has(operator) && !(values.length === 1 && /^\+?\d+$/.test(values[0] ?? ''))) {
    problems.push(`key ${key} with operator ${operator} must have a single positive integer value`);
  }
  return problems;
}

function isRestricted(key: string, { wellKnown, restrictedDomains }: PodValidationContext): boolean {
  if (wellKnown.has(key)) return false;
  if (key === LABEL_HOSTNAME) return true;
  const domain = key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
  return [GROUP, ...restrictedDomains].some((d) => domain === d || domain.endsWith(`.${d}`));
}

function restrictedMessage(key: string, { wellKnown, restrictedDomains }: PodValidationContext): string {
  const known = [...wellKnown].sort().join(' ');
  const domains = [GROUP, ...restrictedDomains].sort().join(' ');
  return `using label ${key} is not allowed as it might interfere with the internal provisioning logic; specify a well known label: [${known}], or a custom label that does not use a restricted domain: [${domains}]`;
}
