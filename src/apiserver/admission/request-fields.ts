import type { JsonObject } from '../kind.ts';
import type { UserInfo, WriteRequest } from '../registry/request.ts';
import type { GroupVersionKind, ResourceDefinition } from '../registry/resource-definition.ts';
import { type AdmissionAttributes, kindIn } from './admission-attributes.ts';

const userInfo = ({ name, uid, groups, extra }: UserInfo): JsonObject => ({
  username: name,
  ...(uid ? { uid } : {}),
  ...(groups.length > 0 ? { groups } : {}),
  ...(extra && Object.keys(extra).length > 0 ? { extra } : {}),
});

const OPTIONS: Readonly<Record<string, string>> = {
  CREATE: 'CreateOptions',
  UPDATE: 'UpdateOptions',
  DELETE: 'DeleteOptions',
};

const optionsOf = ({ dryRun, fieldManager, fieldValidation }: WriteRequest, operation: string): JsonObject => ({
  kind: OPTIONS[operation] ?? '',
  apiVersion: 'meta.k8s.io/v1',
  ...(dryRun ? { dryRun: ['All'] } : {}),
  ...(operation === 'DELETE' ? {} : { fieldManager, fieldValidation }),
});

const kindFields = ({ group, version, kind }: GroupVersionKind): JsonObject => ({ group, version, kind });

const resourceFields = ({ group, version, plural }: ResourceDefinition): JsonObject => ({
  group,
  version,
  resource: plural,
});

/** An AdmissionRequest without its objects: what a review sends, and what expressions see as `request`. */
export const requestFields = (attributes: AdmissionAttributes, matched: ResourceDefinition): JsonObject => {
  const { resource, kind, subresource, name, namespace, operation, request } = attributes;
  const part = subresource ? { subResource: subresource, requestSubResource: subresource } : {};
  return {
    kind: kindFields(kindIn(attributes, matched)),
    resource: resourceFields(matched),
    requestKind: kindFields(kind),
    requestResource: resourceFields(resource),
    ...part,
    ...(name ? { name } : {}),
    ...(namespace ? { namespace } : {}),
    operation,
    userInfo: userInfo(request.user),
    dryRun: request.dryRun,
    options: optionsOf(request, operation),
  };
};
