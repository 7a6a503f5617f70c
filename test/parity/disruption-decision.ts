import { type Command, METHOD_NAMES, type MethodResult } from '../../src/disruption/index.ts';
import { cheapestPrice, type PlannedNodeClaim } from '../../src/scheduling/index.ts';
import { stateNodeName } from '../../src/scheduling/state-node.ts';
import type { UpstreamClaim } from './oracle.ts';

/** What one disruption method decided, in a form in which two decisions can be compared. */
export interface MethodDecision {
  readonly method: string;
  readonly candidates: readonly string[];
  readonly budgets: Readonly<Record<string, number>>;
  readonly commands: readonly DecidedCommand[];
}

export interface DecidedCommand {
  readonly decision: string;
  readonly candidates: readonly string[];
  /** Instance types and requirements of each replacement. */
  readonly replacements: readonly string[];
  /** Of the replacements' cheapest offerings, summed. */
  readonly price: number;
}

/** An answer of `oracle disrupt`. */
export interface UpstreamDisruption {
  readonly methods: readonly {
    readonly method: string;
    readonly candidates: readonly string[] | null;
    readonly budgets: Readonly<Record<string, number>>;
    readonly commands:
      | readonly {
          readonly decision: string;
          readonly candidates: readonly string[];
          readonly replacements?: readonly UpstreamClaim[];
        }[]
      | null;
    readonly error?: string;
    readonly millis: number;
  }[];
}

const LEFT_OUT: ReadonlySet<string> = new Set(['kubernetes.io/hostname', 'node.kubernetes.io/instance-type']);
const byName = ([a]: readonly [string, number], [b]: readonly [string, number]): number => (a < b ? -1 : 1);

export function ourMethod(result: MethodResult, wellKnown: ReadonlySet<string>): MethodDecision {
  return {
    method: result.method,
    candidates: result.candidates,
    budgets: Object.fromEntries(Object.entries(result.budgets).sort(byName)),
    commands: result.commands.map((command) => ourCommand(command, wellKnown)),
  };
}

function ourCommand(command: Command, wellKnown: ReadonlySet<string>): DecidedCommand {
  const price = ({ instanceTypes: [first], requirements }: PlannedNodeClaim): number =>
    first ? cheapestPrice(first, requirements, wellKnown) : 0;
  return {
    decision: command.decision,
    candidates: command.candidates.map(stateNodeName).sort(),
    replacements: command.replacements.map(({ instanceTypes, requirements }) => {
      const rules = [...requirements]
        .filter(({ key }) => !LEFT_OUT.has(key))
        .map(String)
        .sort();
      return `${instanceTypes.map((type) => type.name).join(' ')} | ${rules.join(', ')}`;
    }),
    price: command.replacements.reduce((sum, claim) => sum + price(claim), 0),
  };
}

export function upstreamMethods(answer: UpstreamDisruption): MethodDecision[] {
  return answer.methods.map(({ candidates, budgets, commands }, position) => ({
    method: METHOD_NAMES[position] ?? '',
    candidates: candidates ?? [],
    budgets: Object.fromEntries(Object.entries(budgets).sort(byName)),
    commands: (commands ?? []).map((command) => ({
      decision: command.decision,
      candidates: command.candidates,
      replacements: (command.replacements ?? []).map(
        ({ instanceTypes, requirements }) => `${(instanceTypes ?? []).join(' ')} | ${(requirements ?? []).join(', ')}`,
      ),
      price: (command.replacements ?? []).reduce((sum, claim) => sum + claim.cheapestPrice, 0),
    })),
  }));
}
