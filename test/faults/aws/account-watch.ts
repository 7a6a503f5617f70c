import { Ec2NodeClasses } from '../../../src/aws-provider/apis/ec2-node-class.ts';
import { NodeClaims } from '../../../src/kube/resources.ts';
import type { AwsEnvironment } from '../../aws/aws-environment.ts';
import { fromTags } from '../../aws/fake/filters.ts';
import { TEST_CLUSTER } from '../../aws/fake-ec2.ts';
import { providerIdOf } from './account-life.ts';

const MINUTE_MS = 60_000;
/** How long a mismatch may last while everything goes wrong, and controllers are killed. */
const PATIENCE_MS = 15 * MINUTE_MS;
/** Names are tagged once the node is there. */
const NAME_TAGS_MS = 5 * MINUTE_MS;
/** Templates are deleted a minute or two after their last use. */
const TEMPLATE_MS = 10 * MINUTE_MS;
/** Some for each class and each market, and those that wait for their end. */
const MOST_TEMPLATES = 60;

/** Compares the account with the claims, and notes what does not fit for too long. */
export class AccountWatch {
  readonly #world: AwsEnvironment;
  readonly #violated: (what: string) => void;
  /** Since when each thing has been wrong. */
  #since = new Map<string, number>();
  mostTemplates = 0;

  constructor(world: AwsEnvironment, violated: (what: string) => void) {
    this.#world = world;
    this.#violated = violated;
  }

  async look(): Promise<void> {
    const now = this.#world.env.clock.now();
    const before = this.#since;
    this.#since = new Map();
    for (const wrong of await this.mismatches()) {
      const since = before.get(wrong) ?? now;
      this.#since.set(wrong, since);
      if (now - since > PATIENCE_MS) this.#violated(wrong);
    }
    const { launchTemplates } = this.#world.aws.cloud;
    this.mostTemplates = Math.max(this.mostTemplates, launchTemplates.size);
    if (launchTemplates.size > MOST_TEMPLATES) this.#violated(`${launchTemplates.size} launch templates`);
  }

  /** Instances without a claim, claims without an instance, and tags that are missing. */
  async mismatches(): Promise<readonly string[]> {
    const { env, aws } = this.#world;
    const claims = (await env.client.list(NodeClaims)).items;
    const claimed = new Set(claims.map(({ status }) => status?.providerID));
    const { running } = aws.cloud;
    const alive = new Set(running.map(({ data }) => providerIdOf(data)));
    return [
      ...running.flatMap(({ data }) =>
        claimed.has(providerIdOf(data)) ? [] : [`instance ${data.InstanceId} has no claim`],
      ),
      ...claims.flatMap(({ metadata, status }) =>
        status?.providerID && !alive.has(status.providerID) ? [`claim ${metadata.name} has lost its instance`] : [],
      ),
      ...running.flatMap(({ data, launchedAt }) =>
        this.#missingTags(fromTags(data.Tags), launchedAt).map(
          (tag) => `instance ${data.InstanceId} has no tag ${tag}`,
        ),
      ),
    ];
  }

  /** Launch templates that are still there, though nothing has been launched for long. */
  oldTemplates(): readonly string[] {
    const { env, aws } = this.#world;
    const templates = [...aws.cloud.launchTemplates.values()].map(({ template }) => template);
    return templates
      .filter(({ CreateTime }) => env.clock.now() - (CreateTime?.getTime() ?? 0) > TEMPLATE_MS)
      .map(({ LaunchTemplateName }) => `launch template ${LaunchTemplateName} is old`);
  }

  /** What a cluster has left behind that is gone. */
  async leftovers(): Promise<readonly string[]> {
    const { env, aws } = this.#world;
    const { running, launchTemplates, profiles } = aws.cloud;
    const classes = (await env.client.list(Ec2NodeClasses)).items;
    return [
      ...running.map(({ data }) => `instance ${data.InstanceId} is left`),
      ...[...launchTemplates.keys()].map((name) => `launch template ${name} is left`),
      ...[...profiles.keys()].map((name) => `instance profile ${name} is left`),
      ...classes.map(({ metadata }) => `class ${metadata.name} is left`),
    ];
  }

  #missingTags(tags: Readonly<Record<string, string>>, launchedAt: number): readonly string[] {
    const wanted = ['karpenter.sh/nodepool', 'karpenter.k8s.aws/ec2nodeclass', `kubernetes.io/cluster/${TEST_CLUSTER}`];
    const isOld = this.#world.env.clock.now() - launchedAt > NAME_TAGS_MS;
    const missing = [...wanted, ...(isOld ? ['Name', 'karpenter.sh/nodeclaim'] : [])].filter((name) => !tags[name]);
    return tags['eks:eks-cluster-name'] === TEST_CLUSTER ? missing : [...missing, 'eks:eks-cluster-name'];
  }
}
