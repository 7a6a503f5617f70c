import { Args, Flags } from '@oclif/core';
import { type KWOKNodeClass, KwokNodeClasses } from '../kwok-provider/apis/kwok-node-class.ts';
import { ANNOTATION_INTERRUPTION, NOTICE_MS } from '../kwok-provider/interruption/notice.ts';
import { changeSoldOut } from '../kwok-provider/market/mark-sold-out.ts';
import { CAPACITY_TYPE_SPOT } from '../src/apis/labels.ts';
import type { NodeClaim } from '../src/apis/node-claim.ts';
import { type ChaosReport, chaosReport, type Interrupted } from '../src/cli/chaos-report.ts';
import { durationFlag } from '../src/cli/duration-flag.ts';
import { outputFlag } from '../src/cli/flags/output-flags.ts';
import { catalogueOfContext } from '../src/cli/local-cluster/cluster-context.ts';
import { contextName } from '../src/cli/local-cluster/context-name.ts';
import { nearest } from '../src/cli/nearest.ts';
import { chaosText } from '../src/cli/render/chaos-text.ts';
import { UsageError, UserError } from '../src/cli/user-error.ts';
import {
  matches,
  type OfferingPattern,
  offeringOfLabels,
  overlaps,
  parseOfferingPattern,
  patternText,
  withoutSoldOut,
  withSoldOut,
} from '../src/cloudprovider/sold-out.ts';
import type { Client } from '../src/kube/client.ts';
import { NodeClaims } from '../src/kube/resources.ts';
import { RealClock } from '../src/operator/clock.ts';
import { kwokCatalogue } from './kwok-catalogue.ts';
import { patternOf, requireOffered, soldOutRows } from './offering-patterns.ts';
import { WorldCommand } from './world-command.ts';

const ACTIONS = ['interrupt', 'sold-out', 'available'] as const;
type Action = (typeof ACTIONS)[number];

export default class Chaos extends WorldCommand {
  static override summary = 'trouble on fake nodes: interrupt spot machines, sell offerings out';
  static override description =
    `Makes trouble in a cluster with fake nodes, to see what Karpenter and your pods make of it. Real nodes are not touched.

  interrupt NODE...     the two minutes' notice that EC2 gives a spot machine: its claim is deleted at once, its offering
                        counts as sold out for three minutes, and after two minutes the machine is gone
  sold-out OFFERING...  nothing of it can be bought any more, or not --for a while; without an OFFERING: what is sold out
  available OFFERING... it can be bought again

An OFFERING is TYPE/ZONE/CAPACITY-TYPE, * for any text in each: m5.large/us-east-1a/spot, c5.*/*/spot, */us-east-1b/*.`;
  static override usage = 'chaos interrupt|sold-out|available [NODE|OFFERING...] [flags]';
  static override examples = [
    '{bin} chaos interrupt kwok-default-7x2x9-brisk-heron-1',
    "{bin} chaos sold-out 'c-*/test-zone-a/spot' --for 10m",
    '{bin} chaos sold-out',
    "{bin} chaos available '*'",
  ];
  static override strict = false;
  static override args = {
    action: Args.string({ description: ACTIONS.join(', '), required: true }),
  };
  static override flags = {
    output: outputFlag(),
    for: Flags.string({ description: 'of sold-out: how long; without end unless told', helpValue: 'DURATION' }),
    nodeclass: Flags.string({ description: 'of this KWOKNodeClass only', helpValue: 'NAME' }),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Chaos);
    const [word = '', ...subjects] = argv.map(String);
    const action = actionOf(word);
    const forMs = flags.for === undefined ? undefined : durationFlag('for', flags.for);
    if (forMs !== undefined && action !== 'sold-out') throw new UsageError('--for is of chaos sold-out only');
    if (subjects.length === 0 && action !== 'sold-out') {
      throw new UsageError(`chaos ${action}: of what?`, { hints: [`${this.config.bin} chaos --help`] });
    }
    const patterns = action === 'interrupt' ? [] : subjects.map(patternOf);
    const { client, context } = await this.connection(flags);
    try {
      const interrupted = action === 'interrupt' ? await this.#interrupt(client, subjects) : [];
      if (patterns.length > 0 && action === 'sold-out') await this.#checkSold(patterns, context);
      const classes = await this.#nodeClasses(client, flags.nodeclass);
      const changed = await this.#change(client, classes, action, patterns, forMs);
      const report = chaosReport(
        action,
        interrupted,
        changed.flatMap((nodeClass) => soldOutRows(nodeClass, this.now())),
        this.now(),
      );
      this.#sayLeft(action, patterns, report);
      const view = this.view(flags, this.now());
      await this.answer(report, flags, () => chaosText(report, view));
    } finally {
      await client.close();
    }
  }

  async #change(
    client: Client,
    classes: readonly KWOKNodeClass[],
    action: Action,
    patterns: readonly OfferingPattern[],
    forMs: number | undefined,
  ): Promise<readonly KWOKNodeClass[]> {
    if (patterns.length === 0) return classes;
    const deps = { client, clock: new RealClock() };
    return await Promise.all(
      classes.map(({ metadata: { name } }) =>
        changeSoldOut(
          deps,
          name,
          (now) => (old) => {
            const ends = forMs === undefined ? {} : { until: now + forMs };
            if (action === 'sold-out')
              return withSoldOut(
                old,
                patterns.map((pattern) => ({ ...pattern, ...ends })),
                now,
              );
            return patterns.reduce((left, pattern) => withoutSoldOut(left, pattern, now), old);
          },
          this.signal,
        ),
      ),
    );
  }

  async #nodeClasses(client: Client, name: string | undefined): Promise<readonly KWOKNodeClass[]> {
    const { items } = await client.list(KwokNodeClasses, {}, this.signal);
    const chosen = items.filter(({ metadata }) => name === undefined || metadata.name === name);
    if (chosen.length > 0) return chosen;
    const names = items.map(({ metadata }) => metadata.name);
    throw new UserError(
      name === undefined ? 'there is no KWOKNodeClass in this cluster' : `kwoknodeclass "${name}" not found`,
      {
        code: name === undefined ? 'KE1103' : 'KE1301',
        hints: name === undefined ? [`${this.config.bin} up --local`] : nearest(name, names),
      },
    );
  }

  /** What a broader pattern keeps from being sold is no success, and must not look like one. */
  #sayLeft(action: Action, patterns: readonly OfferingPattern[], report: ChaosReport): void {
    if (action !== 'available') return;
    for (const { offering, nodeClass } of report.soldOut) {
      const left = parseOfferingPattern(offering);
      if (left && patterns.some((pattern) => overlaps(pattern, left) && !matches(pattern, left))) {
        this.say(`in part still sold out by ${offering} of kwoknodeclass "${nodeClass}"`);
      }
    }
  }

  /** Local clusters are known to sell nothing else, so that a slip of the pen is found. */
  async #checkSold(patterns: readonly OfferingPattern[], context: string | undefined): Promise<void> {
    if (!context?.startsWith(contextName(''))) return;
    const { instanceTypes } = await kwokCatalogue(await catalogueOfContext(context, this.io.env));
    requireOffered(patterns, instanceTypes);
  }

  async #interrupt(client: Client, names: readonly string[]): Promise<readonly Interrupted[]> {
    const { items } = await client.list(NodeClaims, {}, this.signal);
    const claims = names.map((name) => this.#claimOf(name, items));
    const announced = new Date(this.now()).toISOString();
    const body = { metadata: { annotations: { [ANNOTATION_INTERRUPTION]: announced } } };
    for (const { metadata } of claims) {
      await client.patch(NodeClaims, { name: metadata.name }, { type: 'merge', body }, {}, this.signal);
    }
    return claims.map(({ metadata, status }) => ({
      nodeClaim: metadata.name,
      node: status?.nodeName ?? null,
      offering: patternText(offeringOfLabels(metadata.labels)),
      endsAt: new Date(Date.parse(announced) + NOTICE_MS).toISOString(),
    }));
  }

  #claimOf(text: string, claims: readonly NodeClaim[]): NodeClaim {
    const name = text.slice(text.indexOf('/') + 1);
    const claim = claims.find(({ metadata, status }) => metadata.name === name || status?.nodeName === name);
    if (!claim) {
      const known = claims.flatMap(({ metadata, status }) => [status?.nodeName ?? metadata.name]);
      throw new UserError(`node "${name}" not found, or not one of Karpenter's`, {
        code: 'KE1301',
        hints: nearest(name, known).map((near) => `${this.config.bin} chaos interrupt ${near}`),
      });
    }
    const { nodeClassRef } = claim.spec;
    const { capacityType } = offeringOfLabels(claim.metadata.labels);
    const why =
      nodeClassRef.kind !== KwokNodeClasses.kind
        ? `it is a real one, of ${nodeClassRef.kind} "${nodeClassRef.name}"`
        : capacityType !== CAPACITY_TYPE_SPOT
          ? `only spot machines are interrupted, and it is ${capacityType || 'not launched yet'}`
          : claim.metadata.deletionTimestamp
            ? 'it is being deleted already'
            : undefined;
    if (why === undefined) return claim;
    throw new UserError(`node "${name}" can't be interrupted`, { code: 'KE1303', because: [why] });
  }
}

function actionOf(word: string): Action {
  const action = ACTIONS.find((known) => known === word);
  if (action) return action;
  throw new UsageError(`"${word}" is no trouble that can be made`, {
    because: [`there are ${ACTIONS.join(', ')}`],
    hints: nearest(word, ACTIONS, 1),
  });
}
