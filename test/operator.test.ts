import { afterEach, beforeEach, expect, test } from 'vitest';
import { DEFAULT_FEATURE_GATES, type OperatorOptions } from '../src/operator/options.ts';
import { TestEnvironment } from './environment.ts';

let env: TestEnvironment;
beforeEach(async () => {
  env = await TestEnvironment.open();
});
afterEach(async () => await env.close());

/** Upstream's, with everything at its default. */
const BY_DEFAULT = [
  ...['provisioner', 'provisioner.trigger.pod', 'provisioner.trigger.node', 'eviction-queue'],
  ...['disruption', 'disruption.queue'],
  ...['nodepool.hash', 'nodepool.readiness', 'nodepool.registrationhealth', 'nodepool.counter', 'nodepool.validation'],
  ...['nodeclaim.lifecycle', 'nodeclaim.expiration', 'nodeclaim.podevents', 'nodeclaim.consistency'],
  ...['nodeclaim.garbagecollection', 'nodeclaim.disruption', 'nodeclaim.hydration'],
  ...['node.termination', 'node.hydration', 'state.pricing'],
];
/** Main's, which mends a state that never synchronizes. */
const OURS = ['state.nodeclaimgc'];
/** Measurements, which have tests of their own. */
const isMeasurement = (name: string): boolean => /^(metrics|operatorpkg)\./.test(name);

test.each<[string, Partial<OperatorOptions>, readonly string[]]>([
  ['by default', {}, []],
  [
    'with all gates on',
    {
      featureGates: {
        ...DEFAULT_FEATURE_GATES,
        NodeRepair: true,
        StaticCapacity: true,
        NodeOverlay: true,
        CapacityBuffer: true,
      },
    },
    ['node.health', 'static.provisioning', 'static.deprovisioning', 'nodeoverlay.controller', 'capacitybuffer'],
  ],
])('9.11: %s the controllers are upstream’s, under upstream’s names', (_, options, more) => {
  const { operator } = env.startOperator(options);
  const names = operator.controllers.filter((name) => !isMeasurement(name));
  expect([...names].sort()).toEqual([...BY_DEFAULT, ...OURS, ...more].sort());
});
