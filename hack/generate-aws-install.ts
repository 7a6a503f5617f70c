/**
 * Writes what an AWS account needs for the controller, from the statements of src/aws-provider/aws-api/iam-policies.ts:
 * install/aws/policies/, one document a policy, for Terraform's templatefile and for envsubst; and the part of
 * install/aws/cloudformation.yaml between its markers. `--check` compares instead, and fails where something is stale.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ControllerPolicy,
  controllerPolicies,
  type PolicyScope,
} from '../src/aws-provider/aws-api/iam-policies.ts';

const folder = join(import.meta.dirname, '..', 'install', 'aws');
const TEMPLATE = 'cloudformation.yaml';
const BEGIN = '  # Begin of what hack/generate-aws-install.ts writes.\n';
const END = '  # End of what hack/generate-aws-install.ts writes.\n';
/** What AWS takes in a managed policy, blanks not counted. */
const LARGEST_POLICY = 6144;

/** A place where Terraform, envsubst or Fn::Sub puts a value. */
const filled = (name: string): string => `\${${name}}`;

/** Names that Terraform and envsubst put values in for. */
const VARIABLES: PolicyScope = {
  partition: filled('partition'),
  region: filled('region'),
  accountID: filled('account_id'),
  clusterName: filled('cluster_name'),
  nodeRoleARN: filled('node_role_arn'),
  queueARN: filled('queue_arn'),
};

/** The same as `Fn::Sub` knows them. */
const PSEUDO_PARAMETERS: PolicyScope = {
  partition: filled('AWS::Partition'),
  region: filled('AWS::Region'),
  accountID: filled('AWS::AccountId'),
  clusterName: filled('ClusterName'),
  nodeRoleARN: filled('NodeRole.Arn'),
  queueARN: filled('InterruptionQueue.Arn'),
};

/** The document as IAM reads it. */
function documentOf({ statements }: ControllerPolicy): object {
  return {
    Version: '2012-10-17',
    Statement: statements.map(({ sid, actions, resources, conditions }) => ({
      Sid: sid,
      Effect: 'Allow',
      Action: actions,
      Resource: resources,
      ...(conditions ? { Condition: conditions } : {}),
    })),
  };
}

/** `KarpenterControllerNodeLifecyclePolicy` → `node-lifecycle`. */
function shortName(policyName: string): string {
  const purpose = policyName.replace(/^KarpenterController(.*)Policy$/, '$1');
  return purpose.replace(/([a-z])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3-$2$4').toLowerCase();
}

function policyFiles(): ReadonlyMap<string, string> {
  return new Map(
    controllerPolicies(VARIABLES).map((policy) => {
      const document = documentOf(policy);
      const size = JSON.stringify(document).length;
      if (size > LARGEST_POLICY) throw new Error(`${policy.name} has ${size} characters: AWS takes ${LARGEST_POLICY}`);
      return [join('policies', `${shortName(policy.name)}.json`), `${JSON.stringify(document, null, 2)}\n`];
    }),
  );
}

/** The policies as resources of a template. Keys of conditions hold the cluster's name, so that only text can be filled in. */
function policyResources(): string {
  const indented = (text: string): string => text.replace(/^/gm, '        ');
  return controllerPolicies(PSEUDO_PARAMETERS)
    .map(
      (policy) => `  ${policy.name}:
    Type: AWS::IAM::ManagedPolicy
    Properties:
      ManagedPolicyName: !Sub ${policy.name}-\${ClusterName}
      PolicyDocument: !Sub |
${indented(JSON.stringify(documentOf(policy), null, 2))}
`,
    )
    .join('\n');
}

function template(): string {
  const text = readFileSync(join(folder, TEMPLATE), 'utf8');
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`${TEMPLATE} has lost its markers`);
  return text.slice(0, from + BEGIN.length) + policyResources() + text.slice(to);
}

const wanted = new Map([...policyFiles(), [TEMPLATE, template()]]);
if (process.argv.includes('--check')) {
  const present = [...readdirSync(join(folder, 'policies')).map((name) => join('policies', name)), TEMPLATE];
  const stale = [...new Set([...wanted.keys(), ...present])].filter(
    (name) => !present.includes(name) || readFileSync(join(folder, name), 'utf8') !== wanted.get(name),
  );
  if (stale.length > 0) {
    process.stderr.write(`stale in install/aws: ${stale.join(', ')}; run node hack/generate-aws-install.ts\n`);
    process.exitCode = 1;
  }
} else {
  for (const [name, text] of wanted) writeFileSync(join(folder, name), text);
}
