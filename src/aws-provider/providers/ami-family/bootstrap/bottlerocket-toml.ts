import { parse } from 'smol-toml';
import type { Logger } from '../../../../logging/logger.ts';
import { wrappingErrors } from '../../../aws-api/wrapped-error.ts';
import type { BootstrapInput, UserData } from './bootstrap-input.ts';
import { BOOTSTRAP_COMMANDS, KUBERNETES_SETTINGS } from './bottlerocket-settings.ts';
import { gracePeriods } from './kubelet-flags.ts';
import { inLowerCase, typedToml } from './toml/typed-toml.ts';
import { isTable, type TomlTable, type TomlValue, writeToml } from './toml/write-toml.ts';

type Settings = Readonly<Record<string, TomlValue>>;

const MOUNT = '000-mount-instance-storage';
/** For releases that don't know them by themselves. */
const DIRECTORIES = ['--dirs', '/var/lib/containerd', '/var/lib/kubelet', '/var/log/pods'];

/** Karpenter's alone: what users set is not kept even if Karpenter has nothing to say. */
const NOT_OF_USERS: ReadonlySet<string> = new Set(['cluster-certificate', 'node-taints']);

/** Of Bottlerocket: the user's settings, with those of Karpenter instead of their like. */
export const bottlerocketToml: UserData = (input, log) =>
  wrappingErrors('invalid UserData', () => writeToml({ settings: mergedSettings(input, log) }));

function mergedSettings(input: BootstrapInput, log: Logger): TomlTable {
  const settings = customSettings(input.customUserData);
  const given = inLowerCase(settings);
  const own = typedToml(given.get('kubernetes') ?? {}, { fields: KUBERNETES_SETTINGS }, 'settings.kubernetes');
  if (own.unknown.length > 0) {
    const problem = new Error('the settings are left out');
    log.error('Unknown parameter in userData K8s settings', problem, { reason: own.unknown.join(', ') });
  }
  const commands = bootstrapCommands(input, given.get('bootstrap-commands'));
  return {
    ...settings,
    kubernetes: kubernetes(input, own.value as ReadonlyMap<string, TomlValue>),
    ...(commands === undefined ? {} : { 'bootstrap-commands': commands }),
  };
}

/** The user's `settings`; everything else is not Bottlerocket's. */
function customSettings(text = ''): Settings {
  const document = parse(text, { integersAsBigInt: true }) as Readonly<Record<string, TomlValue>>;
  const settings = inLowerCase(document).get('settings') ?? {};
  if (!isTable(settings)) throw new Error('toml: settings must be a table');
  return settings as Settings;
}

function kubernetes(input: BootstrapInput, own: ReadonlyMap<string, TomlValue>): TomlTable {
  const { kubelet, labels } = input;
  const soft = kubelet.evictionSoftGracePeriod;
  const overwritten: Settings = {
    'cluster-name': input.clusterName,
    'api-server': input.clusterEndpoint,
    'cluster-certificate': input.caBundle,
    'node-taints': nodeTaints(input),
    'node-labels': filled({ ...(own.get('node-labels') as Settings | undefined), ...labels }),
    'max-pods': integer(kubelet.maxPods),
    'cluster-dns-ip': kubelet.clusterDNS?.[0],
    'system-reserved': kubelet.systemReserved,
    'kube-reserved': kubelet.kubeReserved,
    'eviction-hard': kubelet.evictionHard,
    'eviction-soft': kubelet.evictionSoft,
    'eviction-soft-grace-period': soft && gracePeriods(soft),
    'eviction-max-pod-grace-period': integer(kubelet.evictionMaxPodGracePeriod),
    'image-gc-high-threshold-percent': text(kubelet.imageGCHighThresholdPercent),
    'image-gc-low-threshold-percent': text(kubelet.imageGCLowThresholdPercent),
    'cpu-cfs-quota-enforced': kubelet.cpuCFSQuota,
  };
  return new Map(
    Object.keys(KUBERNETES_SETTINGS).map((name) => {
      const value = overwritten[name] ?? (NOT_OF_USERS.has(name) ? undefined : own.get(name));
      return [name, isEmpty(value) ? undefined : value];
    }),
  );
}

const integer = (value: number | string | undefined): bigint | undefined =>
  value === undefined ? undefined : BigInt(value);

const text = (value: number | undefined): string | undefined => (value === undefined ? undefined : String(value));

const filled = (table: Settings): Settings | undefined => (Object.keys(table).length > 0 ? table : undefined);

/** Lists and tables without anything in them are not written. */
const isEmpty = (value: TomlValue): boolean =>
  Array.isArray(value) ? value.length === 0 : isTable(value) && !(value instanceof Map) && !filled(value as Settings);

/** By key, `value:effect` of each. */
function nodeTaints({ taints }: BootstrapInput): Settings | undefined {
  const byKey: Record<string, string[]> = {};
  for (const { key, value = '', effect } of taints) {
    byKey[key] = [...(byKey[key] ?? []), `${value}:${effect}`];
  }
  return filled(byKey);
}

function bootstrapCommands(input: BootstrapInput, own: TomlValue): TomlTable | undefined {
  const commands =
    own === undefined ? undefined : typedToml(own, BOOTSTRAP_COMMANDS, 'settings.bootstrap-commands').value;
  if (input.instanceStorePolicy !== 'RAID0') return commands as TomlTable | undefined;
  const storage = ['apiclient', 'ephemeral-storage'];
  const mount = new Map<string, TomlValue>([
    [
      'commands',
      [
        [...storage, 'init'],
        [...storage, 'bind', ...(input.bindsKnownDirectories ? [] : DIRECTORIES)],
      ],
    ],
    ['mode', 'always'],
    ['essential', true],
  ]);
  return { ...(commands as Settings | undefined), [MOUNT]: mount };
}
