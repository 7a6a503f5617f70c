/** The import arrows of ARCHITECTURE.md, as a check: bin → commands → src, kwok-provider. */
const only = (name, from, allowed, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from, pathNot: '\\.test\\.ts$' },
  to: { path: '^(bin|commands|src|kwok-provider|hack|test)/', pathNot: allowed },
});

export default {
  forbidden: [
    only('commands-arrow', '^commands/', '^(commands|src|kwok-provider)/', 'a command parses, calls src and renders'),
    only('src-arrow', '^src/', '^src/', 'src knows neither the commands nor the fake cloud'),
    only(
      'kwok-provider-arrow',
      '^kwok-provider/',
      '^(kwok-provider|src/(apis|cloudprovider|events|kube|scheduling))/|^src/controllers/(context|indexes|nodeclaim/disrupted-labels)\\.ts$',
      'the fake cloud sees the provider contract only, and what its controllers are built from',
    ),
    only(
      'scheduling-is-pure',
      '^src/scheduling/',
      '^src/(scheduling|apis)/|^src/kube/(objects|conditions|quantity|selectors|resources|taints|label-|field-selector|node-affinity|pod|cron|time-zone)',
      'no IO, no clock, no client in the packer',
    ),
    only(
      'disruption-is-pure',
      '^src/disruption/',
      '^src/(disruption|scheduling|apis)/|^src/kube/(objects|conditions|quantity|selectors|resources|taints|label-|field-selector|node-affinity|pod|cron|time-zone)',
      'no IO, no clock, no client in the disruption engine',
    ),
    {
      name: 'ec2-provider-is-handed-in',
      comment: 'nothing in src but the EC2 provider itself knows the EC2 provider',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/aws-provider/' },
      to: { path: '^src/aws-provider/' },
    },
    {
      name: 'aws-sdk-is-loaded-late',
      comment: 'the SDK takes a third of a second to load: its code only behind aws-api/sdk, elsewhere its types',
      severity: 'error',
      from: { path: '^(bin|commands|src|kwok-provider)/', pathNot: '^src/aws-provider/aws-api/sdk/|\\.test\\.ts$' },
      to: { path: 'node_modules/@(aws-sdk|smithy)/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'pure-core-no-node',
      severity: 'error',
      from: { path: '^src/(scheduling|disruption)/', pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['core', 'npm'] },
    },
    {
      name: 'no-circular',
      severity: 'error',
      from: { path: '^(src|kwok-provider|commands)/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    parser: 'swc',
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.mjs', '.json'],
      exportsFields: ['exports'],
      mainFields: ['module', 'main'],
      conditionNames: ['import', 'require', 'node', 'default'],
    },
  },
};
