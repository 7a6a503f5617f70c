import type { NodePool } from '../src/apis/node-pool.ts';
import { useLabelAliases } from '../src/apis/normalized-labels.ts';
import {
  AWS_RULES,
  type ClassTypes,
  classTypes,
  clusterRegion,
  clusterZones,
  Ec2NodeClasses,
  type LookUps,
  typeOptions,
  withStandIns,
} from '../src/aws-provider/reading/index.ts';
import type { ReadCatalogueSource } from '../src/cli/catalogue-names.ts';
import type { ObjectSet } from '../src/cli/input/object-set.ts';
import { listed } from '../src/cli/render/listed.ts';
import type { ProviderRules } from '../src/explain/analysis.ts';
import type { Clock } from '../src/kube/clock.ts';
import { NodeClaims, NodeOverlays, NodePools, Nodes } from '../src/kube/resources.ts';
import type { FeatureGates } from '../src/operator/options.ts';
import { Ec2Facts, type Ec2FactsDeps, type WantedFacts } from './ec2-facts.ts';

/** What EC2NodeClasses can buy, by name. */
export interface Ec2Classes {
  readonly classes: ReadonlyMap<string, ClassTypes>;
  readonly rules: ProviderRules;
  /** Where AWS can be asked for more. */
  readonly ec2?: LookUps;
}

export interface Ec2MarketQuestion {
  readonly objects: ObjectSet;
  readonly told: ReadCatalogueSource;
  readonly gates: Pick<FeatureGates, 'ReservedCapacity' | 'NodeOverlay'>;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Of saved objects a class may lack what a controller would have found, and AWS is asked only when it is told to. */
  readonly isSaved: boolean;
}

/** The market of clusters on EC2. */
export class Ec2Market {
  readonly #facts: Ec2Facts;
  readonly #deps: Ec2FactsDeps;

  constructor(deps: Ec2FactsDeps) {
    this.#facts = new Ec2Facts(deps);
    this.#deps = deps;
  }

  async of(question: Ec2MarketQuestion, signal: AbortSignal): Promise<Ec2Classes> {
    const { objects, told, gates, now, isSaved } = question;
    const { env, say } = this.#deps;
    useLabelAliases(AWS_RULES);
    const given = objects.of(Ec2NodeClasses);
    const nodes = objects.of(Nodes);
    const nodeClaims = objects.of(NodeClaims);
    const region = told.region ?? clusterRegion([...nodes, ...nodeClaims], given);
    const wanted = wantedFacts(told, isSaved);
    const known = clusterZones([...nodes, ...nodeClaims], given);
    const { facts, zones, ec2, note } = await this.#facts.find({ wanted, region, zones: known }, signal);
    say(note);
    const named = objects.of<NodePool>(NodePools).flatMap(({ spec }) => {
      const { kind, name } = spec.template.spec.nodeClassRef;
      return kind === Ec2NodeClasses.kind ? [name] : [];
    });
    const { classes, standIns } = isSaved ? withStandIns(given, named, zones) : { classes: given, standIns: [] };
    if (standIns.length > 0) {
      say(`no controller has looked at EC2NodeClass ${listed(standIns)}: subnets in every zone are taken for granted`);
    }
    const found = await classTypes(
      { facts, ec2, clock: standingStill(now), options: typeOptions(env), reservedCapacity: gates.ReservedCapacity },
      { nodeClasses: classes, nodes, nodeClaims, nodeOverlays: gates.NodeOverlay ? objects.of(NodeOverlays) : [] },
      signal,
    );
    for (const [name, { problem }] of found) {
      if (problem !== undefined && named.includes(name))
        say(`nothing can be bought with EC2NodeClass ${name}: ${problem}`);
    }
    if (!ec2 && classes.some(({ status }) => (status?.capacityReservations ?? []).length > 0)) {
      say('what capacity reservations have left is known to AWS only: they count as used up');
    }
    return { classes: found, rules: AWS_RULES, ...(ec2 ? { ec2 } : {}) };
  }
}

function wantedFacts({ catalog }: ReadCatalogueSource, isSaved: boolean): WantedFacts {
  if (catalog === 'aws') return 'aws';
  return catalog !== undefined || isSaved ? 'shipped' : 'either';
}

/** A picture of a cluster is of one moment. */
function standingStill(now: number): Clock {
  return { now: () => now, sleep: () => new Promise(() => {}), setTimeout: () => () => {} };
}
