/** EC2 as the controller sees it, for those who only look. */
export { Ec2NodeClasses } from '../apis/ec2-node-class.ts';
export { connectAws } from '../aws-api/sdk/connect.ts';
export { onDemandListPrices } from '../data/ec2-data.ts';
export { AWS_RULES } from '../facts.ts';
export { driftOfClaim, EC2_DRIFT_REASONS } from './class-drift.ts';
export { ec2ClassFacts, freeAddresses } from './class-facts.ts';
export { type ClassTypes, classTypes, type LookUps } from './class-types.ts';
export { clusterRegion, clusterZones } from './cluster-region.ts';
export { ec2ConditionMeanings } from './condition-meanings.ts';
export { liveFacts } from './live-facts.ts';
export { fromFile, type RegionFacts, type RegionFactsFile, toFile } from './region-facts.ts';
export { assumedZones, shippedFacts, type Zone } from './shipped-facts.ts';
export { withStandIns } from './stand-ins.ts';
export { typeOptions } from './type-options.ts';
