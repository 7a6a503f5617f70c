import { KwokNodeClasses } from '../kwok-provider/apis/kwok-node-class.ts';
import type { NodePool } from '../src/apis/node-pool.ts';
import type { CatalogueSource, ReadCatalogueSource } from '../src/cli/catalogue-names.ts';
import type { ObjectSet } from '../src/cli/input/object-set.ts';
import { NODE_CLASS_KINDS } from '../src/cli/node-class-kinds.ts';
import { onSale } from '../src/cloudprovider/on-sale.ts';
import { soldOutOf } from '../src/cloudprovider/sold-out.ts';
import type { Resource } from '../src/kube/client.ts';
import { NodePools } from '../src/kube/resources.ts';
import type { InstanceType } from '../src/scheduling/instance-type.ts';
import type { Ec2Classes } from './ec2-market.ts';
import { type Catalogue, kwokCatalogue } from './kwok-catalogue.ts';

/** What the pools of a cluster can buy. */
export interface WorldMarket extends Catalogue {
  /** With a node class. */
  readonly typesOf: (ref: NodeClassRef) => readonly InstanceType[];
  /** Of a cluster with EC2NodeClasses that is reckoned with EC2's types. */
  readonly ec2?: Ec2Classes;
}

export interface MarketQuestion {
  readonly objects: ObjectSet;
  /** What the user told; it goes before what the cluster was started with. */
  readonly told: ReadCatalogueSource;
  readonly ofCluster: CatalogueSource;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Loaded only for clusters that need it. */
  readonly openEc2: () => Promise<Ec2Classes>;
}

type NodeClassRef = Pick<NodePool['spec']['template']['spec']['nodeClassRef'], 'kind' | 'name'>;

const EC2_KIND = 'EC2NodeClass';

/** Pools buy of the cloud that their node class is of; what its node class has sold out is not on sale. */
export async function worldMarket(question: MarketQuestion): Promise<WorldMarket> {
  const { objects, told, ofCluster, now } = question;
  const pools = objects.of<NodePool>(NodePools);
  const isOfEc2 = ({ kind }: NodeClassRef): boolean => kind === EC2_KIND;
  const refs = pools.map(({ spec }) => spec.template.spec.nodeClassRef);
  const soldOut = soldOutByClass(objects, EC2_KIND);
  const hasEc2 = refs.some(isOfEc2) || soldOut.size > 0;
  const isToldOther = told.catalog === 'kwok' || told['instance-types'] !== undefined;
  if (!hasEc2 || isToldOther) return kwokMarket(objects, await kwokCatalogue(kwokSource(told, ofCluster)), now);
  const ec2 = await question.openEc2();
  const typesByClass = new Map(
    [...ec2.classes].map(([name, { types }]) => [name, onSale(types, soldOut.get(name) ?? [], now)]),
  );
  const ofEc2 = ({ name }: NodeClassRef) => typesByClass.get(name) ?? [];
  const [first = []] = typesByClass.values();
  if (refs.every(isOfEc2)) return { typesOf: ofEc2, instanceTypes: first, rules: ec2.rules, ec2 };
  const kwok = kwokMarket(objects, await kwokCatalogue(kwokSource(told, ofCluster)), now);
  return {
    typesOf: (ref) => (isOfEc2(ref) ? ofEc2(ref) : kwok.typesOf(ref)),
    instanceTypes: kwok.instanceTypes,
    rules: {
      ...ec2.rules,
      wellKnownLabels: ec2.rules.wellKnownLabels.union(kwok.rules.wellKnownLabels),
      restrictedLabelDomains: (ec2.rules.restrictedLabelDomains ?? new Set()).union(
        kwok.rules.restrictedLabelDomains ?? new Set(),
      ),
    },
    ec2,
  };
}

function kwokSource({ catalog, ...told }: ReadCatalogueSource, ofCluster: CatalogueSource): CatalogueSource {
  if (catalog !== undefined && catalog !== 'aws') return { catalog };
  return told['instance-types'] === undefined ? ofCluster : told;
}

function kwokMarket(objects: ObjectSet, catalogue: Catalogue, now: number): WorldMarket {
  const { instanceTypes } = catalogue;
  const byClass = new Map(
    [...soldOutByClass(objects, KwokNodeClasses.kind)].map(([name, soldOut]) => [
      name,
      onSale(instanceTypes, soldOut, now),
    ]),
  );
  return {
    ...catalogue,
    typesOf: ({ kind, name }) => (kind === KwokNodeClasses.kind ? byClass.get(name) : undefined) ?? instanceTypes,
  };
}

/** By name of the class. */
function soldOutByClass(objects: ObjectSet, wanted: string) {
  return new Map(
    NODE_CLASS_KINDS.filter(({ kind }) => kind === wanted).flatMap((resource) =>
      objects
        .of(resource as Resource)
        .map((nodeClass) => [nodeClass.metadata.name, soldOutOf(nodeClass, resource.group)] as const),
    ),
  );
}
