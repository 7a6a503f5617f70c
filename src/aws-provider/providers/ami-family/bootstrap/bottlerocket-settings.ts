import type { Fields, Shape } from './toml/typed-toml.ts';

const strings: Shape = { mapOf: 'string' };
const list: Shape = { listOf: 'string' };

/** Bottlerocket's `settings.kubernetes`, as far as it is the same for all versions of Kubernetes; in the order it is written. */
export const KUBERNETES_SETTINGS: Fields = {
  'api-server': 'string',
  'cloud-provider': 'string',
  'cluster-certificate': 'string',
  'cluster-name': 'string',
  'cluster-dns-ip': 'string',
  'credential-providers': {
    mapOf: {
      fields: {
        enabled: 'boolean',
        'cache-duration': 'string',
        'image-patterns': { always: [], shape: list },
        environment: strings,
      },
    },
  },
  'node-labels': strings,
  'node-taints': { mapOf: list },
  'max-pods': 'integer',
  'static-pods': { mapOf: { fields: { enabled: 'boolean', manifest: 'string' } } },
  'eviction-hard': strings,
  'eviction-soft': strings,
  'eviction-soft-grace-period': strings,
  'eviction-max-pod-grace-period': 'integer',
  'kube-reserved': strings,
  'system-reserved': strings,
  'allowed-unsafe-sysctls': list,
  'server-tls-bootstrap': 'boolean',
  'registry-qps': 'integer',
  'registry-burst': 'integer',
  'event-qps': 'integer',
  'event-burst': 'integer',
  'kube-api-qps': 'integer',
  'kube-api-burst': 'integer',
  'container-log-max-size': 'string',
  'container-log-max-files': 'integer',
  'cpu-manager-policy': 'string',
  'cpu-manager-policy-options': list,
  'cpu-manager-reconcile-period': 'string',
  'memory-manager-policy': 'string',
  'topology-manager-scope': 'string',
  'topology-manager-policy': 'string',
  'topology-manager-policy-options': {
    fields: { 'prefer-closest-numa-nodes': 'boolean', 'max-allowable-numa-nodes': 'integer' },
  },
  'image-gc-high-threshold-percent': 'string',
  'image-gc-low-threshold-percent': 'string',
  'ids-per-pod': 'integer',
  'cpu-cfs-quota-enforced': 'boolean',
  'shutdown-grace-period': 'string',
  'shutdown-grace-period-for-critical-pods': 'string',
  'cluster-domain': 'string',
  'seccomp-default': 'boolean',
  'pod-pids-limit': 'integer',
  'device-ownership-from-security-context': 'boolean',
  'single-process-oom-kill': 'boolean',
  'container-log-max-workers': 'integer',
  'container-log-monitor-interval': 'string',
  'hostname-override-source': 'string',
  'log-level': 'uint32',
};

/** Bottlerocket's `settings.bootstrap-commands`. */
export const BOOTSTRAP_COMMANDS: Shape = {
  mapOf: {
    fields: {
      commands: { always: [], shape: { listOf: list } },
      mode: { always: '', shape: 'string' },
      essential: { always: false, shape: 'boolean' },
    },
  },
};
