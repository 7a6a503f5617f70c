import { expect, test } from 'vitest';
import { concurrencyOf } from './concurrency.ts';

const USUAL = [10, 10, 26, 127, 1000, 1000];
const MANY = [1000, 1000, 1067, 1474, 5000, 5000];
const CPU_REQUESTS = [1, 1000, 1001, 7500, 60_000, 96_000];

test.each([
  ['nodepool.hash', USUAL],
  ['nodepool.counter', USUAL],
  ['nodepool.readiness', USUAL],
  ['nodepool.registrationhealth', USUAL],
  ['nodepool.validation', [10, 10, 10, 10, 10, 10]],
  ['nodeclaim.consistency', USUAL],
  ['nodeclaim.disruption', USUAL],
  ['nodeclaim.lifecycle', MANY],
  ['nodeclaim.hydration', MANY],
  ['node.hydration', MANY],
  ['node.health', USUAL],
  ['node.termination', [100, 100, 183, 681, 5000, 5000]],
  ['eviction-queue', [100, 100, 183, 681, 5000, 5000]],
  ['disruption.queue', [100, 100, 115, 206, 1000, 1000]],
  ['provisioner.trigger.pod', USUAL],
  ['provisioner.trigger.node', USUAL],
  ['capacitybuffer', [10, 10, 10, 10, 10, 10]],
  ['static.provisioning', [10, 10, 10, 10, 10, 10]],
  ['static.deprovisioning', [10, 10, 10, 10, 10, 10]],
  ['provisioner', [1, 1, 1, 1, 1, 1]],
  ['disruption', [1, 1, 1, 1, 1, 1]],
  ['nodeclass', [10, 10, 10, 10, 10, 10]],
  ['nodeclass.hash', [10, 10, 10, 10, 10, 10]],
  ['nodeclaim.tagging', [1, 1, 1, 1, 1, 1]],
])('9.10: %s has as many workers as the cores ask for', (controller, expected) => {
  expect(CPU_REQUESTS.map((cpu) => concurrencyOf(controller, cpu).workers)).toEqual(expected);
});

test.each([
  ['nodeclaim.lifecycle', { base: 1000, max: 60_000, bucket: { qps: 10, burst: 100 } }],
  ['node.termination', { base: 100, max: 10_000, bucket: { qps: 10, burst: 100 } }],
  ['eviction-queue', { base: 100, max: 10_000, bucket: { qps: 100, burst: 1000 } }],
  ['disruption.queue', { base: 1000, max: 10_000, bucket: { qps: 100, burst: 1000 } }],
  ['node.health', { base: 100, max: 60_000, bucket: { qps: 10, burst: 100 } }],
  ['nodepool.hash', {}],
  ['interruption', { base: 5, max: 1000 }],
  ['interruption.instancestatus', { base: 5, max: 60_000 }],
  ['nodeclass', { base: 100, max: 60_000, bucket: { qps: 10, burst: 100 } }],
  ['nodeclass.hash', { base: 100, max: 60_000, bucket: { qps: 10, burst: 100 } }],
  ['nodeclaim.tagging', { base: 100, max: 60_000, bucket: { qps: 10, burst: 100 } }],
  ['providers.instancetype.capacity', { base: 100, max: 60_000, bucket: { qps: 10, burst: 100 } }],
])('9.10: %s comes back to what failed as fast as upstream', (controller, expected) => {
  expect(concurrencyOf(controller, 1000).rateLimit).toEqual(expected);
});

test('9.10: where the workers grow, so do their retries', () => {
  expect(concurrencyOf('eviction-queue', 60_000).rateLimit?.bucket).toEqual({ qps: 5000, burst: 50_000 });
  expect(concurrencyOf('node.termination', 60_000).rateLimit?.bucket).toEqual({ qps: 500, burst: 5000 });
  expect(concurrencyOf('nodeclaim.lifecycle', 7500).rateLimit?.bucket).toEqual({ qps: 15, burst: 150 });
});
