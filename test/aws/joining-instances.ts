import type { Instance } from '@aws-sdk/client-ec2';
import type { Client } from '../../src/kube/client.ts';
import type { Clock } from '../../src/kube/clock.ts';
import { isAlreadyExists } from '../../src/kube/errors.ts';
import type { Node, ResourceList } from '../../src/kube/objects.ts';
import { parseQuantityMilli } from '../../src/kube/quantity.ts';
import { NodeClaims, Nodes } from '../../src/kube/resources.ts';

export interface JoiningInstancesDeps {
  readonly client: Client;
  readonly clock: Clock;
  /** The instances of the account that have not ended. */
  readonly instances: () => Promise<readonly Instance[]>;
  /** By how many MiB nodes have less memory than their claims promise. */
  readonly missingMiB?: number;
  /** Milliseconds that an instance takes to boot. */
  readonly bootMs?: number;
}

/**
 * Plays the kubelets of EC2 instances: each that runs becomes a Node, as user data asks for it, once its claim tells of it.
 * The rest of a Node's life is a node agent's, which takes it for one of its own.
 */
export class JoiningInstances {
  readonly #deps: JoiningInstancesDeps;
  readonly #joined = new Set<string>();

  constructor(deps: JoiningInstancesDeps) {
    this.#deps = deps;
  }

  /** Looks every second, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#join(signal).catch(() => undefined);
      await this.#deps.clock.sleep(1000, signal).catch(() => undefined);
    }
  }

  async #join(signal: AbortSignal): Promise<void> {
    const { clock, client, instances, bootMs = 0 } = this.#deps;
    for (const instance of await instances()) {
      const { InstanceId: id = '', LaunchTime: launched } = instance;
      const isUp = instance.State?.Name === 'running' && clock.now() >= (launched?.getTime() ?? 0) + bootMs;
      if (!isUp || this.#joined.has(id)) continue;
      const node = await this.#node(instance, signal);
      if (!node) continue;
      await client.create(Nodes, node, {}, signal).catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
      this.#joined.add(id);
    }
  }

  async #node(instance: Instance, signal: AbortSignal): Promise<Node | undefined> {
    const providerID = `aws:///${instance.Placement?.AvailabilityZone}/${instance.InstanceId}`;
    const claims = await this.#deps.client.list(NodeClaims, {}, signal);
    const claim = claims.items.find(({ status }) => status?.providerID === providerID);
    if (!claim) return undefined;
    const name = `ip-${instance.InstanceId?.slice(2)}.us-west-2.compute.internal`;
    const { missingMiB = 0 } = this.#deps;
    const capacity = withLess(claim.status?.capacity, missingMiB);
    const allocatable = withLess(claim.status?.allocatable, missingMiB);
    return {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name,
        labels: {
          'kubernetes.io/hostname': name,
          'kubernetes.io/arch': instance.Architecture === 'arm64' ? 'arm64' : 'amd64',
          'kubernetes.io/os': 'linux',
          'node.kubernetes.io/instance-type': instance.InstanceType ?? '',
          'topology.kubernetes.io/zone': instance.Placement?.AvailabilityZone ?? '',
          'kwok.x-k8s.io/node': 'fake',
        },
        annotations: { 'kwok.x-k8s.io/node': 'fake' },
      },
      spec: { providerID, taints: [{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' }] },
      status: { capacity, allocatable, phase: 'Pending' },
    };
  }
}

function withLess(amounts: ResourceList = {}, missingMiB: number): ResourceList {
  if (missingMiB === 0 || amounts.memory === undefined) return amounts;
  const mib = parseQuantityMilli(amounts.memory) / 1000 / 2 ** 20 - missingMiB;
  return { ...amounts, memory: `${Math.floor(mib)}Mi` };
}
