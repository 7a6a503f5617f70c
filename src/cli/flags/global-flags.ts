import { Flags } from '@oclif/core';

/** kubectl's connection flags under kubectl's names, accepted anywhere after the command; and our own few. */
export const globalFlags = {
  context: Flags.string({ description: 'kubeconfig context to use', helpValue: 'NAME', helpGroup: 'CLUSTER' }),
  cluster: Flags.string({ description: 'kubeconfig cluster to use', helpValue: 'NAME', helpGroup: 'CLUSTER' }),
  user: Flags.string({ description: 'kubeconfig user to use', helpValue: 'NAME', helpGroup: 'CLUSTER' }),
  kubeconfig: Flags.string({ description: 'kubeconfig file', helpValue: 'FILE', helpGroup: 'CLUSTER' }),
  namespace: Flags.string({ char: 'n', description: 'namespace', helpValue: 'NAME', helpGroup: 'CLUSTER' }),
  'all-namespaces': Flags.boolean({ char: 'A', description: 'all namespaces', helpGroup: 'CLUSTER' }),
  server: Flags.string({ char: 's', description: 'address of the API server', helpValue: 'URL', helpGroup: 'CLUSTER' }),
  token: Flags.string({ description: 'bearer token', helpValue: 'TOKEN', helpGroup: 'CLUSTER' }),
  as: Flags.string({ description: 'user to impersonate', helpValue: 'USER', helpGroup: 'CLUSTER' }),
  'as-group': Flags.string({
    description: 'group to impersonate',
    helpValue: 'GROUP',
    multiple: true,
    helpGroup: 'CLUSTER',
  }),
  'as-uid': Flags.string({ description: 'UID to impersonate', helpValue: 'UID', helpGroup: 'CLUSTER' }),
  'certificate-authority': Flags.string({ description: 'CA file', helpValue: 'FILE', helpGroup: 'CLUSTER' }),
  'client-certificate': Flags.string({
    description: 'client certificate file',
    helpValue: 'FILE',
    helpGroup: 'CLUSTER',
  }),
  'client-key': Flags.string({ description: 'client key file', helpValue: 'FILE', helpGroup: 'CLUSTER' }),
  'insecure-skip-tls-verify': Flags.boolean({ description: 'trust any server certificate', helpGroup: 'CLUSTER' }),
  'tls-server-name': Flags.string({
    description: 'name to expect in the server certificate',
    helpValue: 'NAME',
    helpGroup: 'CLUSTER',
  }),
  'request-timeout': Flags.string({
    description: 'longest wait for one answer, for example 5s; 0 means no limit',
    helpValue: 'DURATION',
    helpGroup: 'CLUSTER',
  }),
  'cache-dir': Flags.string({ description: "accepted for kubectl's sake", helpValue: 'DIR', hidden: true }),
  'disable-compression': Flags.boolean({ description: "accepted for kubectl's sake", hidden: true }),
  'match-server-version': Flags.boolean({ description: "accepted for kubectl's sake", hidden: true }),
  kuberc: Flags.string({ description: "accepted for kubectl's sake", helpValue: 'FILE', hidden: true }),
  v: Flags.integer({ char: 'v', description: 'verbosity', helpValue: 'N', default: 0, helpGroup: 'OUTPUT' }),
  color: Flags.option({
    options: ['auto', 'always', 'never'] as const,
    description: 'colour: auto, always or never',
    helpValue: 'WHEN',
    default: 'auto',
    helpGroup: 'OUTPUT',
  })(),
  quiet: Flags.boolean({ char: 'q', description: 'no progress on standard error', helpGroup: 'OUTPUT' }),
  'no-input': Flags.boolean({ description: 'never ask (nothing here does)', hidden: true }),
  help: Flags.boolean({ char: 'h', description: 'show what the command takes', helpGroup: 'OUTPUT' }),
};
