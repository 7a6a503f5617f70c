import type { CustomResourceDefinition, DefinitionSpec, DefinitionVersion } from '../../../apis/crds/definition.ts';
import type { JsonSchema } from '../../../apis/crds/json-schema.ts';
import type { FieldError } from '../../kind.ts';
import * as field from '../../validation/field-error.ts';
import { goJson, goQuote } from '../../validation/go-text.ts';
import { dns1035Label, dns1123Subdomain } from '../../validation/names.ts';
import type { CelEngine } from '../cel/cel-engine.ts';
import { validateDefaults } from './default-rules.ts';
import { validateNames } from './definition-names.ts';
import { type HoistedSpec, hoist } from './hoisted-spec.ts';
import { validateRules } from './rule-checks.ts';
import { ROOT_CONTEXT, validateSchema } from './schema-rules.ts';
import { validateStructural } from './structural-rules.ts';
import {
  validateColumns,
  validateDeprecation,
  validateSelectableFields,
  validateSubresources,
} from './version-parts.ts';

/**
 * What is wrong with the spec of a definition (apiextensions validation.go). `cel` may be left out where the spec has no
 * rules.
 */
export const validateDefinitionSpec = (spec: DefinitionSpec, cel: CelEngine | undefined): readonly FieldError[] => {
  const hoisted = hoist(spec);
  return [
    ...validateGroup(spec.group),
    ...validateScope(spec.scope),
    ...missingSchemas(hoisted),
    ...hoisted.versions.flatMap((version, at) =>
      validateVersion(field.index('spec.versions', at), version, hoisted, cel),
    ),
    ...validateVersionList(hoisted),
    ...missingNames(spec),
    ...validateNames('spec.names', spec.names),
    ...validateTop(hoisted, cel),
    ...validateConversion(spec.conversion),
  ];
};

const validateGroup = (group: string): readonly FieldError[] => {
  if (group === '') return [field.required('spec.group')];
  const complaints = dns1123Subdomain(group);
  if (complaints.length > 0) return [field.invalid('spec.group', group, complaints.join(','))];
  return group.includes('.') ? [] : [field.invalid('spec.group', group, 'should be a domain with at least one dot')];
};

const oneOf = (path: string, value: string, accepted: readonly string[]): readonly FieldError[] => {
  if (value === '') return [field.required(path)];
  return accepted.includes(value) ? [] : [field.notSupported(path, value, accepted)];
};

const validateScope = (scope: string): readonly FieldError[] => oneOf('spec.scope', scope, ['Cluster', 'Namespaced']);

const missingSchemas = ({ top, versions }: HoistedSpec): readonly FieldError[] => {
  if (top.schema?.openAPIV3Schema !== undefined) return [];
  return versions.flatMap((version, at) =>
    version.schema?.openAPIV3Schema === undefined
      ? [field.required(`${field.index('spec.versions', at)}.schema.openAPIV3Schema`)]
      : [],
  );
};

const validateVersion = (
  path: string,
  version: DefinitionVersion,
  { top }: HoistedSpec,
  cel: CelEngine | undefined,
): readonly FieldError[] => {
  const complaints = dns1035Label(version.name);
  const status = (version.subresources ?? top.subresources)?.status !== undefined;
  return [
    ...(complaints.length > 0 ? [field.invalid(field.child(path, 'name'), version.name, complaints.join(','))] : []),
    ...validateDeprecation(path, version),
    ...validateSchemaTree(`${path}.schema.openAPIV3Schema`, version.schema?.openAPIV3Schema, status, cel),
    ...validateSubresources(field.child(path, 'subresources'), version.subresources),
    ...validateColumns(field.child(path, 'additionalPrinterColumns'), version.additionalPrinterColumns),
    ...validateSelectableFields(field.child(path, 'selectableFields'), {
      schema: version.schema ?? top.schema ?? {},
      selectableFields: version.selectableFields ?? [],
    }),
  ];
};

/** Root keywords beside which the schema of a status subresource can still be cut out alone. */
const AT_ROOT: ReadonlySet<string> = new Set(
  'description type format title maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems uniqueItems multipleOf required items properties externalDocs example x-kubernetes-preserve-unknown-fields x-kubernetes-validations'.split(
    ' ',
  ),
);

const AT_ROOT_WORDS =
  'Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations';

const validateRoot = (path: string, schema: JsonSchema): readonly FieldError[] => {
  if (schema.type !== undefined && schema.type !== 'object') {
    const words = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    return [field.invalid(field.child(path, 'type'), schema.type, words)];
  }
  const stray = Object.entries(schema).find(
    ([name, value]) => value !== undefined && value !== false && !AT_ROOT.has(name),
  );
  if (stray === undefined) return [];
  const words = `only [${AT_ROOT_WORDS}] fields are allowed at the root of the schema if the status subresource is enabled`;
  return [field.invalid(path, new field.Verbatim(goJson(schema)), words)];
};

const validateSchemaTree = (
  path: string,
  schema: JsonSchema | undefined,
  status: boolean,
  cel: CelEngine | undefined,
): readonly FieldError[] => {
  if (schema === undefined) return [];
  const errors = status ? [...validateRoot(path, schema)] : [];
  if (schema.nullable === true) {
    errors.push(field.forbidden(field.child(path, 'nullable'), 'nullable cannot be true at the root'));
  }
  const structural = validateStructural(path, schema);
  const defaults = structural.length > 0 ? [] : validateDefaults(path, schema, cel);
  const keywords = validateSchema(path, schema, ROOT_CONTEXT);
  const runnable = structural.length + defaults.length + keywords.length === 0;
  const rules = runnable && cel !== undefined ? validateRules(path, schema, cel) : [];
  return [...errors, ...structural, ...defaults, ...keywords, ...rules];
};

const VERSION_FIELDS = ['Name', 'Served', 'Storage', 'Deprecated', 'DeprecationWarning', 'Schema', 'Subresources'];

/** Versions as kube-apiserver's internal type prints them, as far as they are plain. */
const shownVersions = (versions: readonly DefinitionVersion[]): field.Verbatim => {
  const shown = versions.map((version) => {
    const plain: Readonly<Record<string, unknown>> = {
      Name: version.name,
      Served: version.served,
      Storage: version.storage,
      Deprecated: version.deprecated ?? false,
      DeprecationWarning: version.deprecationWarning ?? null,
      Schema: version.schema === undefined ? null : { OpenAPIV3Schema: version.schema.openAPIV3Schema },
      Subresources: version.subresources ?? null,
    };
    const parts = VERSION_FIELDS.map((name) => `"${name}":${goJson(plain[name])}`);
    const columns = goJson(version.additionalPrinterColumns ?? null);
    const selectable = goJson(version.selectableFields ?? null);
    return `{${parts.join(',')},"AdditionalPrinterColumns":${columns},"SelectableFields":${selectable}}`;
  });
  return new field.Verbatim(`[${shown.join(',')}]`);
};

const validateVersionList = ({ versions }: HoistedSpec): readonly FieldError[] => {
  const errors: FieldError[] = [];
  const shown = shownVersions(versions);
  if (new Set(versions.map(({ name }) => name)).size < versions.length) {
    errors.push(field.invalid('spec.versions', shown, 'must contain unique version names'));
  }
  if (versions.filter(({ storage }) => storage).length !== 1) {
    errors.push(field.invalid('spec.versions', shown, 'must have exactly one version marked as storage version'));
  }
  const first = versions[0]?.name ?? '';
  const complaints = first === '' ? [] : dns1035Label(first);
  if (complaints.length > 0) errors.push(field.invalid('spec.version', first, complaints.join(',')));
  return errors;
};

const missingNames = ({ names }: DefinitionSpec): readonly FieldError[] =>
  (['plural', 'singular', 'kind', 'listKind'] as const)
    .filter((name) => (names[name] ?? '') === '')
    .map((name) => field.required(`spec.names.${name}`));

const validateTop = ({ top, spec }: HoistedSpec, cel: CelEngine | undefined): readonly FieldError[] => {
  const status = spec.versions.some(({ subresources }) => subresources?.status !== undefined);
  return [
    ...validateSchemaTree('spec.validation.openAPIV3Schema', top.schema?.openAPIV3Schema, status, cel),
    ...validateSubresources('spec.subresources', top.subresources),
    ...validateColumns('spec.additionalPrinterColumns', top.additionalPrinterColumns),
    ...validateSelectableFields('spec.selectableFields', {
      schema: top.schema ?? spec.versions[0]?.schema ?? {},
      selectableFields: top.selectableFields ?? [],
    }),
  ];
};

const validateConversion = (conversion: DefinitionSpec['conversion']): readonly FieldError[] => {
  if (conversion === undefined) return [];
  const { strategy, webhook } = conversion;
  const errors = [...oneOf('spec.conversion.strategy', strategy, ['None', 'Webhook'])];
  const versions = webhook?.conversionReviewVersions;
  if (strategy === 'Webhook') {
    if (webhook?.clientConfig === undefined) {
      errors.push(field.required('spec.conversion.webhookClientConfig', 'required when strategy is set to Webhook'));
    }
    if (!Array.isArray(versions) || versions.length === 0) {
      errors.push(field.required('spec.conversion.conversionReviewVersions'));
    }
    return errors;
  }
  const words = 'should not be set when strategy is not set to Webhook';
  if (webhook?.clientConfig !== undefined) errors.push(field.forbidden('spec.conversion.webhookClientConfig', words));
  if (Array.isArray(versions) && versions.length > 0) {
    errors.push(field.forbidden('spec.conversion.conversionReviewVersions', words));
  }
  return errors;
};

const isProtected = (group: string): boolean => /(^|\.)(k8s|kubernetes)\.io$/.test(group);

const APPROVAL = 'api-approved.kubernetes.io';
const APPROVAL_GUIDE = 'see https://github.com/kubernetes/enhancements/pull/1111';

/** Groups of the Kubernetes community need an approval; an update that changes nothing about it passes. */
export const validateApproval = (
  definition: CustomResourceDefinition,
  old?: CustomResourceDefinition,
): readonly FieldError[] => {
  if (!isProtected(definition.spec.group)) return [];
  const approval = definition.metadata.annotations?.[APPROVAL] ?? '';
  if (old !== undefined && (old.metadata.annotations?.[APPROVAL] ?? '') === approval) return [];
  const path = field.key('metadata.annotations', APPROVAL);
  const words = `protected groups must have approval annotation ${goQuote(APPROVAL)}`;
  if (approval === '') return [field.required(path, `${words}, ${APPROVAL_GUIDE}`)];
  if (approval.startsWith('unapproved') || /^[a-z][a-z0-9+.-]*:\/\/[^/\s]+/i.test(approval)) return [];
  const either = `${words} with either a URL or a reason starting with "unapproved", ${APPROVAL_GUIDE}`;
  return [field.invalid(path, approval, either)];
};

/** Versions that objects may be stored in must stay among those of the spec. */
export const validateStoredVersions = (definition: CustomResourceDefinition): readonly FieldError[] => {
  const path = 'status.storedVersions';
  const stored = definition.status?.storedVersions ?? [];
  if (stored.length === 0) return [field.invalid(path, null, 'must have at least one stored version')];
  const errors = definition.spec.versions
    .filter(({ name, storage }) => storage && !stored.includes(name))
    .map(({ name }) => field.invalid(path, stored, `must have the storage version ${name}`));
  const known = new Set(definition.spec.versions.map(({ name }) => name));
  for (const [at, name] of stored.entries()) {
    if (known.has(name)) continue;
    const words = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    errors.push(field.invalid(field.index(path, at), name, words));
  }
  return errors;
};
