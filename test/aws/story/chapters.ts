import { setTimeout as sleep } from 'node:timers/promises';
import type { NodeClaim } from '../../../src/apis/node-claim.ts';
import { Ec2NodeClasses } from '../../../src/aws-provider/apis/ec2-node-class.ts';
import type { Client } from '../../../src/kube/client.ts';
import type { Pod } from '../../../src/kube/objects.ts';
import { Deployments, NodeClaims, NodePools, Nodes, Pods } from '../../../src/kube/resources.ts';
import type { Entry, MotoInstance, MotoServer, Seeded } from '../moto/server.ts';
import { fleetText } from './fleet-text.ts';
import { POOL, REGION } from './names.ts';
import { deployment, nodeClass, nodePool } from './objects.ts';

const POLL_MS = 250;
/** Where it matters how soon something happens. */
const WATCH_MS = 10;
/** How soon after its warning a machine is to be drained. */
const DRAIN_MS = 1000;
const PATIENCE_MS = 90_000;
const WANTED = 3;

const isTrue = (claim: NodeClaim, wanted: string): boolean =>
  claim.status?.conditions?.some(({ type, status }) => type === wanted && status === 'True') === true;

/** The life of a node on EC2, chapter by chapter; what is told has no names that chance gave. */
export class Chapters {
  readonly lines: string[] = [];
  readonly #moto: MotoServer;
  readonly #client: Client;
  /** Entries of the journal that are told already. */
  #read: number;
  readonly #claims: string[] = [];

  constructor(moto: MotoServer, client: Client, read: number) {
    this.#moto = moto;
    this.#client = client;
    this.#read = read;
  }

  async live(seeded: Seeded): Promise<void> {
    await this.#classBecomesReady(seeded);
    await this.#podsGetMachine();
    const first = await this.#machineJoins();
    await this.#machineIsTaggedFor(first);
    await this.#spotIsInterrupted(first);
    await this.#nobodyNeedsIt();
    await this.#everythingGoes();
  }

  async #classBecomesReady(seeded: Seeded): Promise<void> {
    this.#chapter('A class and a pool');
    await this.#client.create(Ec2NodeClasses, nodeClass(seeded));
    await this.#client.create(NodePools, nodePool());
    const { status } = await this.#until('the class is ready', async () => {
      const found = await this.#client.get(Ec2NodeClasses, { name: POOL });
      return found.status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') && found;
    });
    const zones = status?.subnets?.map(({ zone }) => zone).sort();
    this.#tell(
      `EC2NodeClass ${POOL} is Ready: subnets in ${zones?.join(', ')}; ${status?.securityGroups?.length} security`,
    );
    this.#tell(`groups; ${status?.amis?.length} AMIs; an instance profile with the role ${seeded.role}.`);
    const entries = await this.#unread();
    const profile = entries.filter(
      ({ service, action, error }) => service === 'iam' && action !== 'ListInstanceProfiles' && !error,
    );
    this.#tell(`IAM was asked to: ${[...new Set(profile.map(({ action }) => action))].join(', ')}.`);
    const rehearsed = entries.filter(({ error }) => error === 'DryRunOperation').map(({ action }) => action);
    this.#tell(
      `Rehearsed with EC2, by dry runs: ${[...new Set(rehearsed)]
        .filter((a) => a !== 'DescribeInstanceTypes')
        .sort()
        .join(', ')}.`,
    );
  }

  async #podsGetMachine(): Promise<void> {
    this.#chapter(`${WANTED} pods that fit nowhere`);
    await this.#client.create(Deployments, deployment(WANTED) as never);
    await this.#until('a claim is launched', async () =>
      (await this.#claimsNow()).find((claim) => isTrue(claim, 'Launched')),
    );
    await this.#tellClaims();
    await this.#tellFleets();
  }

  async #machineJoins(): Promise<NodeClaim> {
    this.#chapter('The machine joins');
    const claim = await this.#until('the node is initialized', async () =>
      (await this.#claimsNow()).find((each) => isTrue(each, 'Initialized')),
    );
    const node = await this.#client.get(Nodes, { name: claim.status?.nodeName ?? '' });
    const labels = Object.keys(node.metadata.labels ?? {}).filter((key) => key.startsWith('karpenter.k8s.aws/'));
    this.#tell(`Its node is registered and initialized, with ${labels.length} labels of karpenter.k8s.aws.`);
    const pods = await this.#podsRunning();
    this.#tell(`${pods.length} pods run on it.`);
    return claim;
  }

  async #machineIsTaggedFor(claim: NodeClaim): Promise<void> {
    const instance = await this.#until('the instance is tagged', async () => {
      const found = await this.#instanceOf(claim);
      return found.tags.Name ? found : undefined;
    });
    this.#tell('Tags of its instance:');
    for (const [key, value] of Object.entries(instance.tags).sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (!key.startsWith('aws:')) this.#tell(`  ${key}=${this.#named(value)}`);
    }
  }

  async #spotIsInterrupted(claim: NodeClaim): Promise<void> {
    this.#chapter('EC2 wants the machine back');
    const old = await this.#instanceOf(claim);
    await this.#moto.event(REGION, 'aws.ec2', 'EC2 Spot Instance Interruption Warning', {
      'instance-id': old.id,
      'instance-action': 'terminate',
    });
    const arrived = performance.now();
    await this.#until('the node is being drained', () => this.#isDraining(claim), WATCH_MS);
    const delay = Math.round(performance.now() - arrived);
    console.error(`drained ${delay} ms after the warning`);
    if (delay > DRAIN_MS) throw new Error(`the drain began ${delay} ms after the warning`);
    this.#tell(
      'The warning came by EventBridge and the queue. Within a second the claim was deleted, and the drain of',
    );
    this.#tell('its node had begun.');
    await this.#until('a replacement runs', async () =>
      (await this.#claimsNow()).find(
        (each) => each.metadata.name !== claim.metadata.name && isTrue(each, 'Initialized'),
      ),
    );
    await this.#tellClaims();
    await this.#tellFleets();
    await this.#until('the old machine is gone', async () => (await this.#instanceOf(claim)).state === 'terminated');
    const pods = await this.#podsRunning();
    const nodes = new Set(pods.map(({ spec }) => spec?.nodeName));
    this.#tell(`The old instance is terminated; ${pods.length} pods run on ${nodes.size} other node.`);
  }

  async #nobodyNeedsIt(): Promise<void> {
    this.#chapter('Nobody needs it any more');
    await this.#client.patch(Deployments, { name: 'web', namespace: 'default' }, {
      type: 'merge',
      body: { spec: { replicas: 0 } },
    } as never);
    await this.#until('no machine runs', async () => (await this.#running()).length === 0);
    await this.#until('no claim is left', async () => (await this.#claimsNow()).length === 0);
    this.#tell('Scaled to nothing: the empty node was disrupted, and its instance terminated.');
  }

  async #everythingGoes(): Promise<void> {
    this.#chapter('Nothing is left behind');
    await this.#client.delete(NodePools, { name: POOL });
    await this.#client.delete(Ec2NodeClasses, { name: POOL });
    await this.#until('the class is gone', async () => (await this.#client.list(Ec2NodeClasses)).items.length === 0);
    const journal = await this.#moto.journal();
    const sum = (action: string): number => journal.filter((entry) => entry.action === action && !entry.error).length;
    const left = {
      nodes: (await this.#client.list(Nodes)).items.length,
      instances: (await this.#running()).length,
      'launch templates': sum('CreateLaunchTemplate') - sum('DeleteLaunchTemplate'),
      'instance profiles': sum('CreateInstanceProfile') - sum('DeleteInstanceProfile'),
    };
    for (const [what, count] of Object.entries(left)) {
      if (count !== 0) throw new Error(`${count} ${what} are left`);
    }
    this.#tell(`No ${Object.keys(left).join(', no ')}.`);
  }

  #chapter(title: string): void {
    this.lines.push('', `## ${title}`, '');
  }

  #tell(line: string): void {
    this.lines.push(line);
  }

  async #claimsNow(): Promise<readonly NodeClaim[]> {
    return (await this.#client.list(NodeClaims)).items;
  }

  async #tellClaims(): Promise<void> {
    for (const { metadata, spec } of await this.#claimsNow()) {
      if (this.#claims.includes(metadata.name)) continue;
      this.#claims.push(metadata.name);
      const types = spec.requirements.find(({ key }) => key === 'node.kubernetes.io/instance-type')?.values?.length;
      const requests = spec.resources?.requests;
      this.#tell(
        `${this.#named(metadata.name)} asks for ${requests?.cpu} CPUs and ${requests?.memory}, of ${types} types.`,
      );
    }
  }

  async #tellFleets(): Promise<void> {
    for (const entry of await this.#unread()) {
      if (entry.action === 'CreateFleet' && !entry.error) for (const line of fleetText(entry)) this.#tell(line);
    }
    for (const claim of await this.#claimsNow()) {
      const { type, zone, spot } = await this.#instanceOf(claim);
      if (!claim.metadata.deletionTimestamp)
        this.#tell(`It became a ${type} in ${zone}, ${spot ? 'spot' : 'on demand'}.`);
    }
  }

  /** Claims by the order of their appearance. */
  #named(text: string): string {
    return this.#claims.reduce((named, name, index) => named.replace(name, `claim-${index + 1}`), text);
  }

  async #unread(): Promise<readonly Entry[]> {
    const entries = await this.#moto.journal(this.#read);
    this.#read += entries.length;
    return entries;
  }

  async #running(): Promise<readonly MotoInstance[]> {
    return (await this.#moto.instances(REGION)).filter(({ state }) => state !== 'terminated');
  }

  async #instanceOf({ metadata, status }: NodeClaim): Promise<MotoInstance> {
    const instances = await this.#moto.instances(REGION);
    const found = instances.find(({ id }) => status?.providerID?.endsWith(id));
    if (!found) throw new Error(`${metadata.name} has no instance`);
    return found;
  }

  async #podsRunning(): Promise<readonly Pod[]> {
    return await this.#until('the pods run', async () => {
      const pods = (await this.#client.list(Pods)).items.filter(({ status }) => status?.phase === 'Running');
      const there = pods.filter(({ metadata }) => !metadata.deletionTimestamp);
      return there.length === WANTED && there;
    });
  }

  /** The claim is deleted, and pods are kept off its node. */
  async #isDraining({ metadata, status }: NodeClaim): Promise<boolean> {
    const { metadata: now } = await this.#client.get(NodeClaims, { name: metadata.name });
    const { spec } = await this.#client.get(Nodes, { name: status?.nodeName ?? '' });
    return (
      now.deletionTimestamp !== undefined && spec?.taints?.some(({ key }) => key === 'karpenter.sh/disrupted') === true
    );
  }

  async #until<T>(what: string, ask: () => Promise<T | undefined | false | null>, pause = POLL_MS): Promise<T> {
    const end = performance.now() + PATIENCE_MS;
    for (;;) {
      const answer = await ask();
      if (answer) return answer;
      if (performance.now() > end) throw new Error(`it did not come to pass that ${what}`);
      await sleep(pause);
    }
  }
}
