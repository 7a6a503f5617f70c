import type { NodePool } from '../apis/node-pool.ts';
import { cheapestPrice, compatibleOfferings } from '../scheduling/instance-offerings.ts';
import type { InstanceType } from '../scheduling/instance-type.ts';
import { satisfiesMinValues } from '../scheduling/min-values.ts';
import { templateRequirements } from '../scheduling/node-pool-template.ts';
import type { Requirement } from '../scheduling/requirement.ts';
import { Requirements } from '../scheduling/requirements.ts';
import type { PoolAndTypes } from '../scheduling/types.ts';

/** Types shown, the cheapest. */
const SHOWN_TYPES = 5;

export interface BuyableType {
  readonly name: string;
  /** Per hour, of its cheapest offering on sale that the pool allows. */
  readonly price: number;
  readonly offerings: number;
}

/** What a pool can buy by its own requirements, whatever any pod asks for. */
export interface PoolOfferings {
  /** Instance types, and offerings of theirs that are on sale. */
  readonly types: number;
  readonly offerings: number;
  /** The cheapest few. */
  readonly cheapest: readonly BuyableType[];
  /** Types of the provider that are left after each requirement, one after the other. */
  readonly funnel: readonly { readonly step: string; readonly left: number }[];
  /** Why it can buy nothing, in words; empty when it can. */
  readonly problems: readonly string[];
}

/** Types on sale that the requirements allow, cheapest first. */
export function cheapestTypes(
  types: readonly InstanceType[],
  requirements: Requirements,
  wellKnown: ReadonlySet<string>,
): readonly BuyableType[] {
  return narrow(types, requirements, wellKnown)
    .fitting.map((type): BuyableType => {
      const price = cheapestPrice(type, requirements, wellKnown);
      return { name: type.name, price, offerings: compatibleOfferings(type, requirements, wellKnown).length };
    })
    .filter(({ offerings }) => offerings > 0)
    .sort((a, b) => a.price - b.price || (a.name < b.name ? -1 : 1));
}

/** Types on sale that the pool's requirements allow. */
export function buyableTypes({ nodePool, instanceTypes }: PoolAndTypes, wellKnown: ReadonlySet<string>) {
  const requirements = templateRequirements(nodePool);
  return narrow(instanceTypes, requirements, wellKnown).fitting.filter(
    (type) => compatibleOfferings(type, requirements, wellKnown).length > 0,
  );
}

export function poolOfferings(
  { nodePool, instanceTypes }: PoolAndTypes,
  wellKnown: ReadonlySet<string>,
): PoolOfferings {
  const requirements = templateRequirements(nodePool);
  const { fitting, funnel } = narrow(instanceTypes, requirements, wellKnown);
  const buyable = cheapestTypes(fitting, requirements, wellKnown);
  const bought = new Set(buyable.map(({ name }) => name));
  const onSale = fitting.filter(({ name }) => bought.has(name));
  return {
    types: buyable.length,
    offerings: buyable.reduce((sum, { offerings }) => sum + offerings, 0),
    cheapest: buyable.slice(0, SHOWN_TYPES),
    funnel: [...funnel, { step: 'on sale', left: buyable.length }],
    problems: problemsOf(nodePool, { requirements, instanceTypes, funnel, onSale }),
  };
}

interface Narrowed {
  readonly fitting: readonly InstanceType[];
  readonly funnel: readonly { readonly step: string; readonly left: number }[];
}

/** The first of the requirements that a type does not meet, printed; undefined when it meets all. */
export function refusedBy(
  type: InstanceType,
  requirements: Requirements,
  wellKnown: ReadonlySet<string>,
): string | undefined {
  for (const requirement of requirements) {
    if (wellKnown.has(requirement.key) && !allows(requirement, type)) return String(requirement);
  }
  return undefined;
}

function allows(requirement: Requirement, type: InstanceType): boolean {
  return !type.requirements.has(requirement.key) || new Requirements([requirement]).intersects(type.requirements);
}

/** Requirements that take no type away are left out of the steps. */
function narrow(types: readonly InstanceType[], requirements: Requirements, wellKnown: ReadonlySet<string>): Narrowed {
  let fitting = types;
  const funnel = [{ step: 'all', left: types.length }];
  for (const requirement of requirements) {
    if (!wellKnown.has(requirement.key)) continue;
    const left = fitting.filter((type) => allows(requirement, type));
    if (left.length < fitting.length) funnel.push({ step: String(requirement), left: left.length });
    fitting = left;
  }
  return { fitting, funnel };
}

interface Findings {
  readonly requirements: Requirements;
  readonly instanceTypes: readonly InstanceType[];
  readonly funnel: Narrowed['funnel'];
  readonly onSale: readonly InstanceType[];
}

function problemsOf(nodePool: NodePool, { requirements, instanceTypes, funnel, onSale }: Findings): string[] {
  const contradictions = contradictionsOf(nodePool);
  if (contradictions.length > 0) return contradictions;
  if (onSale.length > 0) {
    const { error } = satisfiesMinValues(onSale, requirements);
    return error === undefined ? [] : [`what it can buy has too few values: ${error}`];
  }
  if (instanceTypes.length === 0) return ['the provider has no instance type for it'];
  const emptying = funnel.find(({ left }) => left === 0);
  if (emptying) return [`no instance type is left by ${emptying.step}`];
  return ['no instance type that meets its requirements is on sale in a zone and capacity type that they allow'];
}

/** Keys of which no value is left when all that the pool says about them is put together. */
function contradictionsOf({ spec }: NodePool): string[] {
  const { labels = {} } = spec.template.metadata ?? {};
  const items = [
    ...spec.template.spec.requirements,
    ...Object.entries(labels).map(([key, value]) => ({ key, operator: 'In' as const, values: [value] })),
  ];
  return [...Map.groupBy(items, ({ key }) => key)].flatMap(([key, own]) => {
    const together = Requirements.fromItems(own).get(key);
    if (together.operator !== 'DoesNotExist' || own.some(({ operator }) => operator === 'DoesNotExist')) return [];
    const said = own.map((item) => String(Requirements.fromItems([item]).get(key)));
    return [
      own.length > 1
        ? `its requirements contradict each other: ${said.join(' and ')} have no value in common`
        : `no value meets ${said.join('')}`,
    ];
  });
}
