import { type KWOKNodeClass, KwokNodeClasses } from '../kwok-provider/apis/kwok-node-class.ts';
import { kindsOfType } from '../src/cli/node-class-kinds.ts';
import { notFound, type ObjectReference } from '../src/cli/object-reference.ts';
import { soldOutOf } from '../src/cloudprovider/sold-out.ts';
import {
  type ExplainedClass,
  explainNodeClass,
  type NodeClassExplanation,
  type ProviderView,
} from '../src/explain/node-class-explanation.ts';
import { Events, NodeClaims } from '../src/kube/resources.ts';
import type { ReadWorld } from './world-command.ts';

/** The classes of that name, of any kind, explained when they are asked for. Throws a UserError when there is none. */
export function nodeClassExplanations(
  { type, name }: ObjectReference,
  read: ReadWorld,
  bin: string,
  signal: AbortSignal,
): readonly (() => Promise<NodeClassExplanation>)[] {
  const all = kindsOfType(type.name).flatMap((resource) =>
    read.objects.of(resource).map((nodeClass) => ({ nodeClass, group: resource.group })),
  );
  const named = all.filter(({ nodeClass }) => nodeClass.metadata.name === name);
  if (named.length === 0) {
    throw notFound(
      { type, name },
      all.map(({ nodeClass }) => nodeClass.metadata.name),
      bin,
    );
  }
  const { objects, analysis } = read;
  return named.map(({ nodeClass, group }) => async () => {
    const { kind = '' } = nodeClass;
    const isKwok = kind === KwokNodeClasses.kind;
    return explainNodeClass({
      nodeClass,
      provider: isKwok ? kwokView(nodeClass as KWOKNodeClass, read) : await ec2View(nodeClass, read, signal),
      pools: analysis.world.pools.map(({ nodePool }) => nodePool),
      nodeClaims: objects.of(NodeClaims),
      soldOut: soldOutOf(nodeClass, group),
      events: objects.of(Events),
      now: analysis.world.now,
    });
  });
}

function kwokView({ kind = '', metadata, spec = {} }: KWOKNodeClass, { market }: ReadWorld): ProviderView {
  return {
    meanings: {
      Ready: {
        True: 'nodes may be launched with it',
        False: 'no node is launched with it',
        Unknown: 'it is not known yet whether nodes may be launched with it',
        healthy: 'True',
        next: 'who set it: nothing here does',
      },
    },
    types: market.typesOf({ kind, name: metadata.name }),
    driftOf: () => undefined,
    driftReasons: new Set(),
    facts: { nodeRegistrationDelay: spec.nodeRegistrationDelay ?? '0s' },
  };
}

/** Loaded only for classes of EC2. */
async function ec2View({ metadata }: ExplainedClass, read: ReadWorld, signal: AbortSignal): Promise<ProviderView> {
  const { driftOfClaim, EC2_DRIFT_REASONS, ec2ClassFacts, ec2ConditionMeanings, Ec2NodeClasses, freeAddresses } =
    await import('../src/aws-provider/reading/index.ts');
  const { objects, market } = read;
  const { name } = metadata;
  const nodeClass = objects.of(Ec2NodeClasses).find((each) => each.metadata.name === name);
  if (!nodeClass) throw new Error(`the class ${name} is not among the objects that it was found in`);
  const known = market.ec2?.classes.get(name);
  const types = known ? market.typesOf({ kind: Ec2NodeClasses.kind, name }) : undefined;
  const addresses = await freeAddresses(market.ec2?.ec2, nodeClass, signal);
  return {
    meanings: ec2ConditionMeanings(nodeClass),
    problem: known?.problem,
    types,
    driftOf: (claim) => driftOfClaim(claim, nodeClass, types ?? []),
    driftReasons: EC2_DRIFT_REASONS,
    facts: { ec2: ec2ClassFacts(nodeClass, known ?? {}, addresses) },
  };
}
