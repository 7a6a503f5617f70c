import { discoveryStatements, integrationStatements } from './iam-policies-reading.ts';
import { instanceProfileStatements, nodeLifecycleStatements } from './iam-policies-writing.ts';

/** What the statements are scoped to. Any text will do, for example `${AWS::Region}` in a CloudFormation template. */
export interface PolicyScope {
  /** `aws`, `aws-cn` or `aws-us-gov`. */
  readonly partition: string;
  readonly region: string;
  readonly accountID: string;
  readonly clusterName: string;
  /** The role that nodes run under, which the controller passes to EC2. */
  readonly nodeRoleARN: string;
  /** The queue that interruptions come through. */
  readonly queueARN: string;
}

/** Condition keys and their values, by condition operator. */
export type PolicyConditions = Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;

/** One statement that allows something. */
export interface PolicyStatement {
  readonly sid: string;
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly conditions?: PolicyConditions;
}

/** One of the managed policies of the controller's role. */
export interface ControllerPolicy {
  /** For example `KarpenterControllerNodeLifecyclePolicy`; the cluster's name is put behind it. */
  readonly name: string;
  readonly statements: readonly PolicyStatement[];
}

/**
 * All that the controller may do, and nothing more (aws-provider.md section 29). Names of policies and statements are
 * upstream's, so that roles made for upstream's controller can be compared with it.
 */
export function controllerPolicies(scope: PolicyScope): readonly ControllerPolicy[] {
  const { eks, interruption, zonalShift } = integrationStatements(scope);
  return [
    policy('NodeLifecycle', nodeLifecycleStatements(scope)),
    policy('IAMIntegration', instanceProfileStatements(scope)),
    policy('EKSIntegration', eks),
    policy('Interruption', interruption),
    policy('ZonalShift', zonalShift),
    policy('ResourceDiscovery', discoveryStatements(scope)),
  ];
}

const policy = (purpose: string, statements: readonly PolicyStatement[]): ControllerPolicy => ({
  name: `KarpenterController${purpose}Policy`,
  statements,
});
