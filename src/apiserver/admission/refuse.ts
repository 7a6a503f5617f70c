import { forbidden } from '../api-refusals.ts';
import { metaOf, nameOf } from '../object-meta.ts';
import type { AdmissionRequest } from '../registry/admission-chain.ts';
import { groupResourceOf } from '../registry/resource-definition.ts';

/** Makes the refusal that an admission plugin gives its reason for. */
export type Refuse = (reason: string) => Error;

export const refusing =
  ({ object, request }: AdmissionRequest): Refuse =>
  (reason) => {
    const name = nameOf(object) || (metaOf(object).generateName ? 'Unknown' : request.name);
    return forbidden(groupResourceOf(request.resource), name, reason);
  };
