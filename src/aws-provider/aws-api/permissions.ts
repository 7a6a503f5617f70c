import { errorCode } from './error-code.ts';
import { errorText } from './error-kinds.ts';
import { controllerPolicies, type PolicyStatement } from './iam-policies.ts';

/** A statement of the controller's policies that allows an action. */
export interface Grant {
  readonly policy: string;
  readonly statement: PolicyStatement;
}

/** A call that AWS has refused for want of permission. */
export interface DeniedCall {
  /** For example `ec2:RunInstances`. */
  readonly action: string;
  /** As AWS names it; it does not always do so. */
  readonly resource?: string;
  /** Statements that would allow it; none when something denies it whatever the controller's own policies say. */
  readonly grants: readonly Grant[];
}

const CODES: ReadonlySet<string | undefined> = new Set([
  'UnauthorizedOperation',
  'AccessDenied',
  'AccessDeniedException',
  'AuthorizationError',
]);

/** Action and resource in AWS's sentence; IAM says `instance profile NAME` where others have an ARN. */
const DENIED = /not authorized to perform: ([\w-]+:\w+)(?: on resource: (.+?)(?= because | with an |$))?/m;

/** Any account, region and cluster: for messages, where it is the kind of resource that counts. */
const ANYWHERE = {
  partition: '*',
  region: '*',
  accountID: '*',
  clusterName: '*',
  nodeRoleARN: 'arn:*:iam::*:role/*',
  queueARN: 'arn:*:sqs:*',
};

/** The statements that allow an action, on a resource if one is given (an ARN, perhaps with `*`). */
export function grantsOf(action: string, resource?: string): readonly Grant[] {
  return controllerPolicies(ANYWHERE).flatMap(({ name, statements }) =>
    statements
      .filter(({ actions, resources }) => actions.includes(action) && (!resource || resources.some(covers(resource))))
      .map((statement) => ({ policy: name, statement })),
  );
}

/** Whether AWS refused the call for want of permission. */
export function isDenied(error: unknown): boolean {
  return CODES.has(errorCode(error));
}

/**
 * What AWS has refused; undefined when that is not what went wrong.
 *
 * @param action what was called: AWS may name another in its message, such as `iam:PassRole` when instances are launched.
 */
export function deniedCall(error: unknown, action: string): DeniedCall | undefined {
  if (!isDenied(error)) return undefined;
  const text = errorText(error);
  const [, answered = action, resource] = DENIED.exec(text) ?? [];
  const named = spelledAsInPolicies(answered);
  const grants = /explicit deny/.test(text) ? [] : grantsOf(named, resource);
  return resource === undefined ? { action: named, grants } : { action: named, resource, grants };
}

/** The case of letters does not count in actions, and SQS answers `sqs:receivemessage`. */
function spelledAsInPolicies(action: string): string {
  const known = controllerPolicies(ANYWHERE).flatMap(({ statements }) => statements.flatMap(({ actions }) => actions));
  return known.find((other) => other.toLowerCase() === action.toLowerCase()) ?? action;
}

/** One line for whoever can mend it: which action on which resource, and the statements that would allow it. */
export function denialText({ action, resource, grants }: DeniedCall): string {
  const what = resource === undefined ? action : `${action} on ${resource}`;
  if (grants.length === 0) return `denied: ${what}`;
  const statements = grants.map(({ policy, statement }) => `${statement.sid} (${policy})`).join(', ');
  return `missing permission: ${what}, granted by statement ${statements}`;
}

const covers = (resource: string) => (pattern: string) =>
  pattern === '*' || !resource.startsWith('arn:') || kindOf(pattern) === kindOf(resource);

/** Service and type of an ARN: what is left when partition, region, account and name are taken away. */
function kindOf(arn: string): string {
  const [, , service = '', , , ...rest] = arn.split(':');
  const [type = ''] = rest.join(':').split('/').filter(Boolean);
  return TYPELESS.has(service) ? service : `${service}/${type}`;
}

/** Services of which the controller knows one type of resource only. */
const TYPELESS: ReadonlySet<string> = new Set(['sqs', 'ssm']);
