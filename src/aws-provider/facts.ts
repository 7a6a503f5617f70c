import { LABEL_ZONE } from '../apis/labels.ts';
import type { CloudProvider, ProviderRules } from '../cloudprovider/types.ts';
import { AWS_GROUP, Ec2NodeClasses } from './apis/ec2-node-class.ts';
import {
  LABEL_CAPACITY_RESERVATION_ID,
  LABEL_CAPACITY_RESERVATION_INTERRUPTIBLE,
  LABEL_CAPACITY_RESERVATION_TYPE,
  LABEL_INSTANCE_TENANCY,
} from './apis/labels.ts';
import { AWS_WELL_KNOWN_LABELS, AWS_WELL_KNOWN_RESOURCES } from './apis/well-known.ts';

const { group, version, kind, plural } = Ec2NodeClasses;

/** What the EC2 provider says of itself, whatever the account. */
export const AWS_FACTS: Pick<CloudProvider, 'name' | 'wellKnownLabels' | 'supportedNodeClasses'> = {
  name: 'aws',
  wellKnownLabels: AWS_WELL_KNOWN_LABELS,
  supportedNodeClasses: () => [{ group, version, kind, plural }],
};

/** What EC2 changes in core's rules. */
export const AWS_RULES = {
  wellKnownLabels: AWS_WELL_KNOWN_LABELS,
  restrictedLabelDomains: new Set([AWS_GROUP]),
  reservedCapacityLabels: new Set([
    LABEL_CAPACITY_RESERVATION_ID,
    LABEL_CAPACITY_RESERVATION_TYPE,
    LABEL_CAPACITY_RESERVATION_INTERRUPTIBLE,
  ]),
  reservationIDLabel: LABEL_CAPACITY_RESERVATION_ID,
  wellKnownValues: { [LABEL_INSTANCE_TENANCY]: ['dedicated', 'default'] },
  wellKnownResources: AWS_WELL_KNOWN_RESOURCES,
  /** The EBS driver confines its volumes by a label of its own. */
  normalizedLabels: { 'topology.ebs.csi.aws.com/zone': LABEL_ZONE },
} satisfies ProviderRules;
