/** The JSON Schemas of everything that commands compute; `schemas/` is made of this. */
import {
  boolean,
  described,
  integer,
  listOf,
  mapOf,
  nullable,
  number,
  object,
  oneOf,
  report,
  type Schema,
  string,
} from './schema.ts';

const podName = described(string, 'namespace/name');
const price = described(number, 'dollars per hour');
const amounts = described(mapOf(string), 'resource name to Kubernetes quantity');

const offering = described(string, 'TYPE/ZONE/CAPACITY-TYPE, with * for any text');

const plannedClaim = object({
  nodePool: string,
  pods: listOf(podName),
  instanceTypes: described(listOf(string), 'in launch order'),
  cheapestPrice: price,
  offers: described(
    listOf(
      object({
        instanceType: string,
        zones: described(listOf(string), 'all that sell it at this price'),
        capacityType: string,
        price,
      }),
    ),
    'the cheapest offering of each of the first few types: what is bought, and what would be if that were sold out',
  ),
  requests: amounts,
  requirements: described(listOf(string), 'printed as Karpenter prints them, sorted'),
});

const topologyFacts = object({
  rule: oneOf('TopologySpread', 'PodAffinity', 'PodAntiAffinity'),
  key: described(string, 'the label that the domains are values of'),
  selector: described(string, 'which pods count; empty for all'),
  ofOthers: described(boolean, 'the rule is that of the pods that are listed'),
  'maxSkew?': integer,
  'minDomains?': integer,
  domains: listOf(
    object({
      domain: string,
      count: described(integer, 'matching pods'),
      pods: described(listOf(podName), 'the first few'),
      allowed: described(boolean, 'whether the rule allows the pod there'),
      'unreachable?': described(string, 'why nothing of the pool can be there all the same'),
    }),
  ),
});
const reason = object({
  code: string,
  message: string,
  'pod?': described(string, "the pod's side of the rule"),
  'other?': described(string, "the pool's or node's side of the rule"),
  'subject?': described(string, 'the label key, resource, taint, port or claim that the rule is about'),
  'objects?': listOf(string),
  'planned?': described(string, 'of a limit: what nodes planned before this pod take of it, at their largest'),
  'funnel?': described(
    listOf(object({ step: string, left: integer, 'asked?': described(string, 'what was asked') })),
    'instance types left after each step',
  ),
  'size?': described(
    object({ pod: amounts, daemons: listOf(object({ name: string, requests: amounts })), most: amounts }),
    'what is asked for of the resources that are short, and the most that any type has',
  ),
  'soldOut?': described(
    listOf(object({ instanceType: string, zone: string, capacityType: string, 'until?': string })),
    'what would do if it were available, cheapest first',
  ),
  'topology?': topologyFacts,
});
const leaving = object({
  because: oneOf('Deleted', 'Expired'),
  since: string,
  pods: described(
    listOf(object({ pod: podName, 'keptBy?': described(string, 'what forbids its eviction now') })),
    'that its drain waits for',
  ),
  'forcedAt?': described(string, 'when pods are deleted without asking'),
});
const typeVerdict = object({
  instanceType: string,
  'refusedBy?': described(
    string,
    'the first question it fails: a label key, size, limits or on sale; absent when it would hold the pod',
  ),
  'detail?': described(string, 'what was asked of the label, or what is short'),
  'offer?': described(object({ capacityType: string, price }), 'the cheapest on sale that the labels allow'),
});
const target = object({ kind: oneOf('NodePool', 'Node', 'NodeClaim'), name: string, reasons: listOf(reason) });
const offer = object({ instanceType: string, capacityType: string, zone: string, price });
const edit = object({ object: string, path: string, from: string, to: string });
const savingsFields = {
  hourly: number,
  monthly: described(number, 'of 730 hours'),
  hourlyPerPod: described(nullable(number), 'per hour and pod disrupted; null when no pod is'),
};
const savings = object(savingsFields);
const blockerFields = {
  code: string,
  message: string,
  objects: described(listOf(string), 'Kind/name or Kind/namespace/name'),
  'why?': described(string, 'in plain words, with the facts behind it'),
  'event?': described(string, 'reason of the event with which Karpenter says the same'),
  'reason?': described(string, 'of a budget: the kind of disruption that it allows no more of'),
};
const blocker = object(blockerFields);

const couldSave = object({
  ...savingsFields,
  price: nullable(price),
  keptBy: described(listOf(string), 'codes of what would keep the node then'),
});
const command = object({
  method: string,
  decision: oneOf('delete', 'replace'),
  reason: string,
  candidates: described(listOf(string), 'node names, sorted'),
  replacements: listOf(plannedClaim),
  placements: described(mapOf(listOf(podName)), 'existing node to the pods that would move there'),
  podsDisrupted: described(integer, 'pods on the candidates that need a new place'),
  savings,
});

const fieldChange = object({ field: string, from: nullable(string), to: nullable(string) });
const objectChange = {
  kind: string,
  name: string,
  'namespace?': string,
  change: oneOf('added', 'changed', 'unchanged', 'removed'),
  fields: listOf(fieldChange),
  refusals: described(listOf(string), 'why the API would refuse it, in its words'),
  problems: described(listOf(string), 'why the controller would not use it'),
};
const planSide = object({
  newNodeClaims: listOf(plannedClaim),
  unplaced: described(listOf(podName), 'pods without a place'),
});

const nodes = object({
  total: integer,
  ready: integer,
  notReady: integer,
  launching: integer,
  deleting: integer,
  byCapacityType: mapOf(integer),
});
const cost = object({ hourly: number, monthly: number, currency: { const: 'USD' }, nodesWithoutPrice: integer });
const usage = { nodes, requested: amounts, allocatable: amounts };

const condition = object({
  type: string,
  status: oneOf('True', 'False', 'Unknown'),
  'reason?': string,
  'message?': string,
  'since?': string,
  meaning: described(string, 'in plain words'),
  healthy: boolean,
  'next?': described(string, 'what to look at next'),
});
const event = object({ type: string, reason: string, message: string, 'time?': string, count: integer });
const explained = { name: string, 'deletionTimestamp?': string, conditions: listOf(condition), events: listOf(event) };
const buyable = listOf(object({ name: string, price, offerings: integer }));

export const REPORT_SCHEMAS: readonly Schema[] = [
  report(
    'OfferingsReport',
    'What NodePools can buy, at what price, what fits a pod, and what is sold out until when.',
    {
      time: string,
      pod: described(nullable(podName), 'that was asked about'),
      pools: listOf(
        object({
          nodePool: string,
          nodeClass: described(string, 'Kind/name'),
          types: described(integer, 'that it could buy now'),
          offerings: described(integer, 'that it could buy now'),
          soldOut: described(integer, 'offerings that it may buy, but nobody can now'),
          fitting: described(nullable(integer), 'types that it could buy now and that the pod fits'),
          refusals: described(listOf(reason), 'why the pool gives the pod no node'),
          problems: listOf(string),
          instanceTypes: described(
            listOf(
              object({
                instanceType: string,
                allocatable: amounts,
                fits: described(nullable(boolean), 'null when no pod was asked about'),
                'refusedBy?': described(string, 'the first question of the pod that it fails'),
                'detail?': string,
                offerings: listOf(
                  object({
                    zone: string,
                    capacityType: string,
                    price,
                    available: boolean,
                    'soldOutUntil?': described(nullable(string), 'null when nobody can tell'),
                    'reservationsLeft?': integer,
                  }),
                ),
              }),
            ),
            'cheapest first; those that are sold out everywhere last',
          ),
          notAllowed: described(
            listOf(object({ instanceType: string, requirement: described(string, 'the first that it does not meet') })),
            'types that were asked for by name',
          ),
        }),
      ),
    },
  ),
  report('ChaosReport', 'Trouble that was made on fake nodes, and what is sold out since.', {
    time: string,
    action: oneOf('interrupt', 'sold-out', 'available'),
    interrupted: listOf(
      object({
        nodeClaim: string,
        node: described(nullable(string), 'null until it has joined'),
        offering,
        endsAt: string,
      }),
    ),
    soldOut: listOf(object({ nodeClass: string, offering, until: described(nullable(string), 'null without end') })),
  }),
  report('VersionReport', 'Versions of the program, of the Karpenter it matches, and of the server.', {
    client: string,
    karpenter: string,
    kubernetes: described(string, 'that the embedded API answers as'),
    node: string,
    'server?': string,
  }),
  report('PlanReport', 'What the controller would do next with the pods that wait.', {
    newNodeClaims: listOf(plannedClaim),
    existingNodes: described(mapOf(listOf(podName)), 'node to the pods that would go there'),
    podErrors: mapOf(object({ code: string, message: string, 'targets?': listOf(target) })),
    totalPrice: price,
    durationMs: number,
  }),
  report('PlanDiffReport', 'What an edit would do before it is applied.', {
    differs: boolean,
    pools: listOf(
      object({
        ...objectChange,
        driftBudget: described(nullable(integer), 'drifted nodes that may go at once; null without a budget'),
      }),
    ),
    others: described(listOf(object(objectChange)), 'NodeOverlays and CapacityBuffers'),
    assumptions: described(listOf(string), 'what the answer takes for granted'),
    drift: listOf(
      object({
        node: string,
        nodeClaim: string,
        nodePool: string,
        reason: described(
          oneOf('NodePoolDrifted', 'RequirementsDrifted', 'NodePoolDeleted'),
          'a hashed field of the template has changed; requirements, which are not hashed, no longer allow the node; the pool goes',
        ),
        already: described(boolean, 'drifted without the edit too'),
        fields: described(listOf(fieldChange), 'from what the node has to what its pool asks for'),
        blockers: described(listOf(blocker), 'what keeps it from being replaced, budgets aside'),
        price: nullable(price),
      }),
    ),
    rolls: described(
      listOf(
        object({
          nodePool: string,
          method: oneOf('Drift', 'StaticDrift'),
          nodes: integer,
          steps: listOf(
            object({
              from: string,
              to: string,
              atOnce: described(nullable(integer), 'nodes replaced together; null without a budget'),
              nodes: integer,
              rounds: integer,
            }),
          ),
          rounds: integer,
          until: described(nullable(string), 'null when the budgets never let the last node go'),
          seconds: nullable(integer),
        }),
      ),
      'how replacing goes on under the budgets, windows included; a round is as long as nodes took to start and pods may take to end',
    ),
    before: planSide,
    after: planSide,
    replacements: object({
      newNodeClaims: described(listOf(plannedClaim), 'launched in the course of time for nodes that drift and can go'),
      podMoves: described(integer, 'how often pods move for it'),
      isEstimate: described(boolean, 'all pods were packed at once rather than node after node'),
    }),
    buffers: described(
      listOf(object({ buffer: string, existing: integer, new: integer, failed: integer })),
      'what becomes of the pods that each CapacityBuffer stands for, after the edit',
    ),
    pods: object({
      gain: described(listOf(podName), 'pods that wait in vain now and would get a place'),
      lose: described(listOf(podName), 'pods that have or would get a place now and would be left without'),
    }),
    cost: described(
      object({ before: number, after: number, hourly: number, monthly: number }),
      'dollars per hour of all nodes and those to launch; hourly and monthly are the change',
    ),
  }),
  report('DisruptionReport', 'What the controller would disrupt next, and what keeps each other node.', {
    methods: listOf(
      object({
        method: oneOf('Emptiness', 'StaticDrift', 'Drift', 'MultiNodeConsolidation', 'SingleNodeConsolidation'),
        consolidationType: string,
        candidates: listOf(string),
        budgets: described(mapOf(integer), 'NodePool to the disruptions that are still allowed'),
        commands: listOf(command),
      }),
    ),
    chosen: nullable(command),
    chosenElsewhere: described(boolean, 'the next move is about none of the nodes that were asked about'),
    alternatives: described(listOf(command), 'what could be done with each other node, most saved first'),
    blocked: described(mapOf(listOf(blocker)), 'nodes that could save most come first'),
    couldSave: described(
      mapOf(couldSave),
      'what each blocked node costs, and would save if nothing but room and price had a say',
    ),
    next: described(
      nullable(
        object({
          steps: listOf(
            object({
              command,
              total: described(
                object({
                  hourly: number,
                  monthly: number,
                  podsDisrupted: integer,
                  nodesRemoved: integer,
                  nodesLaunched: integer,
                }),
                'of this step and all before it',
              ),
            }),
          ),
          finished: described(boolean, 'nothing is left to do after the last step'),
        }),
      ),
      'what goes next, each command in the world that the one before it leaves',
    ),
    together: described(
      nullable(
        object({
          nodes: listOf(string),
          command: nullable(command),
          blockers: described(
            listOf(object({ ...blockerFields, node: nullable(string) })),
            'of one of the nodes, or with null of all together',
          ),
          turn: object({
            positions: described(mapOf(integer), 'node to its place in the list of multi-node consolidation'),
            listed: integer,
            most: described(integer, 'only the first 2, 3 and so on, up to so many, are tried together'),
            smallestAttempt: described(nullable(integer), 'nodes of the smallest attempt that holds all of these'),
          }),
        }),
      ),
      'what removing the nodes that were asked about at once would come to',
    ),
    savings,
  }),
  report('StatusReport', 'The cluster on one screen.', {
    time: string,
    pools: listOf(
      object({
        name: string,
        ready: oneOf('True', 'False', 'Unknown'),
        'message?': string,
        static: boolean,
        weight: integer,
        ...usage,
        limits: mapOf(object({ limit: string, used: string })),
        price: cost,
        budgets: mapOf(object({ allowed: nullable(integer), disrupting: integer })),
      }),
    ),
    otherNodes: object(usage),
    total: object({ ...usage, price: cost }),
    pendingPods: listOf(object({ code: string, message: string, count: integer, pods: listOf(podName) })),
    disruptions: listOf(
      object({
        'nodeClaim?': string,
        'node?': string,
        'nodePool?': string,
        reason: string,
        state: oneOf('Tainted', 'Deleting'),
        'since?': string,
      }),
    ),
  }),
  report('PodExplanation', 'Why a pod has no node, or which it would get.', {
    pod: podName,
    state: oneOf('Bound', 'Ended', 'Leaving', 'Nominated', 'NewNode', 'ExistingNode', 'NoPlace', 'NotOurs'),
    'note?': string,
    'warnings?': described(listOf(string), "rules of the pod that don't do what they seem to"),
    'next?': described(string, 'what to look at where Karpenter has nothing to do with it'),
    'node?': string,
    'nodeFacts?': object({
      nodePool: nullable(string),
      instanceType: nullable(string),
      capacityType: nullable(string),
      zone: nullable(string),
      price: nullable(price),
    }),
    'protected?': described(string, 'what keeps a running pod from being moved now'),
    'again?': described(
      nullable(object({ 'node?': string, 'nodePool?': string })),
      'where a running pod would go if it had to be placed again; null for nowhere',
    ),
    'newNodeClaim?': plannedClaim,
    'offers?': described(listOf(offer), 'what that claim could become, cheapest first'),
    'otherPools?': described(
      listOf(object({ nodePool: string, offer, why: described(string, 'why it is not the one') })),
      'pools that would launch a node for it as well',
    ),
    'error?': object({ code: string, message: string }),
    'event?': described(object({ reason: string, message: string }), "what Karpenter's own event says on the pod"),
    targets: described(listOf(target), 'what can not take the pod, nearest miss first'),
    fixes: described(
      listOf(
        object({
          nodePool: string,
          'node?': string,
          edits: listOf(edit),
          'displaces?': described(listOf(podName), 'pods that lose the place they would have had'),
          'drifts?': described(integer, 'nodes of the pool that drift'),
        }),
      ),
      'edits that were tried and help; the node is the one that takes the pod if it is there already',
    ),
    'lastEvent?': described(
      object({ reason: string, message: string, 'time?': string }),
      'what Karpenter has last said about it in the cluster',
    ),
    'scheduler?': described(string, 'what the scheduler said last'),
    'alike?': described(listOf(podName), 'other pods of the same owner in the same state'),
    'pools?': described(listOf(string), 'the pools that were asked about, where not all were'),
    'instanceTypes?': described(
      listOf(object({ nodePool: string, types: listOf(typeVerdict) })),
      'what each instance type of each pool comes to; only when it was asked for',
    ),
  }),
  report('NodeExplanation', 'Whether consolidation would take a node, what keeps it, where its pods would go.', {
    node: string,
    nodePool: nullable(string),
    instanceType: nullable(string),
    zone: nullable(string),
    capacityType: nullable(string),
    price: nullable(price),
    requested: amounts,
    allocatable: amounts,
    notReady: described(nullable(string), "why it is not Ready, in its condition's words"),
    leaving: described(nullable(leaving), 'of one that goes, and what that waits for'),
    command: nullable(command),
    methods: described(
      listOf(object({ method: string, candidate: boolean, command: nullable(command), blockers: listOf(blocker) })),
      'what each method makes of it, in the order in which they are tried',
    ),
    blockers: listOf(blocker),
    couldSave: described(nullable(couldSave), 'if nothing but room and price had a say'),
    removal: object({
      savings: described(nullable(number), 'dollars per hour, less the new nodes; negative when it costs more'),
      pods: listOf(
        object({
          pod: podName,
          to: oneOf('node', 'newNode', 'nowhere', 'staysBehind'),
          detail: string,
          'protected?': string,
          'noRoom?': described(
            listOf(object({ code: string, message: string, nodes: integer })),
            'why it does not go to a node that is there, the commonest reason first',
          ),
          'topology?': described(listOf(topologyFacts), 'rules about other pods that keep it from a place'),
        }),
      ),
      newNodesPrice: price,
      'withoutPreferences?': described(
        object({ rules: listOf(string), newNodes: integer, newNodesPrice: price }),
        'what would be launched did the pods not prefer what they prefer; only where that is less',
      ),
    }),
  }),
  report('NodeClaimExplanation', "A NodeClaim's life so far, where it is stuck, and what becomes of it.", {
    ...explained,
    nodePool: nullable(string),
    node: nullable(string),
    instanceType: nullable(string),
    zone: nullable(string),
    capacityType: nullable(string),
    price: nullable(price),
    pods: listOf(podName),
    stages: listOf(
      object({
        stage: oneOf('Launched', 'Registered', 'Initialized'),
        at: string,
        seconds: described(integer, 'since the step before it'),
      }),
    ),
    stuck: nullable(
      object({
        stage: oneOf('Launched', 'Registered', 'Initialized'),
        since: string,
        waitsFor: described(listOf(string), 'what is missing'),
        'givenUpAt?': described(string, 'when the controller deletes the claim'),
        next: described(string, 'what to look at next'),
      }),
    ),
    candidates: described(
      nullable(object({ types: integer, cheapest: buyable })),
      'what it may still become, while it has not been launched',
    ),
    leaving: described(nullable(leaving), 'of one that goes, and what that waits for'),
    expiresAt: nullable(string),
    'drift?': described(listOf(fieldChange), 'from what the claim has to what its NodePool asks for'),
    command: described(nullable(command), 'what consolidation would do with its node now, had it the turn'),
    blockers: listOf(blocker),
    notes: listOf(string),
  }),
  report('NodeClassExplanation', 'Whether nodes can be launched with a node class, with what, and who uses it.', {
    nodeClass: described(string, 'the kind of the class'),
    ...explained,
    problems: described(listOf(string), 'why nothing is launched with it'),
    pools: listOf(object({ nodePool: string, ready: boolean, nodeClaims: integer, nodes: integer })),
    nodeClaims: integer,
    nodes: integer,
    canBuy: described(
      nullable(object({ types: integer, offerings: integer })),
      'now, whatever pools want; null where that is not known',
    ),
    soldOut: listOf(object({ offering, until: described(nullable(string), 'null without end') })),
    drifted: listOf(
      object({
        nodeClaim: string,
        node: nullable(string),
        nodePool: nullable(string),
        reason: string,
        since: described(nullable(string), 'null of one that the controller has not told of yet'),
        what: described(nullable(string), 'what the node has and what a new one would have, where that can be seen'),
      }),
    ),
    'nodeRegistrationDelay?': described(string, 'of the fake cloud'),
    'ec2?': described(
      object({
        askedAws: described(boolean, 'for what only it can tell, which is null else; null is gone if it was asked'),
        hash: nullable(string),
        hashVersion: nullable(string),
        role: nullable(string),
        instanceProfile: nullable(string),
        amiFamily: string,
        selects: described(
          object({
            amis: listOf(string),
            subnets: listOf(string),
            securityGroups: listOf(string),
            capacityReservations: listOf(string),
          }),
          'selector terms in words',
        ),
        subnets: listOf(
          object({ id: string, zone: string, zoneID: nullable(string), freeAddresses: nullable(integer) }),
        ),
        securityGroups: listOf(object({ id: string, name: nullable(string) })),
        amis: listOf(
          object({
            id: string,
            name: nullable(string),
            deprecated: boolean,
            requirements: listOf(string),
            types: described(nullable(integer), 'that are launched from it'),
          }),
        ),
        capacityReservations: listOf(
          object({
            id: string,
            instanceType: string,
            zone: string,
            type: string,
            interruptible: boolean,
            state: string,
            endTime: nullable(string),
            left: nullable(integer),
          }),
        ),
        placementGroup: nullable(
          object({
            selector: string,
            id: nullable(string),
            strategy: nullable(string),
            partitions: nullable(integer),
          }),
        ),
        settings: described(mapOf(string), 'path to value, of those that change what nodes are like'),
      }),
      'of an EC2NodeClass',
    ),
  }),
  report('NodePoolExplanation', 'Whether a NodePool can be used, what it can buy, what limits and budgets leave.', {
    ...explained,
    problems: described(
      listOf(string),
      'why nothing is launched from it or may be disrupted, whatever its conditions say',
    ),
    replicas: described(nullable(integer), 'of a static pool'),
    nodes,
    nodeClaims: integer,
    price: cost,
    order: object({
      weight: integer,
      position: described(nullable(integer), 'its turn among the pools that pods may grow'),
      of: integer,
      tiedWith: described(listOf(string), 'pools of the same weight, in the order of their turns'),
    }),
    limits: mapOf(object({ limit: string, used: string, left: string })),
    budgets: listOf(
      object({
        reason: oneOf('Underutilized', 'Empty', 'Drifted'),
        nodes: described(integer, 'that percentages are taken of'),
        disrupting: integer,
        allowed: described(nullable(integer), 'null without a budget in force'),
        remaining: nullable(integer),
        because: string,
        'next?': described(object({ at: string, allowed: nullable(integer) }), 'when the number allowed changes'),
      }),
    ),
    budgetRules: listOf(
      object({
        nodes: string,
        reasons: nullable(listOf(string)),
        'schedule?': string,
        'duration?': string,
        active: boolean,
        'changesAt?': string,
      }),
    ),
    offerings: object({
      types: integer,
      offerings: integer,
      cheapest: buyable,
      funnel: described(listOf(object({ step: string, left: integer })), 'instance types left after each requirement'),
      problems: listOf(string),
    }),
    consolidation: object({
      policy: string,
      after: string,
      quiet: integer,
      couldGo: integer,
      staying: described(mapOf(integer), 'code of what keeps them to number of nodes'),
    }),
    drifted: integer,
    expiry: object({
      after: string,
      withinADay: described(integer, 'budgets do not hold expiry back'),
      'next?': object({ nodeClaim: string, at: string }),
    }),
    waiting: object({
      newNode: described(listOf(podName), 'get a new node of this pool'),
      nearestMiss: described(listOf(podName), 'have no place and come nearest to this pool'),
    }),
  }),
  report('DoctorReport', 'Whether the controller would work here, as `doctor` finds.', {
    provider: described(nullable(string), 'the value of --provider'),
    findings: listOf(
      object({
        area: described(string, 'the head that it is told under'),
        check: string,
        verdict: oneOf('pass', 'warn', 'fail', 'skipped'),
        message: string,
        'details?': listOf(string),
        'fix?': described(listOf(string), 'commands and edits that would mend it'),
        'grantedBy?': described(listOf(string), 'Sids of the statements that would grant a missing permission'),
      }),
    ),
    counts: object({ pass: integer, warn: integer, fail: integer, skipped: integer }),
    statements: described(
      listOf(
        object({
          Sid: string,
          Effect: oneOf('Allow'),
          Action: listOf(string),
          Resource: listOf(string),
          'Condition?': mapOf(mapOf({ anyOf: [string, listOf(string)] })),
        }),
      ),
      "statements that the policies of the controller's role lack, as IAM takes them",
    ),
    privacy: described(string, 'whom this program ever talks to'),
  }),
];
