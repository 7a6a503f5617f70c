import { compareQuantities, formatQuantity, parseQuantity, type Quantity } from '../../kube/quantity.ts';
import type { FieldError, Json } from '../kind.ts';
import * as field from './field-error.ts';
import { qualifiedName } from './names.ts';
import { NOT_NEGATIVE } from './numbers.ts';

/** Names and amounts of resources (core/v1 helpers and validation). */

const CONTAINER = ['cpu', 'memory', 'ephemeral-storage'];
/** Objects that quotas can count by name. */
export const COUNTED = [
  'pods',
  'services',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];
const QUOTA_AMOUNTS = [
  'requests.cpu',
  'requests.memory',
  'requests.storage',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
];
const QUOTA: ReadonlySet<string> = new Set([...CONTAINER, 'storage', ...COUNTED, ...QUOTA_AMOUNTS]);
const STANDARD: ReadonlySet<string> = new Set([...QUOTA]);
const INTEGER: ReadonlySet<string> = new Set([...COUNTED]);

export const isHugePages = (name: string): boolean => name.startsWith('hugepages-');

const isStandard = (name: string): boolean =>
  STANDARD.has(name) || isHugePages(name) || name.startsWith('requests.hugepages-');

/** Resources of Kubernetes itself: without a prefix, or with one of the community's. */
const isNative = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/');

export const isExtended = (name: string): boolean =>
  !isNative(name) && !name.startsWith('requests.') && qualifiedName(`requests.${name}`).length === 0;

/** Whether requests may be less than limits. */
export const allowsOvercommit = (name: string): boolean => isNative(name) && !isHugePages(name);

export const validateResourceName = (path: string, name: string): readonly FieldError[] => {
  const complaints = qualifiedName(name).map((words) => field.invalid(path, name, words));
  if (complaints.length > 0 || name.includes('/') || isStandard(name)) return complaints;
  return [field.invalid(path, name, 'must be a standard resource type or fully qualified')];
};

export const validateContainerResourceName = (path: string, name: string): readonly FieldError[] => {
  const errors = [...validateResourceName(path, name)];
  if (!name.includes('/')) {
    if (!CONTAINER.includes(name) && !isHugePages(name)) {
      errors.push(field.invalid(path, name, 'must be a standard resource for containers'));
    }
  } else if (!isNative(name) && !isExtended(name)) {
    errors.push(field.invalid(path, name, "doesn't follow extended resource name standard"));
  }
  return errors;
};

export const validateQuotaResourceName = (path: string, name: string): readonly FieldError[] => {
  const errors = [...validateResourceName(path, name)];
  const known =
    QUOTA.has(name) || isHugePages(name) || name.startsWith('requests.hugepages-') || name.startsWith('count/');
  if (!name.includes('/') && !known) errors.push(field.invalid(path, name, 'must be a standard resource for quota'));
  return errors;
};

const isWhole = ({ unscaled, scale }: Quantity): boolean => scale >= 0 || unscaled % 10n ** BigInt(-scale) === 0n;

export const quantityOf = (value: Json | undefined): Quantity => parseQuantity(String(value ?? '0'));

export const printQuantity = (value: Json | undefined): string => formatQuantity(quantityOf(value));

export const validateAmount = (path: string, name: string, value: Json | undefined): readonly FieldError[] => {
  const quantity = quantityOf(value);
  const errors: FieldError[] = [];
  if (quantity.unscaled < 0n) errors.push(field.invalid(path, printQuantity(value), NOT_NEGATIVE));
  if ((INTEGER.has(name) || isExtended(name)) && !isWhole(quantity)) {
    errors.push(field.invalid(path, printQuantity(value), 'must be an integer'));
  }
  return errors;
};

export const exceeds = (value: Json | undefined, limit: Json | undefined): boolean =>
  compareQuantities(quantityOf(value), quantityOf(limit)) > 0;

export const differs = (value: Json | undefined, other: Json | undefined): boolean =>
  compareQuantities(quantityOf(value), quantityOf(other)) !== 0;

/** Whether an amount of bytes has a fraction, which the API lets pass with a warning. */
export const isFractional = (value: Json | undefined): boolean => !isWhole(quantityOf(value));
