import { LABEL_ARCH, LABEL_INSTANCE_TYPE, LABEL_OS, LABEL_REGION, LABEL_ZONE } from './labels.ts';

/** Other names that a provider's world has for labels and their values. */
export interface LabelAliases {
  /** Other key → the key that is meant. */
  readonly normalizedLabels?: Readonly<Record<string, string>>;
  /** Key that is meant → other value → the value that is meant. */
  readonly normalizedLabelValues?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Old keys and what they are called now. A look-up finds what was put in and nothing that all objects inherit. */
const keys: Record<string, string> = Object.assign(Object.create(null) as Record<string, string>, {
  'failure-domain.beta.kubernetes.io/zone': LABEL_ZONE,
  'failure-domain.beta.kubernetes.io/region': LABEL_REGION,
  'beta.kubernetes.io/arch': LABEL_ARCH,
  'beta.kubernetes.io/os': LABEL_OS,
  'beta.kubernetes.io/instance-type': LABEL_INSTANCE_TYPE,
});
const valuesByKey = new Map<string, ReadonlyMap<string, string>>();

/**
 * From now on the provider's names count too, in all requirements that are made. For the whole process: requirements are
 * made of whatever pods, volumes and pools say, long before anybody asks which provider it is for; so this comes first.
 */
export function useLabelAliases({ normalizedLabels = {}, normalizedLabelValues = {} }: LabelAliases): void {
  Object.assign(keys, normalizedLabels);
  for (const [key, values] of Object.entries(normalizedLabelValues)) {
    valuesByKey.set(key, new Map([...(valuesByKey.get(key) ?? []), ...Object.entries(values)]));
  }
}

/** The key that is meant. */
export const normalizedLabel = (key: string): string => keys[key] ?? key;

/** The values that are meant, of a key that is normalized already. */
export function normalizedValues(key: string, values: Iterable<string>): Iterable<string> {
  const meant = valuesByKey.get(key);
  return meant ? Array.from(values, (value) => meant.get(value) ?? value) : values;
}
