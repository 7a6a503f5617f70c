import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../../src/kube/client.ts';
import { isAlreadyExists } from '../../../src/kube/errors.ts';
import type { Node, Taint } from '../../../src/kube/objects.ts';
import { Nodes } from '../../../src/kube/resources.ts';
import type { MotoInstance, MotoServer } from '../moto/server.ts';
import { REGION } from './names.ts';

const BOOT_MS = 250;

/** What a machine's user data tells its kubelet. */
export interface KubeletOrders {
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
}

/** Reads the kubelet's part of a NodeConfig within MIME, as AL2023 does. */
export function kubeletOrders(userData: string): KubeletOrders {
  const text = Buffer.from(userData, 'base64').toString();
  const [, listed = ''] = /--node-labels="([^"]*)"/.exec(text) ?? [];
  const labels = Object.fromEntries(listed.split(',').map((label) => label.split('=') as [string, string]));
  const [, block = ''] = /registerWithTaints:\n((?: +(?:- | {2})(?:key|effect|value): .*\n)+)/.exec(text) ?? [];
  const taints = block
    .split(/^ *- /m)
    .slice(1)
    .map(
      (entry) =>
        Object.fromEntries(
          entry
            .trim()
            .split('\n')
            .map((line) => line.trim().split(': ')),
        ) as Taint,
    );
  return { labels, taints };
}

/** Plays the kubelets' first words: each running machine becomes a node, once. The rest is for the fake kubelets. */
export async function joinMachines(moto: MotoServer, client: Client, signal: AbortSignal): Promise<void> {
  const joined = new Set<string>();
  while (!signal.aborted) {
    for (const instance of await moto.instances(REGION)) {
      if (instance.state !== 'running' || joined.has(instance.id)) continue;
      joined.add(instance.id);
      await client.create(Nodes, nodeOf(instance)).catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
    }
    await sleep(BOOT_MS);
  }
}

function nodeOf({ id, type, zone, privateDnsName, userData }: MotoInstance): Node {
  const { labels, taints } = kubeletOrders(userData);
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: privateDnsName,
      labels: {
        ...labels,
        'kubernetes.io/hostname': privateDnsName,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'node.kubernetes.io/instance-type': type,
        'topology.kubernetes.io/zone': zone,
        'topology.kubernetes.io/region': REGION,
      },
      annotations: { 'kwok.x-k8s.io/node': 'fake' },
    },
    spec: { providerID: `aws:///${zone}/${id}`, taints },
    status: {
      capacity: { cpu: '8', memory: '16Gi', pods: '58', 'ephemeral-storage': '20Gi' },
      allocatable: { cpu: '7910m', memory: '14Gi', pods: '58', 'ephemeral-storage': '17Gi' },
    },
  } as Node;
}
