import type { PolicyDocumentStatement } from '../../doctor/doctor-report.ts';
import { type Finding, fail, pass, skipped, warn } from '../../doctor/finding.ts';
import { controllerPolicies, type PolicyScope } from '../aws-api/iam-policies.ts';
import type { DeniedCall, Grant } from '../aws-api/permissions.ts';
import { PERMISSIONS } from './deps.ts';
import type { Outcome } from './outcome.ts';

export interface PermissionReport {
  readonly findings: readonly Finding[];
  /** Those that would grant what is missing, with the names of this account and cluster in them. */
  readonly statements: readonly PolicyDocumentStatement[];
}

/** What works without: what the controller does then instead. */
const DISPENSABLE: Readonly<Record<string, string>> = {
  'pricing:GetProducts': 'the prices that come with the program are used, as old as they are',
  'ec2:DescribeSpotPriceHistory': 'spot prices are not known, so on-demand prices stand for them',
  'ec2:DescribeInstanceStatus': 'instances that fail their checks are not noticed by their status',
  'ec2:DescribeCapacityReservations': 'capacity reservations are not used',
  'ec2:DescribePlacementGroups': 'placement groups are not used',
};

/** A finding for each action of the controller's policies, in their order. */
export function permissionReport(
  outcomes: readonly Outcome[],
  scope: PolicyScope,
  needsZonalShift: boolean,
): PermissionReport {
  const policies = controllerPolicies(scope);
  const statements = policies.flatMap((policy) => policy.statements);
  const actions = [...new Set(statements.flatMap((statement) => statement.actions))];
  const byAction = Map.groupBy(outcomes, ({ action }) => action);
  const findings = actions.flatMap((action): Finding[] => {
    const own = byAction.get(action);
    if (own) return [findingOf(action, own)];
    if (action.startsWith('arc-zonal-shift:') && !needsZonalShift) return [];
    return [inPlace(skipped(action, 'not tried: what it would have been tried with is missing'))];
  });
  const others = [...byAction.keys()].filter((action) => !actions.includes(action));
  const granting = new Set(
    outcomes.flatMap((outcome) => (outcome.kind === 'denied' ? outcome.denied.grants.map(sidOf) : [])),
  );
  return {
    findings: [...findings, ...others.map((action) => findingOf(action, byAction.get(action) ?? []))],
    statements: statements
      .filter(({ sid }) => granting.has(sid))
      .map(({ sid, actions: Action, resources: Resource, conditions }) => ({
        Sid: sid,
        Effect: 'Allow',
        Action,
        Resource,
        ...(conditions ? { Condition: conditions } : {}),
      })),
  };
}

/** That something was denied weighs more than that it was allowed elsewhere. */
function findingOf(action: string, outcomes: readonly Outcome[]): Finding {
  const denials = outcomes.flatMap((outcome) => (outcome.kind === 'denied' ? [outcome.denied] : []));
  if (denials.length > 0) return denied(action, denials);
  if (outcomes.some(({ kind }) => kind === 'allowed')) return inPlace(pass(action, 'allowed'));
  const untold = outcomes.find((outcome) => outcome.kind === 'untold');
  if (untold) return inPlace(warn(action, `AWS does not tell: ${untold.why}`));
  const untried = outcomes.find((outcome) => outcome.kind === 'untried');
  return inPlace(skipped(action, `not tried: ${untried?.why ?? ''}`));
}

function denied(action: string, denials: readonly DeniedCall[]): Finding {
  const resources = [...new Set(denials.flatMap(({ resource }) => resource ?? []))];
  const grants = denials.flatMap((denial) => denial.grants);
  const sids = [...new Set(grants.map(sidOf))];
  const where = resources.length > 0 ? ` on ${resources.join(', ')}` : '';
  const instead = DISPENSABLE[action];
  const message = `denied${where}${instead === undefined ? '' : `; without it ${instead}`}`;
  const more = sids.length > 0 ? { grantedBy: sids, fix: [...new Set(grants.map(fixOf))] } : { fix: [EXPLICIT] };
  return inPlace((instead === undefined ? fail : warn)(action, message, more));
}

const EXPLICIT =
  "something denies it whatever the role's own policies say: look at service control policies, permissions boundaries and session policies";

const fixOf = ({ policy, statement }: Grant): string => `statement ${statement.sid} of ${policy}, below`;
const sidOf = ({ statement }: Grant): string => statement.sid;
const inPlace = (finding: Finding): Finding => ({ ...finding, area: PERMISSIONS });
