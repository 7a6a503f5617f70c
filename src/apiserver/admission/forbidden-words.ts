import type { Status } from '../../kube/client.ts';
import { asString } from '../json.ts';
import { metaOf } from '../object-meta.ts';
import type { AdmissionAttributes } from './admission-attributes.ts';

export interface ForbiddenWords {
  readonly text: string;
  readonly details: NonNullable<Status['details']>;
}

/** How a refusal of a request names what it is about (apiserver's admission.NewForbidden). */
export const forbiddenWords = ({ resource, name, object }: AdmissionAttributes, words: string): ForbiddenWords => {
  const { group, plural } = resource;
  const shown = name || asString(metaOf(object ?? {}).generateName) || 'Unknown';
  const qualified = group ? `${plural}.${group}` : plural;
  return {
    text: `${qualified} ${JSON.stringify(shown)} is forbidden: ${words}`,
    details: { name: shown, ...(group ? { group } : {}), kind: plural },
  };
};
