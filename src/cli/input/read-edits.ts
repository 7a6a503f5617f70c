import { completed, isSameObject } from '../../explain/edited-objects.ts';
import type { KubeObject } from '../../kube/objects.ts';
import { nearest } from '../nearest.ts';
import { UsageError, UserError } from '../user-error.ts';
import { ObjectRules } from './object-rules.ts';

/** Kinds whose edits can be tried, by the words for them on the command line. */
const EDITABLE: ReadonlyMap<string, string> = new Map([
  ['nodepool', 'NodePool'],
  ['nodeoverlay', 'NodeOverlay'],
  ['capacitybuffer', 'CapacityBuffer'],
]);
const KINDS: ReadonlySet<string> = new Set(EDITABLE.values());

/** An object as it is to be, or an object that is to go. */
export interface WrittenEdit {
  /** With the defaults of its kind; undefined when it is to go. */
  readonly object: KubeObject | undefined;
  readonly stored: KubeObject | undefined;
  /** Why the API would refuse it, in its words. */
  readonly refusals: readonly string[];
}

export interface WrittenEdits {
  readonly edits: readonly WrittenEdit[];
  /** Pod templates that come along: a buffer may be of one. */
  readonly templates: readonly KubeObject[];
  /** `Kind (n)` of what is neither. */
  readonly ignored: readonly string[];
}

export interface EditsQuestion {
  readonly written: readonly KubeObject[];
  /** Where they were read, for messages. */
  readonly files: readonly string[];
  /** `TYPE/NAME`. */
  readonly removals: readonly string[];
  readonly stored: readonly KubeObject[];
  /** Of namespaced objects that name none. */
  readonly namespace: string | undefined;
  readonly bin: string;
}

/** Pairs every edit with what it changes, and asks the API's rules about it. Throws a UserError when there is none. */
export async function readEdits(question: EditsQuestion): Promise<WrittenEdits> {
  const { written, files, removals, stored, namespace } = question;
  const rules = new ObjectRules();
  const applied = written.filter(({ kind = '' }) => KINDS.has(kind));
  if (applied.length === 0 && removals.length === 0) {
    throw new UserError(`${files.join(', ')}: no NodePool, NodeOverlay or CapacityBuffer in it`, { code: 'KE1103' });
  }
  const edits = applied.map(async (edit): Promise<WrittenEdit> => {
    const object = completed(inNamespace(edit, namespace));
    const before = stored.find((candidate) => isSameObject(candidate, object));
    const refusals = await rules.refusals(object, before && completed(before));
    return { object, stored: before && completed(before), refusals };
  });
  const gone = removals.map(
    (text): WrittenEdit => ({ object: undefined, stored: removed(text, question), refusals: [] }),
  );
  const others = written.filter(({ kind = '' }) => !KINDS.has(kind));
  const ignored = Map.groupBy(
    others.filter(({ kind }) => kind !== 'PodTemplate'),
    ({ kind }) => kind ?? '',
  );
  return {
    edits: [...(await Promise.all(edits)), ...gone],
    templates: others.filter(({ kind }) => kind === 'PodTemplate').map((object) => inNamespace(object, namespace)),
    ignored: [...ignored].map(([kind, objects]) => `${kind} (${objects.length})`),
  };
}

function inNamespace(object: KubeObject, namespace = 'default'): KubeObject {
  if (object.kind === 'NodePool' || object.kind === 'NodeOverlay' || object.metadata.namespace) return object;
  return { ...object, metadata: { ...object.metadata, namespace } };
}

/** The object that `TYPE/NAME` or `TYPE/NAMESPACE/NAME` is about. */
function removed(text: string, { stored, namespace = 'default', bin }: EditsQuestion): KubeObject {
  const [word = '', ...rest] = text.split('/');
  const kind = EDITABLE.get(word.toLowerCase());
  if (!kind || rest.length === 0) {
    throw new UsageError(`--delete "${text}" is not TYPE/NAME with a type of ${[...EDITABLE.keys()].join(', ')}`, {
      hints: nearest(word, EDITABLE.keys(), 1).map((near) => `--delete ${near}/${rest.join('/') || 'NAME'}`),
    });
  }
  const name = rest.at(-1) ?? '';
  const wanted = { kind, metadata: { name, namespace: rest.length > 1 ? (rest[0] ?? '') : namespace } };
  const found = stored.find((object) => isSameObject(object, wanted));
  if (found) return completed(found);
  const names = stored.filter((object) => object.kind === kind).map(({ metadata }) => metadata.name);
  throw new UserError(`${word.toLowerCase()} "${name}" not found`, {
    code: 'KE1301',
    because: names.length === 0 ? [`there is no ${kind} at all`] : [],
    hints: nearest(name, names).map((near) => `${bin} plan --diff --delete ${word.toLowerCase()}/${near}`),
  });
}
