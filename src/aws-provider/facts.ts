import type { CloudProvider } from '../cloudprovider/types.ts';
import { Ec2NodeClasses } from './apis/ec2-node-class.ts';
import { AWS_WELL_KNOWN_LABELS } from './apis/well-known.ts';

const { group, version, kind, plural } = Ec2NodeClasses;

/** What the EC2 provider says of itself, whatever the account. */
export const AWS_FACTS: Pick<CloudProvider, 'name' | 'wellKnownLabels' | 'supportedNodeClasses'> = {
  name: 'aws',
  wellKnownLabels: AWS_WELL_KNOWN_LABELS,
  supportedNodeClasses: () => [{ group, version, kind, plural }],
};
