import type { RequirementOperator } from '../../src/apis/node-pool.ts';
import { type Making, ZONES } from './random-world.ts';

const FAMILY = 'karpenter.kwok.sh/instance-family';
export const CPU = 'karpenter.kwok.sh/instance-cpu';
/** Numbers that users put on nodes. */
export const TIER = 'example.com/tier';
export const RACK = 'example.com/rack';
const RACKS = ['r1', 'r2', 'r3'];

/** For a pool as for a pod. */
export interface RandomExpression {
  readonly key: string;
  readonly operator: RequirementOperator;
  readonly values?: readonly string[];
}

/** A rule about a label that nodes have or may have, with any operator. */
export function randomExpression(making: Making, where: 'pool' | 'pod'): RandomExpression {
  const { choices } = making;
  const few = <T>(values: readonly T[]) => choices.some(values, 2);
  const [key, values, operators] = choices.pick<readonly [string, readonly string[], readonly RequirementOperator[]]>([
    ['topology.kubernetes.io/zone', choices.some(ZONES, 3), ['In', 'In', 'NotIn']],
    ['failure-domain.beta.kubernetes.io/zone', choices.some(ZONES, 3), ['In', 'NotIn']],
    ['karpenter.sh/capacity-type', [choices.pick(['spot', 'on-demand'])], ['In', 'NotIn']],
    ['kubernetes.io/arch', few(['amd64', 'arm64']), ['In', 'In', 'NotIn', 'Exists']],
    ['kubernetes.io/os', ['windows'], ['NotIn']],
    [CPU, [choices.pick(['1', '2', '4', '8', '16'])], ['Gt', 'Lt', 'Gte', 'Lte', 'In', 'NotIn', 'Gt', 'Lte']],
    [CPU, ['2', '4', '8'], ['In', 'NotIn']],
    [FAMILY, few(['c', 's', 'm']), ['In', 'NotIn', 'Exists']],
    ['karpenter.kwok.sh/instance-memory', [choices.pick(['16Gi', '32Gi'])], ['In', 'NotIn']],
    ['karpenter.kwok.sh/instance-memory', ['16'], ['Gt', 'Lt']],
    [
      'node.kubernetes.io/instance-type',
      few(['c-4x-amd64-linux', 's-8x-amd64-linux', 'm-4x-arm64-linux']),
      ['In', 'NotIn'],
    ],
    ['team', few(['red', 'blue']), ['In', 'NotIn', 'Exists', 'DoesNotExist']],
    [RACK, choices.some(RACKS), ['In', 'In', 'NotIn', 'Exists', 'DoesNotExist']],
    [TIER, [choices.pick(['0', '2', '3', '5'])], ['In', 'NotIn', 'Gt', 'Lt', 'Gte', 'Lte', 'Gt', 'Lt']],
    ['example.com/unknown', ['x'], ['NotIn', 'DoesNotExist', 'In']],
  ]);
  const operator = choices.pick(operators);
  making.note(`${where} operator ${operator}`);
  return operator === 'Exists' || operator === 'DoesNotExist' ? { key, operator } : { key, operator, values };
}
