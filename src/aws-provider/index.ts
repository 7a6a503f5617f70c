/** The EC2 provider, for those who hand it to the controller. */
export { AWS_ACCESS } from './access.ts';
export { awsDefinitions } from './apis/crd/index.ts';
export { Ec2NodeClasses } from './apis/ec2-node-class.ts';
export { connectAws } from './aws-api/sdk/connect.ts';
export { openAwsProvider } from './aws-provider.ts';
export { type AwsDiagnosis, diagnoseAws, NOT_ASKED } from './doctor/aws-doctor.ts';
export type { DoctorCluster } from './doctor/deps.ts';
export { AWS_FACTS } from './facts.ts';
export { parseAwsOptions } from './parse-aws-options.ts';
export { StartUpError } from './start-up-error.ts';
