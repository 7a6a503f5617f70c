import { AWS_GROUP, type EC2NodeClass } from '../../src/aws-provider/apis/ec2-node-class.ts';
import { merge, type Overrides } from './merge.ts';
import { uniqueName } from './names.ts';

/** A class that selects all that is tagged for the test cluster, with the newest AL2023. */
export function ec2NodeClass(overrides: Overrides<EC2NodeClass> = {}): EC2NodeClass {
  const name = uniqueName('class');
  const base: EC2NodeClass = {
    apiVersion: `${AWS_GROUP}/v1`,
    kind: 'EC2NodeClass',
    metadata: { name },
    spec: {
      subnetSelectorTerms: [{ tags: { '*': '*' } }],
      securityGroupSelectorTerms: [{ tags: { '*': '*' } }],
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      role: 'test-role',
    },
  };
  return merge(base, overrides);
}
