import type { Concurrency } from '../kube/controller.ts';
import type { RateLimit } from '../kube/work-queue.ts';

/** Keys worked on at the same time: with one core, and with sixty or more. */
type Scale = readonly [atOneCore: number, atSixty: number];

interface Setting {
  readonly workers: Scale;
  /** Milliseconds of the back-off, where it is not client-go's. */
  readonly backoff?: { readonly base: number; readonly max: number };
  /** Retries per second, of all keys together, with one core: they grow as the workers do. Ten times that at once. */
  readonly retries?: number;
  /** The same for any number of cores. */
  readonly bucket?: RateLimit['bucket'];
}

const ONE: Scale = [1, 1];
const TEN: Scale = [10, 10];
const USUAL: Scale = [10, 1000];
const MANY: Scale = [1000, 5000];
const STATE: Scale = [10, 3000];

/** operatorpkg's "reasonable" rate limiter. */
const REASONABLE = { backoff: { base: 100, max: 60_000 }, bucket: { qps: 10, burst: 100 } };
/** Loops of one key: a failure must not keep them away for the quarter of an hour that client-go would allow. */
const LOOP: Setting = { workers: ONE, backoff: { base: 1000, max: 60_000 } };

/** By upstream's names of controllers; what is not here has one worker (karpenter-core.md 9.10). */
const SETTINGS: Readonly<Record<string, Setting>> = {
  provisioner: LOOP,
  'provisioner.trigger.pod': { workers: USUAL },
  'provisioner.trigger.node': { workers: USUAL },
  'eviction-queue': { workers: [100, 5000], backoff: { base: 100, max: 10_000 }, retries: 100 },
  disruption: LOOP,
  'disruption.queue': {
    workers: [100, 1000],
    backoff: { base: 1000, max: 10_000 },
    bucket: { qps: 100, burst: 1000 },
  },
  'nodepool.hash': { workers: USUAL },
  'nodepool.readiness': { workers: USUAL },
  'nodepool.registrationhealth': { workers: USUAL },
  'nodepool.counter': { workers: USUAL },
  'nodepool.validation': { workers: TEN },
  'nodeclaim.lifecycle': { workers: MANY, backoff: { base: 1000, max: 60_000 }, retries: 10 },
  'nodeclaim.consistency': { workers: USUAL },
  'nodeclaim.disruption': { workers: USUAL },
  'nodeclaim.hydration': { workers: MANY, ...REASONABLE },
  'nodeclaim.tagging': { workers: ONE, ...REASONABLE },
  'node.termination': { workers: [100, 5000], backoff: { base: 100, max: 10_000 }, retries: 10 },
  'node.hydration': { workers: MANY, ...REASONABLE },
  'node.health': { workers: USUAL, ...REASONABLE },
  'state.daemonset': { workers: STATE },
  'static.provisioning': { workers: TEN },
  'static.deprovisioning': { workers: TEN },
  'nodeoverlay.controller': { workers: ONE, ...REASONABLE },
  'providers.instancetype.capacity': { workers: ONE, ...REASONABLE },
  // Spot instances go within two minutes: their messages must not wait for a failure's back-off.
  interruption: { workers: ONE, backoff: { base: 5, max: 1000 } },
  'interruption.instancestatus': { workers: ONE, backoff: { base: 5, max: 60_000 } },
  nodeclass: { workers: TEN, ...REASONABLE },
  'nodeclass.hash': { workers: TEN, ...REASONABLE },
  'nodeclass.soldout': { workers: TEN, ...REASONABLE },
  capacitybuffer: { workers: TEN, ...REASONABLE },
  'dynamicresources.deviceallocation': { workers: STATE },
};

const CORES_AT_MOST = 60;

/** How much of a controller's work is done at the same time, and how fast it comes back to what failed. */
export function concurrencyOf(controller: string, cpuRequests: number): Concurrency {
  const { workers: scale, backoff, retries, bucket } = SETTINGS[controller] ?? { workers: ONE };
  const workers = scaled(scale, cpuRequests);
  const qps = retries === undefined ? undefined : Math.ceil((workers * retries) / scale[0]);
  return {
    workers,
    rateLimit: {
      ...backoff,
      ...(qps === undefined ? (bucket ? { bucket } : {}) : { bucket: { qps, burst: qps * 10 } }),
    },
  };
}

function scaled([least, most]: Scale, cpuRequests: number): number {
  const cores = Math.ceil(cpuRequests / 1000);
  const grown = Math.trunc(((most - least) / (CORES_AT_MOST - 1)) * (cores - 1)) + least;
  return Math.min(Math.max(grown, least), most);
}
