import { describe, expect, test } from 'vitest';
import type { EC2NodeClass, KubeletConfiguration } from '../apis/ec2-node-class.ts';
import { unsupportedKubelet } from './family-support.ts';
import { kubeletProblems } from './validate-kubelet.ts';

const signals =
  'must be one of memory.available, nodefs.available, nodefs.inodesFree, imagefs.available, imagefs.inodesFree, pid.available';
const quantity = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

describe('a kubelet configuration may have', () => {
  test.each<[string, KubeletConfiguration | undefined]>([
    ['nothing', undefined],
    ['no fields', {}],
    [
      'what Karpenter reads',
      {
        maxPods: 110,
        podsPerCore: 10,
        kubeReserved: { cpu: '200m', memory: '100Mi' },
        systemReserved: { 'ephemeral-storage': '1Gi', pid: '1000' },
        evictionHard: { 'memory.available': '5%', 'nodefs.available': '500Mi' },
      },
    ],
    ['what only the kubelet knows', { serializeImagePulls: false, kind: 'KubeletConfiguration' }],
    [
      'fields within fields',
      {
        logging: {
          format: 'json',
          flushFrequency: '5s',
          options: { json: { infoBufferSize: '100Mi', splitStream: true } },
        },
        featureGates: { A: true },
        reservedMemory: [{ numaNode: 0, limits: { memory: '1Gi' } }],
      },
    ],
    ['a duration in nanoseconds where that is allowed', { logging: { flushFrequency: 5_000_000_000 } }],
    [
      'soft thresholds',
      { evictionSoft: { 'pid.available': '100%' }, evictionSoftGracePeriod: { 'pid.available': '0' } },
    ],
    ['percentages in order', { imageGCHighThresholdPercent: 100, imageGCLowThresholdPercent: 99 }],
    ['zeros', { maxPods: 0, podsPerCore: 0, evictionMaxPodGracePeriod: 0 }],
    ['expressions', { maxPods: 'vcpus * 10', kubeReserved: { memory: 'memory_mib / 10' } }],
    ['nulls', { maxPods: null, logging: null, podsPerCore: null }],
  ])('%s', (_, kubelet) => {
    expect(kubeletProblems(kubelet)).toEqual([]);
  });
});

/** The words of the decoder are those of Go's, of Kubernetes v1.36. */
describe('a kubelet configuration may not have', () => {
  test.each<[string, KubeletConfiguration, ...string[]]>([
    [
      'unknown fields',
      { zz: 1, a: { b: [1] }, logging: { options: { json: { nope: 'x' } } } },
      'spec.kubelet: unknown field "a"',
      'spec.kubelet: unknown field "logging.options.json.nope"',
      'spec.kubelet: unknown field "zz"',
    ],
    ['names in another case', { MaxPods: 1 }, 'spec.kubelet: unknown field "MaxPods"'],
    [
      'values of a wrong type, which hide unknown fields',
      { podsPerCore: 'ten', zzz: 1 },
      'spec.kubelet: json: cannot unmarshal string into Go struct field KubeletConfiguration.podsPerCore of type int32',
    ],
    [
      'wrong types deeper down',
      { logging: { format: 12345 } },
      'spec.kubelet: json: cannot unmarshal number into Go struct field LoggingConfiguration.logging.format of type string',
    ],
    [
      'wrong types in an inlined struct',
      { logging: { options: { json: { splitStream: 'abc' } } } },
      'spec.kubelet: json: cannot unmarshal string into Go struct field JSONOptions.logging.options.json.OutputRoutingOptions.splitStream of type bool',
    ],
    [
      'a fraction of pods',
      { maxPods: 1.5 },
      'spec.kubelet: json: cannot unmarshal number 1.5 into Go struct field KubeletConfiguration.maxPods of type int32',
    ],
    [
      'a truth for pods',
      { maxPods: true },
      'spec.kubelet: json: cannot unmarshal bool into Go struct field KubeletConfiguration.maxPods of type int32',
    ],
    [
      'numbers for quantities',
      { kubeReserved: { cpu: 1 } },
      'spec.kubelet: json: cannot unmarshal number into Go struct field KubeletConfiguration.kubeReserved of type string',
    ],
    [
      'a text for a list',
      { clusterDNS: '10.0.0.10' },
      'spec.kubelet: json: cannot unmarshal string into Go struct field KubeletConfiguration.clusterDNS of type []string',
    ],
    ['a bad duration', { syncFrequency: 'soon' }, 'spec.kubelet: time: invalid duration "soon"'],
    ['a bad unit', { cpuCFSQuotaPeriod: '1x' }, 'spec.kubelet: time: unknown unit "x" in duration "1x"'],
    ['a duration without unit', { syncFrequency: '5' }, 'spec.kubelet: time: missing unit in duration "5"'],
    [
      'a number for a duration',
      { syncFrequency: 5 },
      'spec.kubelet: json: cannot unmarshal number into Go struct field KubeletConfiguration.syncFrequency of type string',
    ],
    [
      'a truth for nanoseconds',
      { logging: { flushFrequency: true } },
      'spec.kubelet: invalid duration "true": json: cannot unmarshal bool into Go value of type time.Duration',
    ],
    [
      'a fraction of nanoseconds',
      { logging: { flushFrequency: 1.5 } },
      'spec.kubelet: invalid duration "1.5": json: cannot unmarshal number 1.5 into Go value of type time.Duration',
    ],
    ['a bad quantity', { logging: { options: { json: { infoBufferSize: 'abc' } } } }, `spec.kubelet: ${quantity}`],
    [
      'taints, which are Karpenter’s',
      { registerWithTaints: [{ key: 'a', effect: 'NoSchedule' }] },
      "spec.kubelet.registerWithTaints: can't be set, Karpenter sets it from the NodeClaim's taints so the node registers unschedulable until it's ready",
    ],
    [
      'unknown signals',
      { evictionHard: { 'b.available': '5%', a: '500Mi' }, evictionMinimumReclaim: { c: '1' } },
      `spec.kubelet.evictionHard: "a" isn't a valid eviction signal, ${signals}`,
      `spec.kubelet.evictionHard: "b.available" isn't a valid eviction signal, ${signals}`,
      `spec.kubelet.evictionMinimumReclaim: "c" isn't a valid eviction signal, ${signals}`,
    ],
    [
      'thresholds that are no amounts',
      { evictionHard: { 'memory.available': '101%', 'nodefs.available': '-1Gi', 'pid.available': 'lots' } },
      'spec.kubelet.evictionHard[memory.available]: "101%" must be a percentage or a resource quantity',
      'spec.kubelet.evictionHard[nodefs.available]: "-1Gi" can\'t be a negative resource quantity',
      'spec.kubelet.evictionHard[pid.available]: "lots" must be a percentage or a resource quantity',
    ],
    [
      'a threshold that is null',
      { evictionHard: { 'memory.available': null } },
      'spec.kubelet.evictionHard[memory.available]: "" must be a percentage or a resource quantity',
    ],
    [
      'a percentage of nothing',
      { evictionHard: { 'memory.available': '%', 'nodefs.available': '-5%' } },
      'spec.kubelet.evictionHard[memory.available]: "%" must be a percentage or a resource quantity',
      'spec.kubelet.evictionHard[nodefs.available]: "-5%" must be a percentage or a resource quantity',
    ],
    [
      'grace periods that are no durations',
      {
        evictionSoft: { 'memory.available': '1%', 'pid.available': '1%' },
        evictionSoftGracePeriod: { 'memory.available': 'soon', 'pid.available': '-1m' },
      },
      'spec.kubelet.evictionSoftGracePeriod[memory.available]: "soon" must be a duration',
      'spec.kubelet.evictionSoftGracePeriod[pid.available]: "-1m" can\'t be a negative duration',
    ],
    [
      'soft thresholds without grace period, or the other way round',
      { evictionSoft: { 'memory.available': '1%' }, evictionSoftGracePeriod: { 'pid.available': '1m' } },
      'spec.kubelet.evictionSoft[memory.available]: has no matching evictionSoftGracePeriod',
      'spec.kubelet.evictionSoftGracePeriod[pid.available]: has no matching evictionSoft',
    ],
    [
      'reserved amounts of what is not reserved, or less than nothing',
      { kubeReserved: { gpu: '1' }, systemReserved: { cpu: '-1' } },
      'spec.kubelet.kubeReserved: "gpu" isn\'t a reservable resource, must be one of cpu, memory, ephemeral-storage, pid',
      'spec.kubelet.systemReserved[cpu]: "-1" can\'t be a negative resource quantity',
    ],
    [
      'percentages beyond 100',
      { imageGCHighThresholdPercent: 101, imageGCLowThresholdPercent: -1 },
      'spec.kubelet.imageGCHighThresholdPercent: 101 must be between 0 and 100',
      'spec.kubelet.imageGCLowThresholdPercent: -1 must be between 0 and 100',
    ],
    [
      'negative numbers',
      { maxPods: -1, podsPerCore: -1, evictionMaxPodGracePeriod: -1 },
      "spec.kubelet.podsPerCore: -1 can't be negative",
      "spec.kubelet.evictionMaxPodGracePeriod: -1 can't be negative",
      "spec.kubelet.maxPods: -1 can't be negative",
    ],
    [
      'percentages in the wrong order',
      { imageGCHighThresholdPercent: 70, imageGCLowThresholdPercent: 70 },
      'spec.kubelet: imageGCHighThresholdPercent (70) must be greater than imageGCLowThresholdPercent (70)',
    ],
  ])('%s', (_, kubelet, ...problems) => {
    expect(kubeletProblems(kubelet)).toEqual(problems);
  });
});

describe('nodes of an AMI family', () => {
  const said = (amiFamily: string, kubelet: KubeletConfiguration): string | undefined =>
    unsupportedKubelet({
      metadata: { name: 'x' },
      spec: { amiSelectorTerms: [], amiFamily, kubelet },
    } as unknown as EC2NodeClass);
  const arbitrary = { maxPods: 5, serializeImagePulls: true, logging: {} };

  test.each(['AL2', 'Bottlerocket', 'Windows2022'])('take no fields that Karpenter does not know: %s', (family) => {
    expect(said(family, { maxPods: 5, clusterDNS: ['10.0.0.10'] })).toBeUndefined();
    expect(said(family, arbitrary)).toBe(
      `spec.kubelet has fields not applied by the ${family} AMI family that would be silently dropped: logging, serializeImagePulls`,
    );
    expect(said(family, { clusterDNS: ['a', 'b'] })).toBe(
      `spec.kubelet.clusterDNS: the ${family} AMI family doesn't accept multiple entries, only one, but 2 were set`,
    );
  });

  test('may take them all, or are none of our business', () => {
    expect(said('AL2023', { ...arbitrary, clusterDNS: ['a', 'b'] })).toBeUndefined();
    expect(said('Custom', { ...arbitrary, clusterDNS: ['a', 'b'] })).toBeUndefined();
  });

  test('may not limit pods by cores', () => {
    expect(said('AL2', { podsPerCore: 2 })).toBeUndefined();
    expect(said('Bottlerocket', { podsPerCore: 2, clusterDNS: ['a', 'b'] })).toBe(
      "spec.kubelet has fields not applied by the Bottlerocket AMI family that would be silently dropped: podsPerCore; spec.kubelet.clusterDNS: the Bottlerocket AMI family doesn't accept multiple entries, only one, but 2 were set",
    );
  });
});
