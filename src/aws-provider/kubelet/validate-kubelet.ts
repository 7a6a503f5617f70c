import { parseDuration } from '../../apis/duration.ts';
import { FieldTypeError, type JsonObject } from '../../apiserver/kind.ts';
import { BuiltinTypes, decode, type StructType, type TypeTable } from '../../apiserver/types/index.ts';
import { goJson, goQuote } from '../../apiserver/validation/go-text.ts';
import { compareQuantities, parseQuantity } from '../../kube/quantity.ts';
import type { KubeletConfiguration } from '../apis/ec2-node-class.ts';
import table from './kubelet-types.generated.json' with { type: 'json' };

const SIGNALS = [
  'memory.available',
  'nodefs.available',
  'nodefs.inodesFree',
  'imagefs.available',
  'imagefs.inodesFree',
  'pid.available',
];
const RESERVABLE = ['cpu', 'memory', 'ephemeral-storage', 'pid'];
const PERCENTAGE = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

type Strings = Readonly<Record<string, string>>;

let struct: StructType | undefined;

/** The kubelet's own type, v1beta1 of Kubernetes v1.36. */
function kubeletType(): StructType {
  const types = new BuiltinTypes(table as unknown as TypeTable, {});
  struct ??= types.kind('kubelet.config.k8s.io/v1beta1', 'KubeletConfiguration');
  if (struct === undefined) throw new RangeError('the table has no KubeletConfiguration');
  return struct;
}

/**
 * What is wrong with the form of `spec.kubelet`, every problem in a line; nodes would not start with it, or do something
 * else than it says (aws-provider.md section 5). Expressions are looked at elsewhere.
 */
export function kubeletProblems(kubelet: KubeletConfiguration | undefined): readonly string[] {
  if (kubelet === undefined || Object.keys(kubelet).length === 0) return [];
  return [
    ...typeProblems(kubelet),
    ...ownedFieldProblems(kubelet),
    ...evictionProblems(kubelet),
    ...pairProblems(kubelet),
    ...reservedProblems(kubelet),
    ...numberProblems(kubelet),
  ];
}

/** The kubelet's strict decoder. A value of a wrong type hides the fields that are unknown, as it does upstream. */
function typeProblems(kubelet: KubeletConfiguration): readonly string[] {
  const { maxPods } = kubelet;
  const isExpression = typeof maxPods === 'string' || maxPods === null;
  const numbered = isExpression ? { ...kubelet, maxPods: 0 } : kubelet;
  try {
    const { unknown } = decode(JSON.parse(goJson(numbered)) as JsonObject, kubeletType());
    return unknown.map((problem) => `spec.kubelet: ${problem}`);
  } catch (error) {
    if (!(error instanceof FieldTypeError)) throw error;
    return [`spec.kubelet: ${error.message}`];
  }
}

function ownedFieldProblems(kubelet: KubeletConfiguration): readonly string[] {
  if (!('registerWithTaints' in kubelet)) return [];
  return [
    "spec.kubelet.registerWithTaints: can't be set, Karpenter sets it from the NodeClaim's taints so the node registers unschedulable until it's ready",
  ];
}

function evictionProblems(kubelet: KubeletConfiguration): readonly string[] {
  return ['evictionHard', 'evictionSoft', 'evictionSoftGracePeriod', 'evictionMinimumReclaim'].flatMap((field) =>
    sorted(stringMap(kubelet, field)).flatMap(([signal, value]) => {
      const path = `spec.kubelet.${field}[${signal}]: ${goQuote(value)}`;
      const problem = field === 'evictionSoftGracePeriod' ? gracePeriodProblem(value) : thresholdProblem(value);
      return [
        ...(SIGNALS.includes(signal)
          ? []
          : [
              `spec.kubelet.${field}: ${goQuote(signal)} isn't a valid eviction signal, must be one of ${SIGNALS.join(', ')}`,
            ]),
        ...(problem === undefined ? [] : [`${path} ${problem}`]),
      ];
    }),
  );
}

function thresholdProblem(value: string): string | undefined {
  const wrong = 'must be a percentage or a resource quantity';
  if (value.endsWith('%')) {
    const digits = value.slice(0, -1);
    const share = PERCENTAGE.test(digits) ? Number(digits) : -1;
    return share >= 0 && share <= 100 ? undefined : wrong;
  }
  try {
    const negative = compareQuantities(parseQuantity(value), parseQuantity('0')) < 0;
    return negative ? "can't be a negative resource quantity" : undefined;
  } catch {
    return wrong;
  }
}

function gracePeriodProblem(value: string): string | undefined {
  const ms = parseDuration(value);
  if (ms === undefined) return 'must be a duration';
  return ms < 0 ? "can't be a negative duration" : undefined;
}

/** The kubelet ignores soft thresholds without a grace period, and refuses grace periods without a threshold. */
function pairProblems(kubelet: KubeletConfiguration): readonly string[] {
  const lacking = (field: string, other: string): readonly string[] => {
    const others = stringMap(kubelet, other);
    return sorted(stringMap(kubelet, field))
      .filter(([signal]) => !Object.hasOwn(others, signal))
      .map(([signal]) => `spec.kubelet.${field}[${signal}]: has no matching ${other}`);
  };
  return [...lacking('evictionSoft', 'evictionSoftGracePeriod'), ...lacking('evictionSoftGracePeriod', 'evictionSoft')];
}

function reservedProblems(kubelet: KubeletConfiguration): readonly string[] {
  return ['kubeReserved', 'systemReserved'].flatMap((field) =>
    sorted(stringMap(kubelet, field)).flatMap(([resource, value]) => [
      ...(RESERVABLE.includes(resource)
        ? []
        : [
            `spec.kubelet.${field}: ${goQuote(resource)} isn't a reservable resource, must be one of ${RESERVABLE.join(', ')}`,
          ]),
      ...(value.startsWith('-')
        ? [`spec.kubelet.${field}[${resource}]: ${goQuote(value)} can't be a negative resource quantity`]
        : []),
    ]),
  );
}

function numberProblems(kubelet: KubeletConfiguration): readonly string[] {
  const problems: string[] = [];
  const high = integer(kubelet, 'imageGCHighThresholdPercent');
  const low = integer(kubelet, 'imageGCLowThresholdPercent');
  for (const [field, value] of Object.entries({ imageGCHighThresholdPercent: high, imageGCLowThresholdPercent: low })) {
    if (value !== undefined && (value < 0 || value > 100)) {
      problems.push(`spec.kubelet.${field}: ${value} must be between 0 and 100`);
    }
  }
  for (const field of ['podsPerCore', 'evictionMaxPodGracePeriod', 'maxPods']) {
    const value = integer(kubelet, field);
    if (value !== undefined && value < 0) problems.push(`spec.kubelet.${field}: ${value} can't be negative`);
  }
  if (high !== undefined && low !== undefined && high <= low) {
    problems.push(
      `spec.kubelet: imageGCHighThresholdPercent (${high}) must be greater than imageGCLowThresholdPercent (${low})`,
    );
  }
  return problems;
}

/** Of a field that is no map of texts nothing: the decoder tells that it should be one. */
function stringMap(kubelet: KubeletConfiguration, field: string): Strings {
  const value = kubelet[field];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  // To Go, null is an empty text.
  const items = Object.entries(value).map(([key, item]) => [key, item ?? ''] as const);
  return items.every(([, item]) => typeof item === 'string') ? Object.fromEntries(items) : {};
}

const sorted = (map: Strings): readonly (readonly [string, string])[] =>
  Object.entries(map).toSorted(([a], [b]) => (a < b ? -1 : 1));

/** To Go, null is nought. */
function integer(kubelet: KubeletConfiguration, field: string): number | undefined {
  const value = kubelet[field];
  if (value === null) return 0;
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
}
