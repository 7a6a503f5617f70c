import type { NodePool } from '../src/apis/node-pool.ts';
import { BaseCommand } from '../src/cli/base-command.ts';
import type { CatalogueSource, ReadCatalogueSource } from '../src/cli/catalogue-names.ts';
import { type Connection, connect } from '../src/cli/cluster/connect.ts';
import type { ConnectionFlags } from '../src/cli/cluster/connection-flags.ts';
import { KNOWN_RESOURCES, readResources } from '../src/cli/cluster/read-resources.ts';
import { durationFlag } from '../src/cli/duration-flag.ts';
import { featureGatesFlag } from '../src/cli/feature-gates-flag.ts';
import { findNamed, withNamespace } from '../src/cli/find-named.ts';
import { lastOfEach, ObjectSet } from '../src/cli/input/object-set.ts';
import { podsOfManifests } from '../src/cli/input/pods-of-manifests.ts';
import { readObjects } from '../src/cli/input/read-objects.ts';
import { catalogueOfContext } from '../src/cli/local-cluster/cluster-context.ts';
import { notFound, type ObjectReference, parseReferences } from '../src/cli/object-reference.ts';
import { listed } from '../src/cli/render/listed.ts';
import { type View, viewOf } from '../src/cli/render/view.ts';
import { printReport, type Report } from '../src/cli/report.ts';
import type { ColorFlag } from '../src/cli/terminal.ts';
import { UsageError } from '../src/cli/user-error.ts';
import { wrapLines } from '../src/cli/wrap-lines.ts';
import { Analysis, type Policies } from '../src/explain/analysis.ts';
import { podName } from '../src/explain/plan-report.ts';
import type { Resource } from '../src/kube/client.ts';
import type { KubeObject, Pod } from '../src/kube/objects.ts';
import { CapacityBuffers, NodeOverlays } from '../src/kube/resources.ts';
import { RealClock } from '../src/operator/clock.ts';
import { DEFAULT_OPTIONS } from '../src/operator/options.ts';
import { gatesInUse } from '../src/state/gates-in-use.ts';
import { worldFromObjects } from '../src/state/world-from-objects.ts';
import type { Ec2Market } from './ec2-market.ts';
import { type WorldMarket, worldMarket } from './world-market.ts';

export interface WorldFlags extends ConnectionFlags, ReadCatalogueSource {
  readonly from?: readonly string[] | undefined;
  readonly 'feature-gates'?: string | undefined;
  readonly 'preference-policy'?: Policies['preferencePolicy'] | undefined;
  readonly 'min-values-policy'?: Policies['minValuesPolicy'] | undefined;
  readonly now?: string | undefined;
  readonly quiet: boolean;
}

export interface RenderFlags {
  readonly output?: string | undefined;
  readonly color: ColorFlag;
  readonly 'no-headers'?: boolean;
}

/** Gates of the controller that no object may tell of. */
export interface AssumedGates {
  readonly NodeOverlay: boolean;
  readonly CapacityBuffer: boolean;
}

/** A cluster at one moment, and everything that may be asked of it. */
export interface ReadWorld {
  readonly analysis: Analysis;
  readonly objects: ObjectSet;
  readonly market: WorldMarket;
  /** Of the context, for names without one; undefined offline. */
  readonly namespace: string | undefined;
  /** The same questions asked of other objects, with gates on that are not known to be off. */
  readonly analyse: (objects: readonly KubeObject[], assumed?: AssumedGates) => Analysis;
  /** Gates that decide which kinds count. */
  readonly gates: AssumedGates;
  /** What was read, for messages. */
  readonly source: string;
}

/** What was read, before anything is made of it. */
interface ReadObjects extends Pick<ReadWorld, 'objects' | 'namespace' | 'source'> {
  /** The catalogue that a local cluster was started with. */
  readonly ofCluster: CatalogueSource;
  readonly isSaved: boolean;
}

/** A command that reads a cluster, live or saved. */
export abstract class WorldCommand extends BaseCommand {
  #ec2Market: Promise<Ec2Market> | undefined;
  readonly #said = new Set<string>();

  /** Reads `--from`, or else the current cluster. `also` are resources beyond what packing needs. */
  protected async readWorld(flags: WorldFlags, also: readonly Resource[] = []): Promise<ReadWorld> {
    const now = this.nowFlag(flags.now);
    return flags.from ? this.readSaved(flags, flags.from, now) : this.readLive(flags, also, now);
  }

  /** `program` is what the server logs and managedFields name. */
  protected async connection(flags: ConnectionFlags, program = 'kubectl-karpenter'): Promise<Connection> {
    return connect(flags, this.io.env, new RealClock(), `${program}/${this.config.version}`);
  }

  /** When a pass that begins now has used up its time: after as long as the controller's unless told. */
  protected passDeadline(time = '1m'): () => boolean {
    const clock = new RealClock();
    const end = clock.now() + durationFlag('pass-time', time);
    return () => clock.now() >= end;
  }

  protected view(flags: RenderFlags, now = this.now()): View {
    return viewOf(this.outTerminal(flags.color), {
      wide: flags.output === 'wide',
      noHeaders: flags['no-headers'] ?? false,
      now,
      bin: this.config.bin,
    });
  }

  /** JSON or YAML as it is, anything else through `text`, in lines that fit the terminal unless it is to be wide. */
  protected async answer(report: Report, flags: RenderFlags, text: () => string): Promise<void> {
    if (flags.output === 'json' || flags.output === 'yaml') await printReport(report, flags.output, this.io);
    else if (flags.output === 'wide') this.print(text());
    else this.print(wrapLines(text(), this.outTerminal(flags.color).width));
  }

  /** The name, when a pool has it. */
  protected poolNamed(name: string, { analysis }: ReadWorld): string {
    const names = analysis.world.pools.map(({ nodePool }) => nodePool.metadata.name);
    const [ref] = parseReferences(['nodepool', name]);
    if (ref && !names.includes(name)) throw notFound(ref, names, this.config.bin);
    return name;
  }

  /** `flag` is the namespace that was asked for. */
  protected podNamed(ref: ObjectReference, { analysis, namespace }: ReadWorld, flag: string | undefined): Pod {
    const { pods } = analysis.world;
    const pod = findNamed(ref, pods, flag ?? namespace);
    if (pod) return pod;
    throw notFound({ ...ref, ...withNamespace(ref, flag ?? namespace) }, pods.map(podName), this.config.bin);
  }

  private async readSaved(flags: WorldFlags, paths: readonly string[], now: number): Promise<ReadWorld> {
    const { objects, repeated } = lastOfEach(await readObjects(paths, { readStdin: this.io.readStdin }));
    if (repeated.length > 0 && !flags.quiet) this.say(`given more than once, the last counts: ${listed(repeated)}`);
    const set = new ObjectSet(podsOfManifests(objects));
    const unknown = [...set.unknownKinds(KNOWN_RESOURCES)].map(([kind, n]) => `${kind} (${n})`);
    if (unknown.length > 0 && !flags.quiet) this.say(`ignored objects of unknown kinds: ${unknown.join(', ')}`);
    const read = { objects: set, namespace: undefined, source: paths.join(', '), ofCluster: {}, isSaved: true };
    return await this.assemble(read, flags, now);
  }

  private async readLive(flags: WorldFlags, also: readonly Resource[], now: number): Promise<ReadWorld> {
    const { client, access, context } = await this.connection(flags);
    try {
      const timeoutMs = durationFlag('request-timeout', flags['request-timeout'] ?? '0');
      const [ofCluster, { objects, missing }] = await Promise.all([
        catalogueOfContext(context, this.io.env),
        readResources(client, { also, timeoutMs }, this.signal),
      ]);
      for (const line of missing) this.say(`not read, so the answer may be incomplete: ${line}`);
      const source = context ?? access.server;
      const read = { objects: new ObjectSet(objects), namespace: access.namespace, source, ofCluster, isSaved: false };
      return await this.assemble(read, flags, now);
    } finally {
      await client.close();
    }
  }

  private async assemble(read: ReadObjects, flags: WorldFlags, now: number): Promise<ReadWorld> {
    const { objects, ofCluster, isSaved } = read;
    const gates = featureGatesFlag(flags['feature-gates']);
    const given = flags['feature-gates'] !== undefined;
    const known = given ? gates : gatesInUse(objects.all);
    for (const resource of [NodeOverlays, CapacityBuffers] as const) {
      const gate = resource.kind as keyof AssumedGates;
      const number = objects.of<KubeObject>(resource as Resource).length;
      if (number === 0 || known[gate] || flags.quiet) continue;
      const why = given ? 'is off' : 'seems to be off, since no controller has judged them';
      this.say(
        `${resource.plural} (${number}) don't count: the feature gate ${gate} ${why}; with --feature-gates ${gate}=true they do`,
      );
    }
    const policies: Policies = {
      preferencePolicy: flags['preference-policy'] ?? DEFAULT_OPTIONS.preferencePolicy,
      minValuesPolicy: flags['min-values-policy'] ?? DEFAULT_OPTIONS.minValuesPolicy,
    };
    const ec2 = { objects, told: flags, gates: { ...gates, ...known }, now, isSaved };
    const openEc2 = async () => (await this.ec2Market(flags)).of(ec2, this.signal);
    const market = await worldMarket({ objects, told: flags, ofCluster, now, openEc2 });
    const { rules, typesOf } = market;
    const instanceTypes = ({ spec }: NodePool) => typesOf(spec.template.spec.nodeClassRef);
    const analyse = (all: readonly KubeObject[], assumed: AssumedGates = known): Analysis => {
      const { NodeOverlay, CapacityBuffer } = given ? known : assumed;
      const overlayRules = NodeOverlay ? { restrictedLabelDomains: new Set<string>(), ...rules } : undefined;
      return new Analysis(
        worldFromObjects(all, { instanceTypes, now, overlayRules, buffers: CapacityBuffer }),
        rules,
        gates,
        policies,
      );
    };
    return { ...read, market, analysis: analyse(objects.all), analyse, gates: known };
  }

  /** The same for as long as the command runs, so that a command that looks again asks AWS once. */
  private async ec2Market({ quiet }: Pick<WorldFlags, 'quiet'>): Promise<Ec2Market> {
    this.#ec2Market ??= import('./ec2-market.ts').then(
      ({ Ec2Market }) =>
        new Ec2Market({
          env: this.io.env,
          version: this.config.version,
          say: (line) => {
            if (quiet || this.#said.has(line)) return;
            this.#said.add(line);
            this.say(line);
          },
        }),
    );
    return await this.#ec2Market;
  }

  private nowFlag(text: string | undefined): number {
    if (text === undefined) return this.now();
    const ms = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
    if (Number.isNaN(ms))
      throw new UsageError(`--now "${text}" is no RFC 3339 time`, { hints: ['--now 2026-01-31T12:00:00Z'] });
    return ms;
  }
}
