import type { NodeClaimSpec } from '../../../src/apis/node-claim.ts';
import type { EC2NodeClassSpec } from '../../../src/aws-provider/apis/ec2-node-class.ts';
import type { Seeded } from '../moto/server.ts';

/** One launch that both controllers are asked for: a node class, a pool and a claim, all of the world's name. */
export interface World {
  readonly name: string;
  /** Over a class with an alias for AL2023, a role, and the account's subnets and groups; `undefined` takes a field away. */
  readonly nodeClass: Partial<{ [Field in keyof EC2NodeClassSpec]: EC2NodeClassSpec[Field] | undefined }>;
  readonly claim: Partial<Omit<NodeClaimSpec, 'nodeClassRef'>>;
  /** Its claim is tried again and again: neither launched nor given up. */
  readonly stays?: true;
  /** Its claim comes when those of the other worlds are decided: what is found sold out would be left out there, too. */
  readonly last?: true;
}

export const CLUSTER = 'side';
export const REGION = 'us-west-2';
export const DISCOVERY = { 'karpenter.sh/discovery': CLUSTER };

/** The class of a world as its user writes it. */
export function classSpec({ nodeClass }: World, { role }: Seeded): EC2NodeClassSpec {
  const spec = {
    amiSelectorTerms: [{ alias: 'al2023@latest' }],
    role,
    subnetSelectorTerms: [{ tags: DISCOVERY }],
    securityGroupSelectorTerms: [{ tags: DISCOVERY }],
    ...nodeClass,
  };
  return JSON.parse(JSON.stringify(spec)) as EC2NodeClassSpec;
}
