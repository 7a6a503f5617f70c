import type { StorageClass } from '../../kube/objects.ts';

const MARKS = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'];

const isDefault = ({ metadata }: StorageClass): boolean =>
  MARKS.some((mark) => metadata.annotations?.[mark] === 'true');

const created = ({ metadata }: StorageClass): number => Date.parse(metadata.creationTimestamp ?? '') || 0;

/** The class of claims that name none: of those marked as default the newest, then the first by name. */
export const defaultClass = (classes: readonly StorageClass[]): StorageClass | undefined =>
  classes
    .filter(isDefault)
    .sort((a, b) => created(b) - created(a) || (a.metadata.name < b.metadata.name ? -1 : 1))
    .at(0);
