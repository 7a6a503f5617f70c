import type { CustomResourceDefinition, DefinitionVersion } from '../../apis/crds/definition.ts';
import type { ResourceDefinition, ScalePaths, SubresourceDefinition, Verb } from '../registry/resource-definition.ts';

const verbs: readonly Verb[] = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const write: SubresourceDefinition = { verbs: ['get', 'patch', 'update'] };

/** `.spec.replicas` as keys. */
const keys = (path: string): readonly string[] => path.split('.').filter((key) => key !== '');

/** The resources a definition serves, one per served version. */
export function customResources({ metadata, spec }: CustomResourceDefinition): readonly ResourceDefinition[] {
  const { group, names, scope } = spec;
  const versions = spec.versions ?? [];
  const stored = versions.find(({ storage }) => storage)?.name ?? '';
  return versions
    .filter(({ served }) => served)
    .map((version) => {
      const scale = scaleOf(version);
      return {
        group,
        version: version.name,
        kind: names.kind,
        plural: names.plural,
        singular: names.singular ?? names.kind.toLowerCase(),
        listKind: names.listKind ?? `${names.kind}List`,
        namespaced: scope === 'Namespaced',
        shortNames: names.shortNames ?? [],
        categories: names.categories ?? [],
        verbs,
        subresources: {
          ...(version.subresources?.status ? { status: write } : {}),
          ...(scale ? { scale: { ...write, kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' } } } : {}),
        },
        ...(scale ? { scale } : {}),
        collection: `${group}/${names.plural}`,
        storageVersion: { group, version: stored },
        generation: 'spec',
        selectableFields: Object.fromEntries(
          (version.selectableFields ?? []).map(({ jsonPath }) => [jsonPath.replace(/^\./, ''), keys(jsonPath)]),
        ),
        crd: metadata.name,
        ...(version.deprecated
          ? { warning: version.deprecationWarning ?? `${group}/${version.name} ${names.kind} is deprecated` }
          : {}),
      } satisfies ResourceDefinition;
    });
}

function scaleOf({ subresources }: DefinitionVersion): ScalePaths | undefined {
  const scale = subresources?.scale;
  if (!scale) return undefined;
  return {
    specReplicas: keys(scale.specReplicasPath),
    statusReplicas: keys(scale.statusReplicasPath),
    ...(scale.labelSelectorPath ? { selector: keys(scale.labelSelectorPath) } : {}),
  };
}
