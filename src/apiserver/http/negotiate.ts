/** What the client wants to read: how it is encoded, and into which form objects are turned. */
export interface Negotiated {
  readonly encoding: 'json' | 'yaml' | 'protobuf';
  readonly form: 'object' | 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
  /** The version of meta.k8s.io that tables and partial metadata are in. */
  readonly formVersion: 'v1' | 'v1beta1';
  /** Aggregated discovery instead of a plain list. */
  readonly aggregated: boolean;
}

interface Clause {
  readonly type: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly quality: number;
}

const plain: Negotiated = { encoding: 'json', form: 'object', formVersion: 'v1', aggregated: false };

function clauses(accept: string): readonly Clause[] {
  return accept
    .split(',')
    .map((text) => {
      const [type = '', ...rest] = text.split(';').map((part) => part.trim());
      const parameters = Object.fromEntries(
        rest.map((part) => {
          const equals = part.indexOf('=');
          return equals < 0 ? [part, ''] : [part.slice(0, equals).trim(), part.slice(equals + 1).trim()];
        }),
      );
      const quality = parameters.q === undefined ? 1 : Number(parameters.q);
      return { type: type.toLowerCase(), parameters, quality: Number.isNaN(quality) ? 1 : quality };
    })
    .filter(({ type }) => type !== '')
    .sort((a, b) => b.quality - a.quality);
}

const encodings: Readonly<Record<string, Negotiated['encoding']>> = {
  'application/json': 'json',
  'application/*': 'json',
  '*/*': 'json',
  'application/yaml': 'yaml',
  'application/vnd.kubernetes.protobuf': 'protobuf',
};

/** What can be asked for. */
export interface Offer {
  /** What is asked for has an aggregated form. */
  readonly discovery?: boolean;
  /** Objects are custom resources, of which protobuf can carry no more than the metadata. */
  readonly custom?: boolean;
}

/** The first thing in an Accept header that this server can give; undefined for none (406). */
export function negotiate(accept: string | undefined, { discovery, custom }: Offer = {}): Negotiated | undefined {
  if (!accept) return plain;
  for (const { type, parameters } of clauses(accept)) {
    const encoding = Object.hasOwn(encodings, type) ? encodings[type] : undefined;
    if (!encoding) continue;
    const { as, g, v } = parameters;
    const binary = encoding === 'protobuf';
    if (as === undefined) {
      if (binary && custom) continue;
      return { ...plain, encoding };
    }
    if (as === 'APIGroupDiscoveryList') {
      if (discovery && g === 'apidiscovery.k8s.io' && v === 'v2') return { ...plain, encoding, aggregated: true };
      continue;
    }
    if (discovery || g !== 'meta.k8s.io' || (v !== 'v1' && v !== 'v1beta1')) continue;
    if (as === 'Table' && binary) continue;
    if (as === 'Table' || as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList') {
      return { encoding, form: as, formVersion: v, aggregated: false };
    }
  }
  return undefined;
}

/** Whether an Accept header names a type that this server knows at all, whatever form it wants. */
export const namesKnownType = (accept: string): boolean =>
  clauses(accept).some(({ type }) => Object.hasOwn(encodings, type));
