import type { Entry } from '../moto/server.ts';
import type { Side } from './side.ts';

type Json = unknown;
type Fields = Readonly<Record<string, Json>>;

/** A request for instances, with its launch templates in place of their names. */
export interface Fleet {
  /** Types in the order in which they are named, by template. */
  readonly types: readonly string[];
  readonly request: Fields & {
    readonly configs: readonly { readonly template: Json; readonly overrides: readonly Json[] }[];
  };
  readonly error: string | null;
}

/** What a controller did for one world, freed of chance: names of templates, tokens, orders that mean nothing. */
export interface Actions {
  readonly fleets: readonly Fleet[];
  readonly templates: readonly Json[];
}

/** By the name of the world, which is that of its pool. */
export function actionsOf({ journal }: Side): ReadonlyMap<string, Actions> {
  const templates = new Map<string, Fields>();
  const worlds = new Map<string, { fleets: Fleet[]; templates: Json[] }>();
  const of = (name: string) => {
    const known = worlds.get(name) ?? { fleets: [], templates: [] };
    worlds.set(name, known);
    return known;
  };
  for (const entry of journal) {
    if (isDryRun(entry)) continue;
    if (entry.action === 'CreateLaunchTemplate') {
      const template = templateOf(entry.params);
      templates.set(String(entry.params.LaunchTemplateName), template);
      of(poolOf(entry.params)).templates.push(template);
    }
    if (entry.action === 'CreateFleet') of(poolOf(entry.params)).fleets.push(fleetOf(entry, templates));
  }
  return worlds;
}

const isDryRun = ({ params }: Entry): boolean => params.DryRun === true;

interface Tag {
  readonly Key: string;
  readonly Value: string;
}

interface TagSpecification {
  readonly ResourceType: string;
  readonly Tags: readonly Tag[];
}

function poolOf(params: Fields): string {
  const tags = (params.TagSpecifications as readonly TagSpecification[] | undefined)?.flatMap(({ Tags }) => Tags) ?? [];
  return tags.find(({ Key }) => Key === 'karpenter.sh/nodepool')?.Value ?? '';
}

function templateOf(params: Fields): Fields {
  const data = params.LaunchTemplateData as Fields;
  const text = Buffer.from(String(data.UserData ?? ''), 'base64').toString();
  const lines = text.split('\n').map(withFlagsInOrder);
  return { data: ordered({ ...data, UserData: lines }), tags: ordered(params.TagSpecifications) } as Fields;
}

/** Upstream gives flags with several values in any order (test/parity/differences.md). */
const withFlagsInOrder = (line: string): string =>
  line.replace(/(--(?:eviction|system|kube)-[a-z-]+=\\?"?)([^\s"']+)/g, (_, flag: string, values: string) =>
    [flag, values.split(',').sort().join(',')].join(''),
  );

interface Override {
  readonly InstanceType: string;
  readonly SubnetId: string;
}

interface Config {
  readonly LaunchTemplateSpecification: { readonly LaunchTemplateName: string };
  readonly Overrides: readonly Override[];
}

function fleetOf({ params, error }: Entry, templates: ReadonlyMap<string, Fields>): Fleet {
  const { ClientToken: _, LaunchTemplateConfigs, ...rest } = params;
  const configs = (LaunchTemplateConfigs as readonly Config[])
    .map(({ LaunchTemplateSpecification: named, Overrides }) => ({
      template: templates.get(named.LaunchTemplateName) ?? 'an unknown template',
      types: [...new Set(Overrides.map(({ InstanceType }) => InstanceType))],
      overrides: [...Overrides].map(ordered).sort(byText),
    }))
    .sort(byText);
  return {
    types: configs.map(({ types }) => types.join(' ')),
    request: {
      ...(ordered(rest) as Fields),
      configs: configs.map(({ template, overrides }) => ({ template, overrides })),
    },
    error,
  };
}

/** Objects by the names of their fields, and lists of tags and of groups by their text. */
function ordered(value: Json): Json {
  if (Array.isArray(value)) {
    const entries = value.map(ordered);
    return entries.every(isTagged) ? entries.sort(byText) : entries;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    entries.map(([key, entry]) => [key, key === 'Groups' ? [...entry].sort() : ordered(entry)]),
  );
}

const isTagged = (entry: Json): boolean =>
  typeof entry === 'object' && entry !== null && ('ResourceType' in entry || 'Key' in entry);

function byText(a: Json, b: Json): number {
  const [x, y] = [JSON.stringify(a), JSON.stringify(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}
