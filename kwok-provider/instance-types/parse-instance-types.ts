import { parseQuantity } from '../../src/kube/quantity.ts';
import type { InstanceTypeOptions, OfferingOptions, OfferingRequirement } from './instance-type-options.ts';

/** A catalogue file can't be used; `path` says where in it, for example `[3].offerings[0].Price`. */
export class InstanceTypesError extends Error {
  override readonly name = 'InstanceTypesError';
  readonly path: string;

  constructor(path: string, problem: string, options?: ErrorOptions) {
    super(path === '' ? problem : `${path}: ${problem}`, options);
    this.path = path;
  }
}

type Fields = Readonly<Record<string, unknown>>;

function object(value: unknown, path: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new InstanceTypesError(path, `expected an object, got ${describe(value)}`);
}

function list(value: unknown, path: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new InstanceTypesError(path, `expected a list, got ${describe(value)}`);
}

function text(value: unknown, path: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new InstanceTypesError(path, `expected a non-empty string, got ${describe(value)}`);
}

function price(value: unknown, path: string): number {
  if (typeof value === 'number' && value >= 0 && Number.isFinite(value)) return value;
  throw new InstanceTypesError(path, `expected a price per hour, zero or more, got ${describe(value)}`);
}

function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : JSON.stringify(value);
}

const OPERATORS = new Set(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Gte', 'Lte']);

function requirement(value: unknown, path: string): OfferingRequirement {
  const fields = object(value, path);
  const operator = text(fields.operator, `${path}.operator`);
  if (!OPERATORS.has(operator)) throw new InstanceTypesError(`${path}.operator`, `unknown operator "${operator}"`);
  const values = fields.values === undefined ? [] : list(fields.values, `${path}.values`);
  return {
    key: text(fields.key, `${path}.key`),
    operator,
    values: values.map((v, i) => text(v, `${path}.values[${i}]`)),
  };
}

function offering(value: unknown, path: string): OfferingOptions {
  const fields = object(value, path);
  if (fields.Requirements === undefined && (fields.zone !== undefined || fields.capacityType !== undefined)) {
    throw new InstanceTypesError(
      path,
      'has zone and capacityType fields, which no current provider reads: list them in Requirements, as ' +
        'topology.kubernetes.io/zone and karpenter.sh/capacity-type',
    );
  }
  return {
    Price: price(fields.Price ?? fields.price, `${path}.Price`),
    Available: true,
    ...(typeof fields.ReservationCapacity === 'number' ? { ReservationCapacity: fields.ReservationCapacity } : {}),
    Requirements: list(fields.Requirements, `${path}.Requirements`).map((r, i) =>
      requirement(r, `${path}.Requirements[${i}]`),
    ),
  };
}

/** Digits and sign of a quantity. */
function parsed(quantity: string, path: string): bigint {
  try {
    return parseQuantity(quantity).unscaled;
  } catch (cause) {
    throw new InstanceTypesError(path, `"${quantity}" is not a quantity`, { cause });
  }
}

function resources(value: unknown, path: string): Readonly<Record<string, string>> {
  const result = quantities(value, path);
  for (const name of ['cpu', 'memory']) {
    if (result[name] === undefined) throw new InstanceTypesError(path, `has no ${name}`);
  }
  return result;
}

function quantities(value: unknown, path: string): Readonly<Record<string, string>> {
  const result: Record<string, string> = {};
  for (const [name, amount] of Object.entries(object(value, path))) {
    const quantity = typeof amount === 'number' ? String(amount) : text(amount, `${path}.${name}`);
    if (parsed(quantity, `${path}.${name}`) < 0n) {
      throw new InstanceTypesError(`${path}.${name}`, `expected zero or more, got "${quantity}"`);
    }
    result[name] = quantity;
  }
  return result;
}

function labels(value: unknown, path: string): Readonly<Record<string, string | null>> {
  return Object.fromEntries(
    Object.entries(object(value, path)).map(([key, label]) => {
      if (label === null || typeof label === 'string') return [key, label];
      throw new InstanceTypesError(`${path}.${key}`, `expected a string or null, got ${describe(label)}`);
    }),
  );
}

function instanceType(value: unknown, path: string): InstanceTypeOptions {
  const fields = object(value, path);
  const systems = list(fields.operatingSystems, `${path}.operatingSystems`);
  return {
    name: text(fields.name, `${path}.name`),
    architecture: text(fields.architecture, `${path}.architecture`),
    operatingSystems: systems.map((os, i) => text(os, `${path}.operatingSystems[${i}]`)),
    resources: resources(fields.resources, `${path}.resources`),
    ...(fields.labels === undefined ? {} : { labels: labels(fields.labels, `${path}.labels`) }),
    ...(fields.overhead === undefined ? {} : { overhead: quantities(fields.overhead, `${path}.overhead`) }),
    offerings: list(fields.offerings, `${path}.offerings`).map((o, i) => offering(o, `${path}.offerings[${i}]`)),
  };
}

/**
 * Reads a catalogue in the JSON format of upstream's kwok provider (karpenter-core.md 13.1.3). Every offering counts as
 * available, whatever the file says.
 *
 * @throws {InstanceTypesError} naming the place in the file.
 */
export function parseInstanceTypes(json: string): InstanceTypeOptions[] {
  let document: unknown;
  try {
    document = JSON.parse(json);
  } catch (cause) {
    throw new InstanceTypesError('', `not JSON: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
  const types = list(document, '').map((value, i) => instanceType(value, `[${i}]`));
  const names = new Set<string>();
  types.forEach((type, i) => {
    if (names.has(type.name)) throw new InstanceTypesError(`[${i}].name`, `"${type.name}" is in the list twice`);
    names.add(type.name);
  });
  return types;
}
