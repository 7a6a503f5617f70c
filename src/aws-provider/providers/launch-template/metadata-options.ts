import type { EC2NodeClass, MetadataOptions } from '../../apis/ec2-node-class.ts';

/** Where instances' metadata can't be had over IPv6, so that nothing may be said of it. */
const REGIONS_WITHOUT_IPV6: ReadonlySet<string> = new Set([
  'us-iso-east-1',
  'us-iso-west-1',
  'us-isob-east-1',
  'us-isob-west-1',
  'us-isof-south-1',
  'us-isof-east-1',
]);

/** The class's own, else those that all families have (aws-provider.md section 10). */
export function metadataOptionsOf({ spec }: EC2NodeClass, region: string, isIPv6: boolean): MetadataOptions {
  const options: MetadataOptions = spec.metadataOptions ?? {
    httpEndpoint: 'disabled',
    httpProtocolIPv6: isIPv6 ? 'enabled' : 'disabled',
    httpPutResponseHopLimit: 2,
    httpTokens: 'required',
  };
  if (!REGIONS_WITHOUT_IPV6.has(region)) return options;
  const { httpProtocolIPv6: _, ...others } = options;
  return others;
}
