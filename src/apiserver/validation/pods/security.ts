import { asArray, asObject, asObjects, asString } from '../../json.ts';
import type { FieldError, Json, JsonObject } from '../../kind.ts';
import * as field from '../field-error.ts';
import { goJson } from '../go-text.ts';
import { rangeWords } from '../names.ts';
import { oneOf } from '../numbers.ts';

const MAX_ID = 2 ** 31 - 1;

const validateId = (path: string, value: Json | undefined): readonly FieldError[] =>
  typeof value === 'number' && (value < 0 || value > MAX_ID) ? [field.invalid(path, value, rangeWords(0, MAX_ID))] : [];

const PROFILES = ['Localhost', 'RuntimeDefault', 'Unconfined'];

const validateProfile = (path: string, profile: Json | undefined): readonly FieldError[] => {
  if (profile === undefined) return [];
  const { type, localhostProfile } = asObject(profile);
  const errors = [...oneOf(field.child(path, 'type'), type, PROFILES)];
  const local = field.child(path, 'localhostProfile');
  if (type === 'Localhost' && localhostProfile === undefined) {
    errors.push(field.required(local, 'must be set when seccomp type is Localhost'));
  } else if (type !== 'Localhost' && localhostProfile !== undefined) {
    errors.push(field.invalid(local, localhostProfile, 'can only be set when seccomp type is Localhost'));
  }
  return errors;
};

/** Go's name of a field: the internal type that messages print has no JSON names. */
const goName = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

const CONTEXT_FIELDS = [
  'capabilities',
  'privileged',
  'seLinuxOptions',
  'windowsOptions',
  'runAsUser',
  'runAsGroup',
  'runAsNonRoot',
  'readOnlyRootFilesystem',
  'allowPrivilegeEscalation',
  'procMount',
  'seccompProfile',
  'appArmorProfile',
];

const shown = (context: JsonObject): field.Verbatim =>
  new field.Verbatim(`{${CONTEXT_FIELDS.map((name) => `"${goName(name)}":${goJson(context[name])}`).join(',')}}`);

export const validateContainerSecurity = (path: string, value: Json | undefined): readonly FieldError[] => {
  if (value === undefined) return [];
  const context = asObject(value);
  const errors = [
    ...validateId(field.child(path, 'runAsUser'), context.runAsUser),
    ...validateId(field.child(path, 'runAsGroup'), context.runAsGroup),
    ...validateProfile(field.child(path, 'seccompProfile'), context.seccompProfile),
  ];
  if (context.allowPrivilegeEscalation !== false) return errors;
  const words = 'cannot set `allowPrivilegeEscalation` to false and ';
  if (context.privileged === true) errors.push(field.invalid(path, shown(context), `${words}\`privileged\` to true`));
  if (asArray(asObject(context.capabilities).add).includes('CAP_SYS_ADMIN')) {
    errors.push(field.invalid(path, shown(context), `${words}\`capabilities.Add\` CAP_SYS_ADMIN`));
  }
  return errors;
};

const SYSCTL = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;
const SYSCTL_WORDS =
  'must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$';

const validateSysctls = (path: string, context: JsonObject): readonly FieldError[] => {
  const seen = new Set<string>();
  return asObjects(context.sysctls).flatMap((sysctl, position) => {
    const at = field.child(field.index(path, position), 'name');
    const name = asString(sysctl.name);
    const repeated = seen.has(name);
    seen.add(name);
    if (name === '') return [field.required(at)];
    if (name.length > 253 || !SYSCTL.test(name)) return [field.invalid(at, name, SYSCTL_WORDS)];
    return repeated ? [field.duplicate(at, name)] : [];
  });
};

/** `spec.securityContext`; `path` is its own. */
export const validatePodSecurity = (path: string, value: Json | undefined): readonly FieldError[] => {
  const context = asObject(value);
  return [
    ...validateId(field.child(path, 'fsGroup'), context.fsGroup),
    ...validateId(field.child(path, 'runAsUser'), context.runAsUser),
    ...validateId(field.child(path, 'runAsGroup'), context.runAsGroup),
    ...asArray(context.supplementalGroups).flatMap((group, at) =>
      validateId(field.index(field.child(path, 'supplementalGroups'), at), group),
    ),
    ...validateSysctls(field.child(path, 'sysctls'), context),
    ...validateProfile(field.child(path, 'seccompProfile'), context.seccompProfile),
  ];
};
