import { pathsOf } from './field-set.ts';
import { compareText, type Manager, type Managers } from './managers.ts';
import { printPath } from './shape.ts';

/** A configuration that can't be applied: 400 for a request upstream calls bad, 500 for one that doesn't fit the schema. */
export class ApplyError extends Error {
  override readonly name = 'ApplyError';
  readonly status: 400 | 500;

  constructor(status: 400 | 500, message: string) {
    super(message);
    this.status = status;
  }
}

/** A field that the applied configuration sets to another value than its owner. */
export interface Conflict {
  /** The owner's identity. */
  readonly identity: string;
  readonly owner: Manager;
  readonly path: readonly string[];
}

/** 409 Conflict; `causes` are those of the Status, with reason FieldManagerConflict. */
export class ApplyConflictError extends Error {
  override readonly name = 'ApplyConflictError';
  readonly conflicts: readonly Conflict[];
  readonly causes: readonly { readonly reason: string; readonly message: string; readonly field: string }[];

  constructor(conflicts: readonly Conflict[]) {
    super(messageOf(conflicts));
    this.conflicts = conflicts;
    this.causes = conflicts.map(({ owner, path }) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${printOwner(owner)}`,
      field: printPath(path),
    }));
  }
}

/** The conflicts that sets of paths by manager stand for, ordered by manager and path. */
export function conflictsOf(managers: Managers): readonly Conflict[] {
  return [...managers]
    .sort(([a], [b]) => compareText(a, b))
    .flatMap(([identity, owner]) => [...pathsOf(owner.fields)].map((path) => ({ identity, owner, path })));
}

function messageOf(conflicts: readonly Conflict[]): string {
  const [first] = conflicts;
  if (first !== undefined && conflicts.length === 1) {
    return `Apply failed with 1 conflict: conflict with ${printOwner(first.owner)}: ${printPath(first.path)}`;
  }
  const lines = conflicts.flatMap(({ identity, owner, path }, index) => {
    const heading = conflicts[index - 1]?.identity === identity ? [] : [`conflicts with ${printOwner(owner)}:`];
    return [...heading, `- ${printPath(path)}`];
  });
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
}

function printOwner({ manager, operation, apiVersion, subresource }: Manager): string {
  const name = JSON.stringify(manager);
  const where = subresource === '' ? name : `${name} with subresource ${JSON.stringify(subresource)}`;
  return operation === 'Update' ? `${where} using ${apiVersion}` : where;
}
