import { GROUP, LABEL_HOSTNAME, WELL_KNOWN_LABELS } from './labels.ts';

/** What a provider adds to core's own rules about labels. */
export interface LabelRules {
  readonly wellKnownLabels: ReadonlySet<string>;
  readonly restrictedLabelDomains: ReadonlySet<string>;
  /** Label key → the only values that make sense, sorted, beside those of capacity types. */
  readonly wellKnownValues?: Readonly<Record<string, readonly string[]>>;
  /** Resources that are the instance types' own, so that no overlay may set them; beside core's own. */
  readonly wellKnownResources?: ReadonlySet<string>;
}

function domainOf(key: string): string {
  const slash = key.indexOf('/');
  return slash < 0 ? '' : key.slice(0, slash);
}

/** Why users may not use the label, in upstream's words; undefined when they may (karpenter-core.md 2.4). */
export function restrictedLabelProblem(key: string, rules: LabelRules): string | undefined {
  if (WELL_KNOWN_LABELS.has(key) || rules.wellKnownLabels.has(key)) return undefined;
  const domains = [...new Set([GROUP, ...rules.restrictedLabelDomains])].sort();
  const domain = domainOf(key);
  const restricted = domains.some((d) => domain === d || domain.endsWith(`.${d}`));
  if (!restricted && key !== LABEL_HOSTNAME) return undefined;
  const known = [...new Set([...WELL_KNOWN_LABELS, ...rules.wellKnownLabels])].sort();
  return `using label ${key} is not allowed as it might interfere with the internal provisioning logic; specify a well known label: [${known.join(' ')}], or a custom label that does not use a restricted domain: [${domains.join(' ')}]`;
}
